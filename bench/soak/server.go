package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// server is a memoir serve.
type server struct {
	cmd   *exec.Cmd
	url   string
	token string
	logs  *bytes.Buffer // what it has printed; read it only when it has ended
}

// sample is what the server needs at one moment.
type sample struct {
	at          time.Duration
	resident    int // MB
	descriptors int
	entries     int
}

// start starts a server, unless one runs.
func (l *life) start(ctx context.Context) error {
	if l.server != nil {
		return nil
	}
	secret, err := l.command(ctx, "token", "create", rand.Text()).Output()
	if err != nil {
		return fmt.Errorf("make a token: %w", err)
	}
	s := &server{token: strings.TrimSpace(string(secret)), cmd: l.command(ctx, "serve", "--addr", "127.0.0.1:0"), logs: new(bytes.Buffer)}
	s.cmd.Stderr = s.logs
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := s.cmd.Start(); err != nil {
		return err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
		return fmt.Errorf("serve does not start: %w\n%s", err, s.logs)
	}
	s.url, l.server = strings.TrimSpace(line), s
	return nil
}

// stopServer ends the server by a signal, and waits for its end.
func (l *life) stopServer(by os.Signal) error {
	s := l.server
	if s == nil {
		return nil
	}
	l.server = nil
	if err := s.cmd.Process.Signal(by); err != nil {
		return fmt.Errorf("the server had ended by itself: %w\n%s", err, s.logs)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.cmd.Wait() }()
	select {
	case err := <-ended:
		if by == os.Kill {
			l.kills++
			return nil
		}
		if err != nil {
			return fmt.Errorf("the server ended with %w\n%s", err, s.logs)
		}
		return nil
	case <-time.After(20 * time.Second):
		_ = s.cmd.Process.Kill()
		return fmt.Errorf("the server does not stop within 20 s of a signal\n%s", s.logs)
	}
}

// post asks the server, which is started when there is none.
func (l *life) post(ctx context.Context, path string, body, v any) error {
	if err := l.start(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.server.url+path, bytes.NewReader(data))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+l.server.token)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("POST %s %s: %s: %s", path, data, res.Status, answer)
	}
	return json.Unmarshal(answer, v)
}

func (l *life) rememberHTTP(ctx context.Context) error {
	e := l.newEntry()
	var got outcome
	if err := l.post(ctx, "/v1/remember", map[string]string{"text": e.text, "type": e.kind, "key": e.key}, &got); err != nil {
		return err
	}
	return l.acknowledge(e, got)
}

// searchHTTP finds an entry through the server. It is found at once, or within
// two seconds when others have changed notes or index, which the server must
// have followed by then.
func (l *life) searchHTTP(ctx context.Context) error {
	mark := l.wanted()
	if mark == "" {
		return nil
	}
	for until := time.Now().Add(20 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		var got answer
		if err := l.post(ctx, "/v1/search", map[string]string{"query": mark}, &got); err != nil {
			return err
		}
		if got.holds(mark) {
			return nil
		}
		if time.Now().After(until) {
			return fmt.Errorf("%q is not found over HTTP: %+v", l.entries[mark].text, got)
		}
	}
}

// sample reads what the server needs now. It returns nothing where the system
// does not tell.
func (l *life) sample() {
	if l.server == nil {
		return
	}
	pid := l.server.cmd.Process.Pid
	s := sample{at: time.Since(l.begin).Round(time.Second), entries: len(l.marks)}
	if data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)); err == nil {
		_, rest, _ := strings.Cut(string(data), "VmRSS:")
		kib, _ := strconv.Atoi(strings.Fields(rest + " 0")[0])
		s.resident = kib / 1024
	}
	if files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid)); err == nil {
		s.descriptors = len(files)
	}
	l.curve = append(l.curve, s)
}

// processes returns the processes of the program that still run.
func (l *life) processes() []int {
	links, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		return nil
	}
	var left []int
	for _, link := range links {
		if target, err := os.Readlink(link); err == nil && target == l.program {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(link)))
			left = append(left, pid)
		}
	}
	return left
}

func (l *life) report() {
	states := map[state]int{}
	for _, e := range l.entries {
		states[e.state]++
	}
	fmt.Printf("Seed %d, %s: %d steps, %d comparisons, %d processes killed. Of %d entries %d are there, %d replaced, %d taken out, %d of killed processes.\n\n",
		l.seed, time.Since(l.begin).Round(time.Second), l.steps, l.checks, l.kills, len(l.entries), states[live], states[replaced], states[gone], states[unknown])
	fmt.Printf("| what happened | times |\n|---|---:|\n")
	for _, name := range slices.Sorted(maps.Keys(l.did)) {
		fmt.Printf("| %s | %d |\n", name, l.did[name])
	}
	if len(l.faults) > 0 {
		fmt.Printf("\n| fault below memoir | times |\n|---|---:|\n")
	}
	for _, name := range slices.Sorted(maps.Keys(l.faults)) {
		fmt.Printf("| %s | %d |\n", name, l.faults[name])
	}
	fmt.Printf("\n| after | entries | server, MB resident | open files |\n|---|---:|---:|---:|\n")
	for _, s := range l.curve {
		fmt.Printf("| %s | %d | %d | %d |\n", s.at, s.entries, s.resident, s.descriptors)
	}
}
