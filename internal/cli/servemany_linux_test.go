package cli_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestServeManyConnections: 10,000 connections that are open at once, which say nothing
// or half of something, neither end a server nor fill its memory, and who comes after
// them is answered. Without MEMOIR_TEST_NIGHTLY, and where fewer files may be open, they are
// fewer.
func TestServeManyConnections(t *testing.T) {
	many := 2_000
	if os.Getenv("MEMOIR_TEST_NIGHTLY") != "" {
		many = 10_000
	}
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		t.Fatal(err)
	}
	if most := int(min(files.Cur, 1<<20)) - 200; most < many {
		t.Logf("%d files may be open here", files.Cur)
		many = most
	}
	d := newDesk(t, map[string]string{"a.md": "# Tea\n\nGreen tea at four.\n"})
	s := d.serveHTTP()
	if code, body := s.ask("POST", "/v1/search", `{"query":"tea"}`); code != 200 {
		t.Fatal(code, body)
	}
	before := s.resident(t)
	addr := strings.TrimPrefix(s.url, "http://")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var mu sync.Mutex
	var all []net.Conn
	defer func() {
		for _, c := range all {
			_ = c.Close()
		}
	}()
	var dialing sync.WaitGroup
	for part := range 50 {
		dialing.Go(func() {
			for i := range many / 50 {
				c, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
				if err != nil {
					t.Errorf("connection %d of %d: %v", i, part, err)
					return
				}
				mu.Lock()
				all = append(all, c)
				mu.Unlock()
				if i%2 == 0 {
					_, _ = io.WriteString(c, "POST /v1/search HTTP/1.1\r\nHost: "+addr+"\r\nContent-Le") // it may be closed already
				}
			}
		})
	}
	dialing.Wait()
	began := time.Now()
	res, err := s.client.Post(s.url+"/v1/search", "application/json", strings.NewReader(`{"query":"tea"}`))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(res.Body)
	res.Body.Close()
	if err != nil || res.StatusCode != 200 || !strings.Contains(string(body), "a.md") {
		t.Errorf("who comes after %d: %d %s, %v", many, res.StatusCode, body, err)
	}
	after := s.resident(t)
	t.Logf("%d connections: the next client had its answer after %v, on a machine with other work; %d MB were resident before, %d at most", len(all), time.Since(began).Round(time.Millisecond), before>>20, after>>20)
	if len(all) != many/50*50 || after-before > 100<<20 && !testing.Short() { // the race detector takes memory of its own
		t.Errorf("%d connections took %d MB", len(all), (after-before)>>20)
	}
}

// resident returns the most memory that a server had so far.
func (s *httpServer) resident(t *testing.T) int {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), "VmHWM:")
	kb, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return kb << 10
}
