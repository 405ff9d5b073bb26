package cli_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// newer is a change of the settings while a process lives on that has read the older ones.
type newer struct {
	name          string
	before, after string // the settings
	finds         string // what the index finds for the word saffron by the newer settings, "" for nothing
	names         string // the setting that is told of
}

func collectionOf(name, folder string) string {
	return fmt.Sprintf("[[collections]]\nname = %q\npath = \"../%s\"\n", name, folder)
}

func newerSettings() []newer {
	return []newer{
		{"a collection is added", "", collectionOf("vault", "vault"), "collections/vault/soup.md", "collections"},
		{"a collection is removed", collectionOf("vault", "vault"), "", "", "collections"},
		{"a collection is renamed", collectionOf("vault", "vault"), collectionOf("kitchen", "vault"), "collections/kitchen/soup.md", "collections"},
		{"a collection has another folder", collectionOf("vault", "vault"), collectionOf("vault", "cellar"), "collections/vault/wine.md", "collections"},
		{"notes are left out", "", "exclude = [\"drafts/\"]\n", "", "exclude"},
		{"notes are cut otherwise", "exclude = [\"drafts/\"]\n" + collectionOf("vault", "vault"), "exclude = [\"drafts/\"]\nchunking.tokens = 64\n" + collectionOf("vault", "vault"), "collections/vault/soup.md", "chunking.tokens"},
	}
}

// kitchen is a workspace with folders beside it.
func kitchen(t *testing.T) *desk {
	d := shortDesk(t, map[string]string{"MEMORY.md": "# Memory\n\nThe ferry leaves at noon.\n", "drafts/dish.md": "Fennel goes well with it.\n"})
	for path, text := range map[string]string{"../vault/soup.md": "The soup needs saffron.\n", "../cellar/wine.md": "No wine goes with saffron.\n"} {
		d.write(path, text)
	}
	return d
}

// set writes the settings of the user.
func (d *desk) set(text string) {
	d.Helper()
	d.write("../settings/config.toml", text)
}

// configured is the environment with those settings.
func (d *desk) configured(more ...string) []string {
	return append([]string{"MEMOIR_CONFIG=" + filepath.Join(d.dir, "settings", "config.toml"), "MEMOIR_QUERY_SYNC_BUDGET=" + patience}, more...)
}

// says runs a command with those settings and returns all that it says.
func (d *desk) says(more []string, args ...string) string {
	d.Helper()
	out, err := d.command(d.configured(more...), args...).CombinedOutput()
	if err != nil && args[0] != "doctor" {
		d.Fatalf("memoir %v: %v %s", args, err, out)
	}
	return string(out)
}

// TestNewerSettingsServe: a memoir serve that has read older settings takes nothing out of
// the index that the newer ones want there, and nothing in, and a person is told of it.
func TestNewerSettingsServe(t *testing.T) {
	for _, tt := range newerSettings() {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := kitchen(t)
			d.set(tt.before)
			s := d.serving(d.command(d.configured(), "serve", "--addr", "127.0.0.1:0"))
			ask := func() string {
				t.Helper()
				code, body := s.ask("POST", "/v1/search", `{"query":"ferry","mode":"text"}`)
				if code != 200 || !strings.Contains(body, "MEMORY.md") {
					t.Fatalf("%d %s", code, body)
				}
				return body
			}
			if got := ask(); strings.Contains(got, "older settings") {
				t.Error(got)
			}
			d.set(tt.after)
			d.says(nil, "index")
			d.write("memory/later.md", "# Later\n\nThe kettle whistles.\n") // the server has to look
			got := ask()
			if !strings.Contains(got, "older settings") || !strings.Contains(got, tt.names) {
				t.Errorf("the answer does not tell of %s: %s", tt.names, got)
			}
			d.remove("memory/later.md")
			ask()
			if got := d.says(nil, "index"); !strings.Contains(got, "0 added, 0 changed, 0 removed") {
				t.Errorf("the server has changed the index: %s", got)
			}
			for _, command := range []string{"status", "doctor"} {
				if got := d.says(nil, command); !strings.Contains(got, fmt.Sprintf("process %d on ", s.cmd.Process.Pid)) || !strings.Contains(got, "older settings") {
					t.Errorf("memoir %s does not name the process: %s", command, got)
				}
			}
			// Whoever goes back to the older settings is told of nothing.
			d.set(tt.before)
			if got := ask(); strings.Contains(got, "older settings") {
				t.Error(got)
			}
			if got := d.says(nil, "status"); strings.Contains(got, "older settings") {
				t.Error(got)
			}
		})
	}
}

// TestNewerSettingsMCP: a memoir mcp takes newer settings up by itself.
func TestNewerSettingsMCP(t *testing.T) {
	for _, tt := range newerSettings() {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := kitchen(t)
			d.set(tt.before)
			x := d.talk(d.configured())
			find := func(word, want string) {
				t.Helper()
				got := x.ask(toolCall("memory_search", fmt.Sprintf(`{"query":%q,"mode":"text"}`, word)))
				if strings.Contains(got, "older settings") || strings.Contains(got, `"isError":true`) || want == "" && strings.Contains(got, ".md") || !strings.Contains(got, want) {
					t.Errorf("%s: want %q, got %s", word, want, got)
				}
			}
			find("ferry", "MEMORY.md")
			d.set(tt.after)
			find("ferry", "MEMORY.md")
			d.write("memory/later.md", "# Later\n\nThe kettle whistles.\n")
			find("kettle", "memory/later.md")
			d.remove("memory/later.md")
			find("saffron", tt.finds)
			if got := d.says(nil, "index"); !strings.Contains(got, "0 added, 0 changed, 0 removed") {
				t.Errorf("the index is not as the settings want it: %s", got)
			}
			if tt.finds != "" {
				if got := x.ask(toolCall("memory_get", fmt.Sprintf(`{"path":%q}`, tt.finds))); !strings.Contains(got, "saffron") {
					t.Errorf("it cannot show %s: %s", tt.finds, got)
				}
			}
		})
	}
}

// TestNewerSettingsAtOnce: settings that change while many calls are under way fail none.
func TestNewerSettingsAtOnce(t *testing.T) {
	d := kitchen(t)
	d.set("")
	x := d.talk(d.configured())
	const rounds, together = 6, 8
	added := 0
	for i := range rounds {
		d.set([]string{collectionOf("vault", "vault"), ""}[i%2])
		for n := range together {
			x.send(toolCall("memory_search", `{"query":"ferry","mode":"text"}`))
			x.send(toolCall("memory_remember", fmt.Sprintf(`{"text":"The ship %c%c leaves from the pier","type":"project"}`, 'A'+i, 'a'+n)))
		}
		for range 2 * together {
			got := x.hear()
			added += strings.Count(got, `"outcome":"added"`)
			if strings.Contains(got, `"isError":true`) || strings.Contains(got, `"error"`) {
				t.Error(got)
			}
		}
	}
	notes, err := os.ReadFile(filepath.Join(d.dir, "notes", "memory", "projects.md"))
	if got := strings.Count(string(notes), "leaves from the pier"); err != nil || got != added || added < rounds {
		t.Errorf("%d of %d are kept, %v", got, added, err)
	}
	d.set("")
	if got := x.ask(toolCall("memory_search", `{"query":"saffron","mode":"text"}`)); strings.Contains(got, "collections/") || strings.Contains(got, "older settings") {
		t.Error(got)
	}
}

// TestNewerSettingsBroken: settings that have changed, and then cannot be read, leave open
// what is open.
func TestNewerSettingsBroken(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			t.Error(err)
		}
		if slices.Contains(asked.Input, "harbour") {
			arrived <- struct{}{}
			<-release
		}
		var vectors []string
		for i := range asked.Input {
			vectors = append(vectors, fmt.Sprintf(`{"index":%d,"embedding":[1,0]}`, i))
		}
		fmt.Fprintf(w, `{"data":[%s]}`, strings.Join(vectors, ","))
	}))
	defer server.Close()
	d := kitchen(t)
	d.name = "memoir-real"
	d.set("")
	provider := []string{"MEMOIR_PROVIDER=openai", "MEMOIR_OPENAI_API_KEY=k", "MEMOIR_OPENAI_BASE_URL=" + server.URL, "MEMOIR_OPENAI_DIMENSIONS=2"}
	d.says(provider, "index") // without vectors no search asks for one
	x := d.talk(d.configured(provider...))
	search := func(query string) string {
		t.Helper()
		return x.ask(toolCall("memory_search", query))
	}
	if got := search(`{"query":"ferry","mode":"text"}`); !strings.Contains(got, "MEMORY.md") {
		t.Fatal(got)
	}
	x.send(toolCall("memory_search", `{"query":"harbour","mode":"vector"}`))
	<-arrived // as long as it waits nothing is closed
	d.set(collectionOf("vault", "vault"))
	if got := search(`{"query":"ferry","mode":"text"}`); !strings.Contains(got, "older settings") {
		t.Errorf("it does not know of newer settings: %s", got)
	}
	d.set("[[collections")
	close(release)
	x.hear()
	if got := search(`{"query":"ferry","mode":"text"}`); !strings.Contains(got, "MEMORY.md") || strings.Contains(got, `"isError":true`) {
		t.Errorf("with settings that cannot be read: %s", got)
	}
	d.set(collectionOf("vault", "vault"))
	if got := search(`{"query":"saffron","mode":"text"}`); !strings.Contains(got, "collections/vault/soup.md") || strings.Contains(got, "older settings") {
		t.Errorf("with settings that were mended: %s", got)
	}
}

func (d *desk) remove(name string) {
	d.Helper()
	if err := os.Remove(filepath.Join(d.dir, "notes", filepath.FromSlash(name))); err != nil {
		d.Fatal(err)
	}
}

// TestCollectionGone: an answer that has notes of a folder which is gone says so, over HTTP,
// MCP and on the command line, until the folder is back.
func TestCollectionGone(t *testing.T) {
	d := kitchen(t)
	d.set(collectionOf("vault", "vault") + collectionOf("cellar", "cellar"))
	d.says(nil, "index", "--text-only")
	s := d.serving(d.command(d.configured(), "serve", "--addr", "127.0.0.1:0"))
	x := d.talk(d.configured("MEMOIR_SERVE_JOIN=false"))
	const told = "1 note in the index cannot be looked at now"
	asks := func(want bool) {
		t.Helper()
		for range 2 { // the second look may be spared
			_, body := s.ask("POST", "/v1/search", `{"query":"saffron","mode":"text"}`)
			answers := map[string]string{"HTTP": body, "MCP": x.ask(toolCall("memory_search", `{"query":"saffron","mode":"text"}`)), "search": d.says(nil, "search", "saffron", "--mode", "text"), "status": d.says(nil, "status")}
			for way, got := range answers {
				if way != "status" && !strings.Contains(got, "soup.md") {
					t.Errorf("%s does not find the note: %s", way, got)
				}
				if strings.Contains(got, told) != want || want && (!strings.Contains(got, "vault is not there") || !strings.Contains(got, "bring the folder back")) {
					t.Errorf("%s, gone %v: %s", way, want, got)
				}
			}
		}
	}
	asks(false)
	vault := filepath.Join(d.dir, "vault")
	if err := os.Rename(vault, vault+" away"); err != nil {
		t.Fatal(err)
	}
	asks(true)
	if err := os.Rename(vault+" away", vault); err != nil {
		t.Fatal(err)
	}
	asks(false)
}

// TestNotesMoved: where the folder of notes was and is gone, nobody is told to make an empty
// one: it is brought back, or its new place named. Once it is back all is as before.
func TestNotesMoved(t *testing.T) {
	d := kitchen(t)
	d.set("")
	d.says(nil, "index", "--text-only")
	s := d.serving(d.command(d.configured(), "serve", "--addr", "127.0.0.1:0"))
	x := d.talk(d.configured("MEMOIR_SERVE_JOIN=false"), "--memory-tool")
	if got := x.ask(toolCall("memory_search", `{"query":"ferry","mode":"text"}`)); !strings.Contains(got, "MEMORY.md") {
		t.Fatal(got)
	}
	notes := filepath.Join(d.dir, "notes")
	if err := os.Rename(notes, notes+" away"); err != nil {
		t.Fatal(err)
	}
	const told = "bring the folder back or mount its disk"
	said := map[string]string{
		"the tool memory": x.ask(toolCall("memory", `{"command":"create","path":"/memories/a.md","file_text":"alpha\n"}`)),
		"memory_get":      x.ask(toolCall("memory_get", `{"path":"MEMORY.md"}`)),
		"memory_remember": x.ask(toolCall("memory_remember", `{"text":"We chose Postgres, because its backups can be tested."}`)),
		"memory_search":   x.ask(toolCall("memory_search", `{"query":"ferry","mode":"text"}`)),
	}
	for _, asked := range [][3]string{{"GET", "/v1/notes/MEMORY.md"}, {"POST", "/v1/remember", `{"text":"We chose Postgres, because its backups can be tested."}`}, {"POST", "/v1/search", `{"query":"ferry","mode":"text"}`}} {
		_, said[asked[1]] = s.ask(asked[0], asked[1], asked[2])
	}
	for _, args := range [][]string{{"search", "ferry"}, {"index"}, {"remember", "We chose Postgres, because its backups can be tested."}, {"doctor"}} {
		out, _ := d.command(d.configured(), args...).CombinedOutput()
		said["memoir "+args[0]] = string(out)
	}
	for who, got := range said {
		if !strings.Contains(got, told) {
			t.Errorf("%s: %s", who, got)
		}
	}
	if _, err := os.Stat(notes); err == nil {
		t.Error("the folder was made anew")
	}
	if err := os.Rename(notes+" away", notes); err != nil {
		t.Fatal(err)
	}
	if got := x.ask(toolCall("memory_search", `{"query":"ferry","mode":"text"}`)); !strings.Contains(got, "MEMORY.md") || strings.Contains(got, "bring") {
		t.Error(got)
	}
}
