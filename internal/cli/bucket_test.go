package cli_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/memoir-ai/memoir/internal/objects/s3test"
	"github.com/memoir-ai/memoir/internal/wire"
)

// inBucket returns a machine whose notes are in the bucket of a server.
func inBucket(t *testing.T, s *s3test.Server) *desk {
	t.Helper()
	t.Setenv("AWS_ENDPOINT_URL", s.URL)
	t.Setenv("AWS_ACCESS_KEY_ID", s3test.Key)
	t.Setenv("AWS_SECRET_ACCESS_KEY", s3test.Secret)
	t.Setenv("MEMOIR_BUCKET_FRESH", "0s")
	t.Setenv("MEMOIR_PROVIDER", "none")
	t.Setenv("MEMOIR_QUERY_SYNC_BUDGET", patience)
	d := newDesk(t, nil)
	d.place = "s3://" + s3test.Bucket + "/team"
	return d
}

// What one machine writes the other finds, reads and takes back; the notes are objects
// that anybody can read.
func TestBucket(t *testing.T) {
	s := s3test.New(t)
	s.Set("team/日记.md", "# 日记\n\n- 数据库用 Postgres\n")
	one, other := inBucket(t, s), inBucket(t, s)
	want := func(d *desk, text string, args ...string) {
		t.Helper()
		if out := d.output(args...); !strings.Contains(out, text) {
			t.Errorf("memoir %s: want %q in\n%s", strings.Join(args, " "), text, out)
		}
	}
	nothing := func(d *desk, args ...string) {
		t.Helper()
		if out := d.output(args...); out != "" {
			t.Errorf("memoir %s:\n%s", strings.Join(args, " "), out)
		}
	}
	want(one, "1 added", "index")
	want(one, "日记.md#L", "search", "Postgres")
	want(one, "memory/preferences.md", "remember", "I take my tea without milk")
	if text, ok := s.Text("team/memory/preferences.md"); !ok || !strings.Contains(text, "I take my tea without milk") {
		t.Errorf("the bucket has %q", text)
	}
	want(other, "memory/preferences.md#L", "search", "tea milk")
	want(other, "数据库用", "get", "日记.md")
	want(other, "kept in memory/preferences.md", "history")
	want(other, "took back", "undo")
	nothing(one, "search", "tea milk")
	if text, ok := s.Text("team/memory/preferences.md"); ok {
		t.Errorf("the bucket has %q", text)
	}

	// Forgotten is forgotten everywhere.
	want(one, "memory/projects.md#L3", "remember", "--type", "project", "The staging server is called heron")
	want(other, "heron", "entries")
	want(other, "forgot", "forget", "memory/projects.md#L3", "--yes")
	for _, name := range s.Names() {
		if text, _ := s.Text(name); strings.Contains(text, "heron") {
			t.Errorf("%s has it: %s", name, text)
		}
	}
	nothing(one, "search", "heron")

	want(one, "s3://notes/team", "status")
	want(one, "s3://notes/team", "where")
	archive := filepath.Join(one.dir, "all.zip")
	one.output("export", archive)
	if _, err := os.Stat(archive); err != nil {
		t.Error(err)
	}
	for _, args := range [][]string{{"init"}, {"open", "日记.md"}} {
		if out, err := one.command(nil, args...).CombinedOutput(); err == nil || !strings.Contains(string(out), "bucket") {
			t.Errorf("memoir %v: %v %s", args, err, out)
		}
	}
	if settings := one.output("config"); strings.Contains(settings, s3test.Secret) || strings.Contains(settings, s3test.Key) {
		t.Error("the settings show a key")
	}
}

// A bucket that cannot be asked is told, and what is here is found all the same; nothing
// is taken for kept that is not.
func TestBucketAway(t *testing.T) {
	var away atomic.Bool
	s := s3test.New(t, func(s *s3test.Server) {
		s.Fault = func(w http.ResponseWriter, _ *http.Request) bool {
			if !away.Load() {
				return false
			}
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, "<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>")
			return true
		}
	})
	s.Set("team/a.md", "# A\n\nThe heron stands in the reeds.\n")
	d := inBucket(t, s)
	d.output("index")
	t.Setenv("AWS_ENDPOINT_URL", s.URL) // the copy is that of this server
	away.Store(true)
	out, err := d.command(nil, "search", "heron").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "a.md#L") || !strings.Contains(string(out), "AccessDenied") {
		t.Errorf("search: %v\n%s", err, out)
	}
	out, err = d.command(nil, "remember", "I take my tea without milk").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "AccessDenied") || !strings.Contains(string(out), "I take my tea without milk") {
		t.Errorf("remember: %v\n%s", err, out)
	}
	fresh := inBucket(t, s)
	if out, err := fresh.command(nil, "search", "heron").CombinedOutput(); err == nil || !strings.Contains(string(out), "bucket.accessKey") {
		t.Errorf("without a copy: %v\n%s", err, out)
	}
}

// Three servers at one bucket take what is told at the same time; one is killed. What was
// acknowledged is there once, and any of those that live finds it.
func TestBucketWorkers(t *testing.T) {
	s := s3test.New(t)
	const workers, lines = 3, 12
	var servers []*httpServer
	for range workers {
		servers = append(servers, inBucket(t, s).serveHTTP())
	}
	var kept sync.Map
	var telling sync.WaitGroup
	for i, server := range servers {
		telling.Go(func() {
			for j := range lines {
				if i == 0 && j == lines/2 {
					_ = server.cmd.Process.Kill()
					_ = server.cmd.Wait()
				}
				text := fmt.Sprintf("Ferry %d%02d leaves pier %d", i, j, j)
				res, err := server.client.Post(server.url+"/v1/remember", "application/json", strings.NewReader(`{"type":"journal","text":"`+text+`"}`))
				if err != nil {
					if i > 0 {
						t.Error(err)
					}
					continue
				}
				res.Body.Close()
				if res.StatusCode == http.StatusOK {
					kept.Store(text, true)
				} else {
					t.Errorf("server %d answers %d to %q", i, res.StatusCode, text)
				}
			}
		})
	}
	telling.Wait()
	all := ""
	for _, name := range s.Names() {
		if text, _ := s.Text(name); strings.HasSuffix(name, ".md") {
			all += text
		}
	}
	count := 0
	kept.Range(func(text, _ any) bool {
		count++
		if n := strings.Count(all, text.(string)+"\n") + strings.Count(all, text.(string)+" "); n != 1 {
			t.Errorf("%q is there %d times", text, n)
		}
		for _, server := range servers[1:] {
			var found wire.Answer
			if code, body := server.ask("POST", "/v1/search", `{"query":"`+strings.Fields(text.(string))[1]+`"}`); code != 200 || json.Unmarshal([]byte(body), &found) != nil || len(found.Results) == 0 {
				t.Errorf("%q is not found: %d %s", text, code, body)
			}
		}
		return true
	})
	if count < (workers-1)*lines+lines/2 {
		t.Errorf("%d were acknowledged", count)
	}
}
