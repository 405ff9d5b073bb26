package transfer

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/titanous/json5"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/lazyregexp"
	"github.com/memoir-ai/memoir/internal/secret"
)

// Settings says which settings of another memory memoir takes over, and which not.
type Settings struct {
	Taken []TakenSetting // at most one for each of memoir's settings
	Left  []LeftSetting
}

// A TakenSetting is a setting that memoir has, too.
type TakenSetting struct {
	From    string `json:"from"`    // its name there, dotted
	Setting string `json:"setting"` // memoir's, as in memoir config
	Value   any    `json:"value"`   // as memoir has it: a string, a number, true or false, a list of strings
}

// A LeftSetting is one that memoir does not take over.
type LeftSetting struct {
	From   string `json:"from"`   // its name there, dotted
	Reason string `json:"reason"` // and what to do in its place, for people
}

// Limits of the size of OpenClaw's settings.
const (
	MaxSettings = 4 << 20 // bytes
	maxBrackets = 100_000 // that open: the reader of JSON5 calls itself for each
	maxOdd      = 200     // agents and settings that are named
)

// OpenClawSettings reads the settings of OpenClaw's memory out of its openclaw.json,
// which is JSON5: in the spelling of its versions up to 2026.7
// (agents.defaults.memorySearch), and in that of 2026.9 (memory.search), which counts
// where both are there. valid checks a value for one of memoir's settings: it returns
// "" if the setting takes the value, else what the setting takes. The result never
// holds a key, a header or an address with a password.
func OpenClawSettings(data []byte, valid func(setting string, value any) string) (Settings, error) {
	root, err := parseJSON5(data)
	if err != nil {
		return Settings{}, memoir.WithHint(fmt.Errorf("it cannot be read as settings of OpenClaw: %w: %w", memoir.ErrInvalid, err), "openclaw doctor")
	}
	m := &mapper{valid: valid, values: map[string]any{}, names: map[string]string{}}
	m.around(root)
	for _, path := range [][]string{{"memorySearch"}, {"agents", "defaults", "memorySearch"}, {"memory", "search"}} {
		if block, ok := at(root, path...).(map[string]any); ok {
			m.flatten(strings.Join(path, "."), "", block)
		} else if x := at(root, path...); x != nil {
			m.leave(strings.Join(path, "."), "it is no object")
		}
	}
	m.all()
	return m.Settings, nil
}

func parseJSON5(data []byte) (map[string]any, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	switch {
	case len(data) > MaxSettings:
		return nil, fmt.Errorf("it is larger than %d MB", MaxSettings>>20)
	case !utf8.Valid(data):
		return nil, errors.New("it is no text in UTF-8")
	case bytes.Count(data, []byte("{"))+bytes.Count(data, []byte("[")) > maxBrackets:
		return nil, errors.New("it is too large for settings")
	}
	var root any
	if err := json5.Unmarshal(data, &root); err != nil {
		return nil, placed(data, err)
	}
	object, ok := root.(map[string]any)
	if !ok {
		return nil, errors.New("the whole is no object")
	}
	return object, nil
}

// placed names the line of a mistake. It does not quote the line, which may hold a key.
func placed(data []byte, err error) error {
	var mistake *json5.SyntaxError
	if !errors.As(err, &mistake) {
		return errors.New("it holds an invalid number")
	}
	before := data[:min(max(int(mistake.Offset)-1, 0), len(data))]
	return fmt.Errorf("line %d is no JSON5", bytes.Count(before, []byte("\n"))+1)
}

// at returns what stands at a path of names, nil where nothing does.
func at(x any, path ...string) any {
	for _, name := range path {
		object, _ := x.(map[string]any) // what is no object has no members
		x = object[name]
	}
	return x
}

// mapper goes through the settings of OpenClaw's memory.
type mapper struct {
	Settings
	valid  func(string, any) string
	values map[string]any    // by their names below the object of settings
	names  map[string]string // how they are called in the whole
	to     string            // memoir's provider; "" where none was taken
}

// flatten notes the values of an object by their names, over those that were noted before.
func (m *mapper) flatten(prefix, name string, object map[string]any) {
	for key, value := range object {
		below := strings.TrimPrefix(name+"."+key, ".")
		if inner, ok := value.(map[string]any); ok && !opaque(below) {
			m.flatten(prefix, below, inner)
			continue
		}
		m.values[below], m.names[below] = value, prefix+"."+below
	}
}

// opaque reports whether the values below a name are handled as a whole, because
// they are not shown or memoir has no counterpart.
func opaque(name string) bool {
	return slices.Contains([]string{"remote.apiKey", "remote.headers", "multimodal", "qmd", "store.vector", "local"}, name)
}

// around names settings outside those of the memory that affect them.
func (m *mapper) around(root map[string]any) {
	const include = "what it includes is not read; openclaw config get agents.defaults.memorySearch, or memory.search, prints all of it"
	for _, path := range [][]string{nil, {"agents"}, {"agents", "defaults"}, {"memory"}} {
		if object, ok := at(root, path...).(map[string]any); ok && object["$include"] != nil {
			m.leave(strings.Join(append(path, "$include"), "."), include)
		}
	}
	const agent = "settings of one agent: write them into .memoir.toml in its workspace"
	if list, ok := at(root, "agents", "list").([]any); ok {
		for i, x := range list {
			if at(x, "memorySearch") != nil || at(x, "memory", "search") != nil {
				m.leave(fmt.Sprintf("agents.list[%d].memorySearch", i), agent)
			}
		}
	}
	if entries, ok := at(root, "agents", "entries").(map[string]any); ok {
		for _, id := range slices.Sorted(maps.Keys(entries)) {
			if at(entries[id], "memory", "search") != nil || at(entries[id], "memorySearch") != nil {
				m.leave("agents.entries."+id+".memory.search", agent)
			}
		}
	}
	if b := at(root, "memory", "backend"); b != nil && b != "builtin" {
		m.leave("memory.backend", "memoir has one index, and asks no program of others")
	}
	if at(root, "memory", "qmd") != nil {
		m.leave("memory.qmd", "memoir reranks by itself: memoir config --docs has rerank.provider")
	}
	if at(root, "memory", "citations") != nil {
		m.leave("memory.citations", "memoir always says where a passage stands")
	}
}

// all takes the settings in a fixed order. The provider comes first, because models
// and addresses depend on it.
func (m *mapper) all() {
	m.provider()
	m.chunks()
	m.sessions()
	for _, name := range slices.Sorted(maps.Keys(m.values)) {
		m.one(name, m.values[name])
	}
}

// done removes a value from those still to be handled.
func (m *mapper) done(name string) (value any, ok bool) {
	value, ok = m.values[name]
	delete(m.values, name)
	return value, ok
}

func (m *mapper) called(name string) string {
	if called := m.names[name]; called != "" {
		return called
	}
	return name
}

func (m *mapper) leave(name, reason string) {
	if len(m.Left) < maxOdd {
		m.Left = append(m.Left, LeftSetting{shownName(name), reason})
	}
}

// shownName bounds a name, which may be anything in a hostile file and may be a key in
// a mistaken one.
func shownName(name string) string {
	name, _ = secret.Mask(name)
	if runes := []rune(name); len(runes) > 120 {
		name = string(runes[:120]) + "…"
	}
	return name
}

// take takes a value over, if memoir's setting can have it.
func (m *mapper) take(name, setting string, value any) bool {
	called := m.called(name)
	if text, ok := value.(string); ok {
		if why := unfit(text); why != "" {
			m.leave(called, why)
			return false
		}
	}
	if n, ok := value.(float64); ok {
		switch {
		case math.IsNaN(n) || math.IsInf(n, 0):
			m.leave(called, "it is no number that can be written down")
			return false
		case n == math.Trunc(n) && math.Abs(n) < 1<<53:
			value = int64(n)
		}
	}
	if expected := m.valid(setting, value); expected != "" {
		m.leave(called, "memoir's "+setting+" takes "+expected)
		return false
	}
	m.Taken = append(m.Taken, TakenSetting{called, setting, value})
	return true
}

var variable = lazyregexp.New(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// unfit says why a text is not taken over. It returns "" for a text that is.
func unfit(text string) string {
	_, secrets := secret.Mask(text)
	switch {
	case len(secrets) > 0:
		return "it looks like a secret, which belongs into no file"
	case variable().MatchString(text):
		return "it is taken out of a variable; memoir has a variable for each of its settings, which memoir config --docs names"
	case len(text) > 500 || strings.ContainsFunc(text, unicode.IsControl):
		return "it is no name"
	}
	return ""
}

// providers are those of OpenClaw that memoir has, too.
var providers = map[string]string{
	"openai": "openai", "openai-compatible": "openai", "gemini": "gemini", "voyage": "voyage", "mistral": "mistral", "ollama": "ollama", "local": "local", "none": "none",
}

// keyVariables are where memoir finds keys by itself.
var keyVariables = map[string]string{"openai": "OPENAI_API_KEY", "gemini": "GEMINI_API_KEY", "voyage": "VOYAGE_API_KEY", "mistral": "MISTRAL_API_KEY"}

// provider takes who computes vectors, with model, address and key.
func (m *mapper) provider() {
	value, ok := m.done("provider")
	name, _ := value.(string)
	base, hasBase := m.done("remote.baseUrl")
	switch {
	case !ok:
	case name == "auto":
		m.leave(m.called("provider"), "memoir's auto is the model inside memoir, and with allowRemote = true who has a key")
	case name == "openai-compatible" && !hasBase:
		m.leave(m.called("provider"), "without remote.baseUrl nobody knows where it is; set provider = \"openai\" and openai.baseURL")
	case providers[name] == "":
		m.leave(m.called("provider"), "memoir has no such provider; one that speaks OpenAI's interface is provider = \"openai\" with openai.baseURL")
	case m.take("provider", "provider", providers[name]):
		m.to = providers[name]
	}
	remote := m.to != "" && m.to != "local" && m.to != "none"
	if model, ok := m.done("model"); ok {
		switch text, _ := model.(string); {
		case remote:
			m.take("model", m.to+".model", strings.TrimPrefix(text, "openai/"))
		case m.to == "local":
			m.leave(m.called("model"), "memoir's local models are other ones: memoir model list")
		default:
			m.leave(m.called("model"), "no provider was taken over that it could belong to")
		}
	}
	m.address(base, hasBase, remote)
	m.key(remote)
	for _, x := range []struct{ name, setting string }{{"outputDimensionality", "dimensions"}, {"remote.batch.enabled", "batch"}} {
		if value, ok := m.done(x.name); ok {
			if !remote || x.setting == "batch" && (m.to == "mistral" || m.to == "ollama") {
				m.leave(m.called(x.name), "the provider that memoir uses has nothing like it")
				continue
			}
			m.take(x.name, m.to+"."+x.setting, value)
		}
	}
}

// address takes the server's address, unless it holds a password or a key.
func (m *mapper) address(base any, there, remote bool) {
	const name = "remote.baseUrl"
	if !there {
		return
	}
	text, _ := base.(string)
	u, err := url.Parse(text)
	switch {
	case !remote:
		m.leave(m.called(name), "no provider was taken over that it could belong to")
	case err != nil || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		m.leave(m.called(name), "an address with more in it than a host and a path may hold a key; put it into MEMOIR_"+strings.ToUpper(m.to)+"_BASE_URL")
	default:
		m.take(name, m.to+".baseURL", text)
	}
}

// key says where the key of the server belongs. It never reads the key, only the
// name of the variable that holds it.
func (m *mapper) key(remote bool) {
	const name = "remote.apiKey"
	value, ok := m.done(name)
	if !ok {
		return
	}
	called := m.called(name)
	if !remote {
		m.leave(called, "no provider was taken over that it could belong to")
		return
	}
	own := "MEMOIR_" + strings.ToUpper(m.to) + "_API_KEY"
	if usual := keyVariables[m.to]; usual != "" {
		own = usual
	}
	from := ""
	switch x := value.(type) {
	case string:
		if found := variable().FindStringSubmatch(x); found != nil && found[0] == x {
			from = found[1]
		}
	case map[string]any: // a reference, as OpenClaw has them: {source: "env", id: "NAME"}
		if id, _ := x["id"].(string); x["source"] == "env" && variable().MatchString("${"+id+"}") {
			from = id
		}
	}
	switch from {
	case "":
		m.leave(called, "keys are copied into no file; put it into the variable "+own)
	case own:
		m.leave(called, "memoir finds the key in the variable "+own+" by itself")
	default:
		if masked, _ := secret.Mask(from); masked != from || len(from) > 100 {
			m.leave(called, "keys are copied into no file; put it into the variable "+own)
			return
		}
		m.Taken = append(m.Taken, TakenSetting{called, m.to + ".apiKey", "${" + from + "}"})
	}
}

// What OpenClaw cuts notes into when nobody says otherwise.
const openclawTokens, openclawOverlap = 400.0, 80.0

// chunks takes the sizes of chunks. It takes the preset openclaw too, so a size that
// is not set is OpenClaw's default.
func (m *mapper) chunks() {
	tokens, sized := m.done("chunking.tokens")
	overlap, lapped := m.done("chunking.overlap")
	switch {
	case sized:
		m.take("chunking.tokens", "chunking.preset", "openclaw")
	case lapped:
		m.take("chunking.overlap", "chunking.preset", "openclaw")
	}
	size := openclawTokens
	if sized && tokens != openclawTokens && m.take("chunking.tokens", "chunking.tokens", tokens) {
		size, _ = tokens.(float64) // it was taken
	}
	if !lapped || overlap == openclawOverlap && size == openclawTokens {
		return
	}
	if n, ok := overlap.(float64); ok {
		overlap = min(n, size-1) // as OpenClaw does
	}
	m.take("chunking.overlap", "chunking.overlap", overlap)
}

// sessions takes whether transcripts are searched.
func (m *mapper) sessions() {
	experimental, said := m.done("experimental.sessionMemory")
	value, ok := m.done("sources")
	list, _ := value.([]any) // what is no list names no source
	for _, x := range list {
		switch {
		case x == "memory":
		case x != "sessions":
			m.leave(m.called("sources"), "memoir searches notes and sessions alone")
		case said && experimental != true:
			m.leave(m.called("sources"), "OpenClaw searches no sessions while experimental.sessionMemory is not true")
		default:
			m.take("sources", "sessions.enabled", true)
			m.take("sources", "sessions.agents", []string{"openclaw"})
		}
	}
	if ok && value != nil && list == nil {
		m.leave(m.called("sources"), "it is no list")
	}
}

// same are settings that mean in memoir what they mean in OpenClaw.
var same = map[string]string{
	"sync.watch": "sync.watch", "sync.sessions.deltaBytes": "sessions.deltaBytes", "sync.sessions.deltaMessages": "sessions.deltaMessages",
	"query.maxResults": "query.maxResults", "query.hybrid.vectorWeight": "query.vectorWeight", "query.hybrid.textWeight": "query.textWeight",
	"query.hybrid.candidateMultiplier": "query.candidateMultiplier", "query.hybrid.mmr.enabled": "query.mmr.enabled", "query.hybrid.mmr.lambda": "query.mmr.lambda",
	"query.hybrid.temporalDecay.enabled": "query.temporalDecay.enabled", "query.hybrid.temporalDecay.halfLifeDays": "query.temporalDecay.halfLifeDays",
	"cache.maxEntries": "cache.maxEntries",
}

// without names the settings that memoir has no counterpart for, with the reason.
var without = map[string]string{
	"fallback":                          "words answer alone when the provider does not",
	"remote.headers":                    "headers may hold keys, and memoir sends none of one's own",
	"remote.batch.wait":                 "memoir index does not wait for a batch; a later one takes its vectors",
	"remote.batch.concurrency":          "memoir chooses it",
	"remote.batch.pollIntervalMs":       "memoir chooses it",
	"remote.batch.timeoutMinutes":       "a batch may take as long as the provider does",
	"inputType":                         "memoir says to each provider what is a question and what is a note",
	"queryInputType":                    "memoir says to each provider what is a question and what is a note",
	"documentInputType":                 "memoir says to each provider what is a question and what is a note",
	"local":                             "memoir runs no GGUF: serve it with llama-server and set provider = \"llamacpp\", or take one of memoir model list",
	"rememberAcrossConversations":       "notes are the user's in every session",
	"extraPaths":                        "notes are those of one folder; memoir import vault PATH brings others into it",
	"multimodal":                        "memoir reads text alone",
	"store.driver":                      "memoir has an index of its own, in stateDir",
	"store.path":                        "memoir has an index of its own, in stateDir",
	"store.vector":                      "memoir needs no extension for vectors",
	"store.fts.tokenizer":               "memoir cuts words of all scripts by itself",
	"sync.onSessionStart":               "a search takes in what has changed",
	"sync.watchDebounceMs":              "memoir chooses it",
	"sync.sessions.postCompactionForce": "the end of a session is always indexed",
	"query.minScore":                    "scores of memoir mean something else, so that the number would; memoir search --explain shows them",
	"cache.enabled":                     "vectors are always kept, as far as cache.maxEntries says",
	"$include":                          "what it includes is not read; openclaw config get agents.defaults.memorySearch, or memory.search, prints all of it",
}

// one takes a setting over, or says why not.
func (m *mapper) one(name string, value any) {
	switch {
	case value == nil:
		return // as if it were not there
	case same[name] != "":
		m.take(name, same[name], value)
		return
	case without[name] != "":
		m.leave(m.called(name), without[name])
		return
	}
	switch name {
	case "enabled":
		if value != true {
			m.leave(m.called(name), "memoir is asked by agents that are connected to it; memoir setup --undo openclaw ends that")
		}
	case "query.hybrid.enabled":
		if value == false {
			m.take(name, "query.mode", "vector") // which OpenClaw does then
		}
	case "sync.onSearch":
		if value == false {
			m.take(name, "query.syncBudget", "0s")
		}
	case "sync.intervalMinutes":
		if n, ok := value.(float64); ok && n > 0 && n < 1e6 {
			m.take(name, "sync.interval", fmt.Sprintf("%gm", n))
		} else if value != 0.0 {
			m.leave(m.called(name), "it is no number of minutes")
		}
	default:
		m.leave(m.called(name), "memoir knows no such setting of OpenClaw")
	}
}
