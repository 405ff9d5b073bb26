package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/bench/internal/measure"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/internal/notegen"
)

// A tool searches a folder of Markdown from the command line, without a key.
type tool struct {
	name    string
	binary  string   // on PATH
	notes   string   // where the notes are to be, below its home
	env     []string // beside those of [newProgram]
	version []string
	prepare func(notes string) []string    // once, before it is measured; nil: nothing
	index   func(notes string) []string    // from nothing
	again   func(notes string) []string    // when it may have changed
	search  func(question string) []string // nil: its server is asked
	// serve starts its server of MCP over standard streams, whose tool ask is called
	// with a member query; nil: it has none.
	serve []string
	ask   string
}

// tools are those whose documentation tells these commands. What each searches
// by when nothing is set up is what is measured. One that asks a server for
// vectors and cannot do without gets those of standIn.
func tools(standIn string) []tool {
	vectors := []string{"--provider", "openai", "--model", "hashing", "--base-url", standIn, "--api-key", "none"}
	same := func(args ...string) func(string) []string { return func(string) []string { return args } }
	memsearch := func(notes string) []string { return append([]string{"index", notes}, vectors...) }
	ingest := func(notes string) []string { return []string{"ingest-directory", notes, "--max-files", "100000"} }
	return []tool{
		{name: "qmd search", binary: "qmd", notes: "notes", version: []string{"--version"},
			index:  func(notes string) []string { return []string{"collection", "add", notes, "--name", "notes"} },
			again:  same("update"),
			search: func(q string) []string { return []string{"search", q, "-n", "10", "--json"} },
		},
		// Its vectors need a Python that loads extensions of SQLite.
		{name: "basic-memory, words only", binary: "basic-memory", notes: "notes", version: []string{"--version"}, env: []string{"BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED=false"},
			prepare: func(notes string) []string { return []string{"project", "add", "notes", notes, "--local"} },
			index:   same("reindex", "--search"), again: same("reindex", "--search"),
			search: func(q string) []string {
				return []string{"tool", "search-notes", q, "--project", "notes", "--page-size", "10", "--json"}
			},
			serve: []string{"mcp", "--project", "notes"}, ask: "search_notes"},
		{name: "memsearch, vectors of a stand-in", binary: "memsearch", notes: "notes", version: []string{"--version"}, index: memsearch, again: memsearch,
			search: func(q string) []string { return append([]string{"search", q, "-k", "10", "-j"}, vectors...) }},
		{name: "mcp-memory-service, vectors of a stand-in", binary: "memory", notes: "notes", version: []string{"--version"},
			env:   []string{"MCP_EXTERNAL_EMBEDDING_URL=" + standIn + "/embeddings", "MCP_EXTERNAL_EMBEDDING_MODEL=hashing"},
			index: ingest, again: ingest, serve: []string{"server"}, ask: "memory_search"},
		{name: "openclaw memory", binary: "openclaw", notes: filepath.Join(".openclaw", "workspace"), version: []string{"--version"},
			index: same("memory", "index"), again: same("memory", "index"),
			search: func(q string) []string { return []string{"memory", "search", q, "--max-results", "10", "--json"} }},
	}
}

// askedOfEach is how many facts of each kind a tool is asked for.
const askedOfEach = 10

// inOtherWords are questions about examples/notes that share few words with the
// note that answers them, or none.
var inOtherWords = []struct{ question, note string }{
	{"when are taxi expenses reimbursed?", "work-trips.md"},
	{"which colleague has a food allergy?", "team.md"},
	{"how long do we keep database backups?", "lantern.md"},
	{"why could customers not pay?", "2026-03-09.md"},
	{"what is the new lamp case made of?", "2026-03-20.md"},
	{"怎样省电费？", "家里.md"},
	{"孩子发烧吃了什么药？", "2026-03-05.md"},
	{"客人喝什么饮料？", "2026-03-14.md"},
	{"外婆哪天来？", "2026-04-08.md"},
	{"首页加载是怎么变快的？", "小程序.md"},
}

// others runs memoir and the tools that are installed over the same files.
func (b *bench) others(ctx context.Context) error {
	t := table{
		Title: "Others: tools over the same files",
		About: fmt.Sprintf("%d notes with planted facts, and the %d of examples/notes; each tool has a home and a copy of the notes of its own, and no settings. Searches are processes, medians; "+
			"warm is the same question again and again to its server of MCP, median. Found are facts whose file is among the first ten: asked by their own words, an identifier, a phrase of eight words, a clause in Chinese; "+
			"and questions about the example notes in other words, half of them Chinese. Processor time says more than the clock where other programs run.", b.days[0], exampleNotes),
		Columns: []string{"tool", "version", "index, s", "CPU s", "peak MB", "on disk, MB", "nothing changed, CPU s", "one changed, CPU s", "search, ms", "search, CPU ms", "search, peak MB", "warm, ms",
			"found: id", "phrase", "Chinese", "in other words"},
	}
	dir, err := os.MkdirTemp(b.temp, "others-")
	if err != nil {
		return err
	}
	standIn, stop, err := hashing(ctx)
	if err != nil {
		return err
	}
	defer stop()
	for _, own := range []struct {
		name string
		env  []string
	}{{"memoir, words only", []string{"MEMOIR_PROVIDER=none"}}, {"memoir", nil}} {
		home := filepath.Join(dir, own.name)
		p, err := b.memoir(ctx, home, filepath.Join(home, "notes"), own.env...)
		if err != nil {
			return err
		}
		index := func(string) []string { return []string{"index"} }
		row, err := b.try(ctx, tool{name: own.name, binary: p.binary, notes: "notes", version: []string{"version"}, index: index, again: index,
			search: func(q string) []string { return []string{"search", "-n", "10", "--json", q} }, serve: []string{"mcp"}, ask: "memory_search"}, p, home)
		if err != nil {
			return err
		}
		t.Rows = append(t.Rows, row)
	}
	for _, other := range tools(standIn) {
		row, err := b.other(ctx, other, filepath.Join(dir, other.binary))
		if ctx.Err() != nil {
			b.report.add(b.out, t) // what was measured before
			return ctx.Err()
		}
		if err != nil {
			row = []string{other.name, shorten(err.Error())}
		}
		for len(row) < len(t.Columns) {
			row = append(row, "–")
		}
		t.Rows = append(t.Rows, row)
	}
	b.report.add(b.out, t)
	return nil
}

// other measures a tool that may not be installed.
func (b *bench) other(ctx context.Context, t tool, home string) ([]string, error) {
	binary, err := exec.LookPath(t.binary)
	if err != nil {
		return []string{t.name, "not installed"}, nil
	}
	return b.try(ctx, t, newProgram(binary, home, t.env...), home)
}

// hashing serves vectors in the form of OpenAI that hash words and pairs of
// ideographs: what they find says nothing of a model. It returns its address.
func hashing(ctx context.Context) (address string, stop func(), err error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	embedder := &embedtest.Embedder{Dimensions: 384}
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Input any }
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		inputs, several := asked.Input.([]any)
		if !several {
			inputs = []any{asked.Input}
		}
		texts := make([]string, len(inputs))
		for i, x := range inputs {
			texts[i] = fmt.Sprint(x)
		}
		vectors, err := embedder.Embed(r.Context(), memoir.TaskDocument, texts)
		if err != nil {
			return // the client is gone
		}
		type one struct {
			Object    string    `json:"object"`
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		}
		data := make([]one, len(vectors))
		for i, v := range vectors {
			data[i] = one{"embedding", i, v}
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "model": "hashing", "data": data, "usage": map[string]int{"prompt_tokens": 1, "total_tokens": 1}})
	})}
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(listener) }()
	return "http://" + listener.Addr().String() + "/v1", func() { _ = server.Close(); <-done }, nil
}

// shorten returns the first words of a complaint.
func shorten(s string) string {
	r := []rune(strings.Join(strings.Fields(s), " "))
	if len(r) > 100 {
		r = append(r[:100], '…')
	}
	return string(r)
}

// try measures a tool on a copy of the notes in its home.
func (b *bench) try(ctx context.Context, t tool, p program, home string) ([]string, error) {
	notes := filepath.Join(home, t.notes)
	facts, err := notegen.Write(notes, b.year(b.days[0]))
	if err != nil {
		return nil, err
	}
	if err := copyExamples(notes); err != nil {
		return nil, err
	}
	version, err := p.run(ctx, t.version...)
	if err != nil {
		return nil, err
	}
	line, _, _ := strings.Cut(strings.TrimSpace(version.Output), "\n")
	if t.prepare != nil {
		if _, err := p.run(ctx, t.prepare(notes)...); err != nil {
			return nil, err
		}
	}
	indexed, err := p.index(ctx, t, home, filepath.Join(notes, filepath.FromSlash(facts[0].Path)))
	if err != nil {
		return nil, err
	}
	b.progress("others: %s has indexed %d notes", t.name, b.days[0])
	questions := chosen(facts)
	answers, asked, err := b.ask(ctx, t, p, questions)
	if err != nil {
		return nil, err
	}
	row := slices.Concat([]string{t.name, shorten(line)}, indexed, asked)
	for _, kind := range []notegen.FactKind{notegen.FactID, notegen.FactPhrase, notegen.FactChinese, otherWords} {
		found, all := 0, 0
		for i, q := range questions {
			if q.kind != kind {
				continue
			}
			all++
			if says(answers[i], q.note) {
				found++
			}
		}
		row = append(row, fmt.Sprintf("%d/%d", found, all))
	}
	return row, nil
}

// index has a tool index its notes, and again without a change and with a line more in
// one note. It returns cells: seconds by the clock and of the processor, memory and disk of
// the first, and seconds of the processor of the others.
func (p program) index(ctx context.Context, t tool, home, note string) ([]string, error) {
	notes := filepath.Join(home, t.notes)
	before, err := sizeOf(home)
	if err != nil {
		return nil, err
	}
	full, err := p.run(ctx, t.index(notes)...)
	if err != nil {
		return nil, err
	}
	after, err := sizeOf(home)
	if err != nil {
		return nil, err
	}
	again, err := p.run(ctx, t.again(notes)...)
	if err != nil && again.Failed == "" {
		return nil, err
	}
	if err := appendLine(note, 1); err != nil {
		return nil, err
	}
	changed, err := p.run(ctx, t.again(notes)...)
	if err != nil && changed.Failed == "" {
		return nil, err
	}
	return []string{digits(full.WallMilliseconds / 1000), digits(full.CPUMilliseconds / 1000), megabytes(full.PeakBytes), megabytes(after - before), seconds(again), seconds(changed)}, nil
}

// ask asks a tool, by processes and by its server if it has both. It returns an answer to
// each question, and cells: milliseconds of a process by the clock and of the processor, its
// memory, and milliseconds of the server.
func (b *bench) ask(ctx context.Context, t tool, p program, questions []question) (answers, cells []string, err error) {
	var searches runs
	var asked []string
	for _, q := range questions {
		asked = append(asked, q.text)
		if t.search == nil {
			continue
		}
		run, err := p.run(ctx, t.search(q.text)...)
		if err != nil {
			return nil, nil, err
		}
		answers, searches = append(answers, run.Output), append(searches, run)
	}
	cells = []string{"–", "–", "–", "–"}
	if t.search != nil {
		cells[0], cells[1], cells[2] = digits(measure.Median(searches.wall())), digits(measure.Median(searches.cpu())), megabytes(searches.peak())
	}
	if t.serve == nil {
		return answers, cells, nil
	}
	told, times, err := p.converse(ctx, t.serve, t.ask, asked)
	switch {
	case err == nil:
		cells[3] = digits(measure.Median(times[1:])) // the first opens what the others have open
	case t.search == nil || ctx.Err() != nil:
		return nil, nil, err
	default:
		b.progress("others: %s: %v", t.name, err)
		cells[3] = "fails"
	}
	if t.search == nil {
		answers = told
	}
	return answers, cells, nil
}

// seconds is the processor time of a run, which may have failed.
func seconds(run measure.Run) string {
	if run.Failed != "" {
		return "fails"
	}
	return digits(run.CPUMilliseconds / 1000)
}

// A question is asked of every tool.
type question struct {
	kind       notegen.FactKind
	text, note string // the note is the name of the file that answers it
}

// otherWords are the questions of inOtherWords.
const otherWords notegen.FactKind = "in other words"

// chosen returns the questions: facts of days that are spread over all, and
// inOtherWords.
func chosen(facts []notegen.Fact) (questions []question) {
	asked := map[notegen.FactKind]int{}
	step := max(len(facts)/3/askedOfEach, 1)
	for i, f := range facts {
		if i/3%step != 0 || asked[f.Kind] == askedOfEach {
			continue
		}
		asked[f.Kind]++
		questions = append(questions, question{f.Kind, f.Text, path.Base(f.Path)})
	}
	for _, x := range inOtherWords {
		questions = append(questions, question{otherWords, x.question, x.note})
	}
	return questions
}

// says reports whether an answer names a note, as it is or as JSON may escape it.
func says(answer, note string) bool {
	escaped := strings.Trim(strconv.QuoteToASCII(note), `"`)
	return strings.Contains(answer, note) || strings.Contains(answer, escaped) || strings.Contains(answer, url.PathEscape(note))
}

// exampleNotes is how many there are in examples/notes.
const exampleNotes = 14

// copyExamples copies examples/notes of this repository beside the other notes.
func copyExamples(notes string) error {
	_, file, _, ok := runtime.Caller(0)
	if !ok {
		return errors.New("the folder of this program is not known")
	}
	examples := os.DirFS(filepath.Join(filepath.Dir(file), "..", "..", "examples", "notes"))
	return fs.WalkDir(examples, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(examples, name)
		if err != nil {
			return err
		}
		to := filepath.Join(notes, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), fs.ModePerm); err != nil {
			return err
		}
		return os.WriteFile(to, data, 0o666)
	})
}

// sizeOf returns how many bytes the files below a folder have.
func sizeOf(dir string) (bytes int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			bytes += info.Size()
		}
		return err
	})
	return bytes, err
}

// converse asks the tool of a server of MCP, and returns the answers and how many
// milliseconds each took.
func (p program) converse(ctx context.Context, serve []string, tool string, questions []string) (told []string, times []float64, err error) {
	cmd := exec.CommandContext(ctx, p.binary, serve...)
	cmd.Env = p.env
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	defer func() {
		in.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	s := mcpServer{json.NewEncoder(in), json.NewDecoder(out)}
	if _, err := s.call(0, "initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": struct{}{}, "clientInfo": map[string]string{"name": "bench", "version": "1"}}); err != nil {
		return nil, nil, err
	}
	if err := s.in.Encode(map[string]string{"jsonrpc": "2.0", "method": "notifications/initialized"}); err != nil {
		return nil, nil, err
	}
	for i, q := range questions {
		start := time.Now()
		answer, err := s.call(i+1, "tools/call", map[string]any{"name": tool, "arguments": map[string]string{"query": q}})
		if err != nil {
			return nil, nil, err
		}
		told, times = append(told, answer), append(times, measure.Milliseconds(time.Since(start)))
	}
	return told, times, nil
}

// mcpServer is a server of MCP behind pipes.
type mcpServer struct {
	in  *json.Encoder
	out *json.Decoder
}

// call sends a request and returns its result. A tool that fails is an error.
func (s mcpServer) call(id int, method string, params any) (string, error) {
	if err := s.in.Encode(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params}); err != nil {
		return "", err
	}
	for {
		var answer struct {
			ID     any
			Error  *struct{ Message string }
			Result json.RawMessage
		}
		if err := s.out.Decode(&answer); err != nil {
			return "", fmt.Errorf("%s over MCP: %w", method, err)
		}
		if answer.ID != float64(id) {
			continue // a notification, or a request that nobody has to answer
		}
		if answer.Error != nil {
			return "", fmt.Errorf("%s over MCP: %s", method, answer.Error.Message)
		}
		if strings.Contains(string(answer.Result), `"isError":true`) {
			return "", fmt.Errorf("%s over MCP: %s", method, answer.Result)
		}
		return string(answer.Result), nil
	}
}
