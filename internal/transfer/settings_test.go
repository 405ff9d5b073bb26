package transfer_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/transfer"
)

// anyValue takes every value, as a memoir without bounds would.
func anyValue(string, any) string { return "" }

// mapped reads settings and writes what came of them, a line each.
func mapped(t *testing.T, text string, valid func(string, any) string) string {
	t.Helper()
	got, err := transfer.OpenClawSettings([]byte(text), valid)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, x := range got.Taken {
		fmt.Fprintf(&b, "%s = %#v (%s)\n", x.Setting, x.Value, x.From)
	}
	for _, x := range got.Left {
		fmt.Fprintf(&b, "- %s: %s\n", x.From, x.Reason)
	}
	return b.String()
}

func TestOpenClawSettings(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"nothing", `{}`, ""},
		{"nothing of the memory", `{agents: {defaults: {workspace: "~/notes"}}, gateway: {port: 1}}`, ""},
		{"the old spelling, as people write it", `// my settings
{
  agents: { defaults: { memorySearch: {
    enabled: true, provider: 'gemini', model: "gemini-embedding-001",
    remote: { apiKey: "AIza-this-is-the-key-itself" },
    sync: { watch: true, watchDebounceMs: 1500 },
    query: { maxResults: 0x8, hybrid: { enabled: true, vectorWeight: .6, textWeight: .4, candidateMultiplier: 4,
      mmr: { enabled: true, lambda: 0.7 }, temporalDecay: { enabled: true, halfLifeDays: 30 } } },
    cache: { enabled: true, maxEntries: 50000, },
  } } },
}`, `provider = "gemini" (agents.defaults.memorySearch.provider)
gemini.model = "gemini-embedding-001" (agents.defaults.memorySearch.model)
cache.maxEntries = 50000 (agents.defaults.memorySearch.cache.maxEntries)
query.candidateMultiplier = 4 (agents.defaults.memorySearch.query.hybrid.candidateMultiplier)
query.mmr.enabled = true (agents.defaults.memorySearch.query.hybrid.mmr.enabled)
query.mmr.lambda = 0.7 (agents.defaults.memorySearch.query.hybrid.mmr.lambda)
query.temporalDecay.enabled = true (agents.defaults.memorySearch.query.hybrid.temporalDecay.enabled)
query.temporalDecay.halfLifeDays = 30 (agents.defaults.memorySearch.query.hybrid.temporalDecay.halfLifeDays)
query.textWeight = 0.4 (agents.defaults.memorySearch.query.hybrid.textWeight)
query.vectorWeight = 0.6 (agents.defaults.memorySearch.query.hybrid.vectorWeight)
query.maxResults = 8 (agents.defaults.memorySearch.query.maxResults)
sync.watch = true (agents.defaults.memorySearch.sync.watch)
- agents.defaults.memorySearch.remote.apiKey: keys are copied into no file; put it into the variable GEMINI_API_KEY
- agents.defaults.memorySearch.cache.enabled: vectors are always kept, as far as cache.maxEntries says
- agents.defaults.memorySearch.sync.watchDebounceMs: memoir chooses it
`},
		{"the new one counts over the old one", `{"agents":{"defaults":{"memorySearch":{"query":{"maxResults":3},"provider":"mistral"}}},"memory":{"search":{"query":{"maxResults":9,"minScore":0.5}}}}`,
			`provider = "mistral" (agents.defaults.memorySearch.provider)
query.maxResults = 9 (memory.search.query.maxResults)
- memory.search.query.minScore: scores of memoir mean something else, so that the number would; memoir search --explain shows them
`},
		{"a server of one's own", `{memory:{search:{provider:"openai-compatible",model:"openai/bge-m3",outputDimensionality:512,remote:{baseUrl:"http://127.0.0.1:8000/v1",headers:{"x-key":"abcdef"},apiKey:"${EMBED_KEY}",batch:{enabled:false,wait:true}}}}}`,
			`provider = "openai" (memory.search.provider)
openai.model = "bge-m3" (memory.search.model)
openai.baseURL = "http://127.0.0.1:8000/v1" (memory.search.remote.baseUrl)
openai.apiKey = "${EMBED_KEY}" (memory.search.remote.apiKey)
openai.dimensions = 512 (memory.search.outputDimensionality)
openai.batch = false (memory.search.remote.batch.enabled)
- memory.search.remote.batch.wait: memoir index does not wait for a batch; a later one takes its vectors
- memory.search.remote.headers: headers may hold keys, and memoir sends none of one's own
`},
		{"a key that memoir finds", `{memory:{search:{provider:"openai",remote:{apiKey:{source:"env",provider:"default",id:"OPENAI_API_KEY"}}}}}`,
			"provider = \"openai\" (memory.search.provider)\n- memory.search.remote.apiKey: memoir finds the key in the variable OPENAI_API_KEY by itself\n"},
		{"a key from elsewhere", `{memory:{search:{provider:"ollama",remote:{apiKey:{source:"exec",id:"pass show ollama"}}}}}`,
			"provider = \"ollama\" (memory.search.provider)\n- memory.search.remote.apiKey: keys are copied into no file; put it into the variable MEMOIR_OLLAMA_API_KEY\n"},
		{"addresses with more in them", `{memory:{search:{provider:"ollama",remote:{baseUrl:"https://ann:hunter2@example.com/"}}}}`,
			"provider = \"ollama\" (memory.search.provider)\n- memory.search.remote.baseUrl: an address with more in it than a host and a path may hold a key; put it into MEMOIR_OLLAMA_BASE_URL\n"},
		{"what comes out of variables", `{memory:{search:{provider:"ollama",model:"${MODEL}"}}}`,
			"provider = \"ollama\" (memory.search.provider)\n- memory.search.model: it is taken out of a variable; memoir has a variable for each of its settings, which memoir config --docs names\n"},
		{"local, and no provider that memoir has", `{agents:{defaults:{memorySearch:{provider:"local",fallback:"openai",local:{modelPath:"~/m.gguf"}}},list:[{id:"a"},{id:"b",memorySearch:{}}]}}`,
			`provider = "local" (agents.defaults.memorySearch.provider)
- agents.list[1].memorySearch: settings of one agent: write them into .memoir.toml in its workspace
- agents.defaults.memorySearch.fallback: words answer alone when the provider does not
- agents.defaults.memorySearch.local: memoir runs no GGUF: serve it with llama-server and set provider = "llamacpp", or take one of memoir model list
`},
		{"bedrock", `{memory:{search:{provider:"bedrock",model:"amazon.titan-embed-text-v2:0",remote:{batch:{enabled:true}}}}}`,
			`- memory.search.provider: memoir has no such provider; one that speaks OpenAI's interface is provider = "openai" with openai.baseURL
- memory.search.model: no provider was taken over that it could belong to
- memory.search.remote.batch.enabled: the provider that memoir uses has nothing like it
`},
		{"auto", `{memory:{search:{provider:"auto"}}}`, "- memory.search.provider: memoir's auto is the model inside memoir, and with allowRemote = true who has a key\n"},
		{"sizes of OpenClaw's own", `{memorySearch:{chunking:{tokens:400,overlap:80}}}`, "chunking.preset = \"openclaw\" (memorySearch.chunking.tokens)\n"},
		{"other sizes", `{memorySearch:{chunking:{tokens:200,overlap:500}}}`,
			"chunking.preset = \"openclaw\" (memorySearch.chunking.tokens)\nchunking.tokens = 200 (memorySearch.chunking.tokens)\nchunking.overlap = 199 (memorySearch.chunking.overlap)\n"},
		{"overlap alone", `{memorySearch:{chunking:{overlap:0}}}`, "chunking.preset = \"openclaw\" (memorySearch.chunking.overlap)\nchunking.overlap = 0 (memorySearch.chunking.overlap)\n"},
		{"sessions", `{memorySearch:{sources:["memory","sessions","wiki"],experimental:{sessionMemory:true},sync:{sessions:{deltaBytes:5,deltaMessages:6,postCompactionForce:true}}}}`,
			`sessions.enabled = true (memorySearch.sources)
sessions.agents = []string{"openclaw"} (memorySearch.sources)
sessions.deltaBytes = 5 (memorySearch.sync.sessions.deltaBytes)
sessions.deltaMessages = 6 (memorySearch.sync.sessions.deltaMessages)
- memorySearch.sources: memoir searches notes and sessions alone
- memorySearch.sync.sessions.postCompactionForce: the end of a session is always indexed
`},
		{"sessions that were not searched", `{memorySearch:{sources:["sessions"],experimental:{sessionMemory:false}}}`,
			"- memorySearch.sources: OpenClaw searches no sessions while experimental.sessionMemory is not true\n"},
		{"switches", `{memorySearch:{enabled:false,sync:{onSearch:false,intervalMinutes:5},query:{hybrid:{enabled:false}},store:{path:"x",vector:{enabled:false},fts:{tokenizer:"trigram"}},extraPaths:["~/docs"],multimodal:{enabled:true}}}`,
			`query.mode = "vector" (memorySearch.query.hybrid.enabled)
sync.interval = "5m" (memorySearch.sync.intervalMinutes)
query.syncBudget = "0s" (memorySearch.sync.onSearch)
- memorySearch.enabled: memoir is asked by agents that are connected to it; memoir setup --undo openclaw ends that
- memorySearch.extraPaths: notes are those of one folder; memoir import vault PATH brings others into it
- memorySearch.multimodal: memoir reads text alone
- memorySearch.store.fts.tokenizer: memoir cuts words of all scripts by itself
- memorySearch.store.path: memoir has an index of its own, in stateDir
- memorySearch.store.vector: memoir needs no extension for vectors
`},
		{"what stands beside", `{"$include":"./more.json5",memory:{backend:"qmd",qmd:{limits:{}},citations:"on",search:{surprise:[1],x:null}},agents:{entries:{"茶":{memory:{search:{}}}}}}`,
			`- $include: what it includes is not read; openclaw config get agents.defaults.memorySearch, or memory.search, prints all of it
- agents.entries.茶.memory.search: settings of one agent: write them into .memoir.toml in its workspace
- memory.backend: memoir has one index, and asks no program of others
- memory.qmd: memoir reranks by itself: memoir config --docs has rerank.provider
- memory.citations: memoir always says where a passage stands
- memory.search.surprise: memoir knows no such setting of OpenClaw
`},
		{"other things in the place of objects", `{memory:[1],memorySearch:"on",agents:{defaults:5,list:{},entries:[]}}`, "- memorySearch: it is no object\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, mapped(t, tt.text, anyValue)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestSettingsThatDoNotFit: what memoir cannot have is named with what it takes.
func TestSettingsThatDoNotFit(t *testing.T) {
	got := mapped(t, `{memorySearch:{query:{maxResults:100000}}}`, func(setting string, value any) string {
		if setting != "query.maxResults" || value != int64(100000) {
			t.Errorf("%s = %#v", setting, value)
		}
		return "a whole number"
	})
	if got != "- memorySearch.query.maxResults: memoir's query.maxResults takes a whole number\n" {
		t.Error(got)
	}
}

// TestHostileSettings: what is no file of settings is an error that tells nothing of it.
func TestHostileSettings(t *testing.T) {
	for name, text := range map[string]string{
		"nothing": "", "an array": "[]", "a word": "hello", "half": `{memory:{search:{remote:{apiKey:"sk-verysecretkey`,
		"not UTF-8": "{a:'\xff'}", "UTF-16": "\xff\xfe{\x00}\x00", "two": "{} {}", "deep": strings.Repeat("[", 2_000_000), "deep objects": strings.Repeat("{a:", 150_000),
		"huge": "{a:'" + strings.Repeat("x", transfer.MaxSettings) + "'}", "no number": "{a: .}", "a key where none belongs": "{apiKey: sk-verysecretkey}",
	} {
		got, err := transfer.OpenClawSettings([]byte(text), anyValue)
		if !errors.Is(err, memoir.ErrInvalid) || memoir.Hint(err) == "" || strings.Contains(err.Error(), "sk-very") || len(got.Taken)+len(got.Left) > 0 {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if got := mapped(t, "\ufeff{memorySearch:{enabled:true}}", anyValue); got != "" {
		t.Error(got)
	}
	many := "{memorySearch:{" + strings.Repeat("x", 5000) + ":1,"
	for i := range 5000 {
		many += fmt.Sprintf("k%d:1,", i)
	}
	got, err := transfer.OpenClawSettings([]byte(many+"}}"), anyValue)
	if err != nil || len(got.Left) > 200 || len(got.Left[len(got.Left)-1].From) > 500 {
		t.Errorf("%d, %v", len(got.Left), err)
	}
}

// secretText is what must be found nowhere.
const secretText = "sk-proj-Q7xV2mN9pL4kR8tY3wZ6bC1d"

func FuzzOpenClawSettings(f *testing.F) {
	f.Add([]byte(`{agents:{defaults:{memorySearch:{provider:"openai",remote:{apiKey:"` + secretText + `",headers:{a:"` + secretText + `"},baseUrl:"https://u:` + secretText + `@x/"}}}}}`))
	f.Add([]byte(`{memory:{search:{provider:"ollama",model:"` + secretText + `",chunking:{tokens:Infinity,overlap:-0x1F},sources:[1,"sessions"]}}}`))
	f.Add([]byte("\ufeff// c\n{memorySearch:{/* c */sync:{intervalMinutes:+.5e3,},'x':\"a\\\nb\"}}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := transfer.OpenClawSettings(data, anyValue)
		if err != nil && len(got.Taken)+len(got.Left) > 0 {
			t.Errorf("settings beside %v", err)
		}
		seen := map[string]bool{}
		for _, x := range got.Taken {
			if seen[x.Setting] {
				t.Errorf("%s twice", x.Setting)
			}
			seen[x.Setting] = true
			switch v := x.Value.(type) {
			case bool, int64, []string:
			case float64:
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Errorf("%s is %v", x.Setting, v)
				}
			case string:
				if strings.Contains(v, secretText) {
					t.Errorf("%s holds the key", x.Setting)
				}
			default:
				t.Errorf("%s is %T", x.Setting, v)
			}
		}
		for _, x := range got.Left {
			if x.Reason == "" || strings.Contains(x.Reason, secretText) {
				t.Errorf("%s: %q", x.From, x.Reason)
			}
		}
	})
}
