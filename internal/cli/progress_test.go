package cli_test

import (
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/memoir-ai/memoir/internal/cli"
)

// TestWaiting: what takes long is said before a second is over, and taken away; what is
// quick says nothing.
func TestWaiting(t *testing.T) {
	t.Setenv("TERM", "xterm")
	synctest.Test(t, func(t *testing.T) {
		var screen strings.Builder
		s, _ := cli.OnScreen(&screen)
		over := cli.Waiting(s, "searching")
		time.Sleep(100 * time.Millisecond)
		over()
		if screen.String() != "" {
			t.Errorf("at once it says %q", screen.String())
		}
		over = cli.Waiting(s, "searching")
		time.Sleep(time.Second)
		synctest.Wait()
		if screen.String() != "searching…" {
			t.Errorf("after a second it says %q", screen.String())
		}
		over()
		over()
		if screen.String() != "searching…\r\x1b[K" {
			t.Errorf("at the end it has said %q", screen.String())
		}
	})
}

// TestProgress: a bar begins without a rate, and what stands beside it fits a terminal of 80
// columns.
func TestProgress(t *testing.T) {
	t.Setenv("TERM", "xterm")
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct {
			what, unit  string
			done, total int
			want        string
		}{
			{"computing vectors", "texts", 256, 3375, `^computing vectors   7% \|█* *\| \(256/3375, 320 texts/s\) \[0s:9s\]$`},
			{"正在计算向量", "段文字", 256, 123_375, `^正在计算向量   0% \|█* *\| \(256/123375, 320 段文字/s\) \[0s:6m24s\]$`},
			{"reading notes", "notes", 1, 20, `^reading notes   5% \|█* *\| \(1/20, 1 notes/s\) \[0s:15s\]$`},
			{"model.bin", "bytes", 8_000_000, 80_000_000, `^model.bin  10% \|█* *\| \(8.0/80 MB, 10 MB/s\) \[0s:7s\]$`},
		} {
			var screen strings.Builder
			s, _ := cli.OnScreen(&screen)
			report, done := cli.Progress(s, tt.what, tt.unit)
			report(0, tt.total)
			if got, want := screen.String(), tt.what+"…"; got != want && tt.unit != "bytes" {
				t.Errorf("%s: got %q, want %q", tt.what, got, want)
			}
			time.Sleep(800 * time.Millisecond)
			screen.Reset()
			report(tt.done, tt.total)
			shown := strings.TrimPrefix(screen.String(), "\r\x1b[K")
			if !regexp.MustCompile(tt.want).MatchString(shown) {
				t.Errorf("%s: got %q, want %s", tt.what, shown, tt.want)
			}
			screen.Reset()
			done()
			if screen.String() != "\r\x1b[K" {
				t.Errorf("%s: at the end it says %q", tt.what, screen.String())
			}
		}
	})
}

// TestLastLine: what is logged while something is going on stands on lines of its own, above
// the one that says so, whether that is a sentence or a bar.
func TestLastLine(t *testing.T) {
	t.Setenv("TERM", "xterm")
	synctest.Test(t, func(t *testing.T) {
		var screen strings.Builder
		s, logged := cli.OnScreen(&screen)
		over := cli.Waiting(s, "searching")
		time.Sleep(time.Second)
		synctest.Wait()
		logged("a note")
		over()
		logged("the end")
		if got, want := screen.String(), "searching…\r\x1b[Ka note\nsearching…\r\x1b[Kthe end\n"; got != want {
			t.Errorf("a sentence: got %q, want %q", got, want)
		}
		screen.Reset()
		over = cli.Waiting(s, strings.Repeat("搜索中 ", 40)) // longer than the 80 columns of a terminal that does not tell
		time.Sleep(time.Second)
		synctest.Wait()
		over()
		if got, want := screen.String(), strings.Repeat("搜索中 ", 11)+"搜\r\x1b[K"; got != want {
			t.Errorf("a long sentence: got %q, want %q", got, want)
		}
		screen.Reset()
		over = cli.Waiting(s, "searching")
		time.Sleep(time.Second)
		synctest.Wait()
		cli.Write(s, "a note ")
		cli.Write(s, "in two parts\nand ")
		over()
		cli.Write(s, "one more\n")
		if got, want := screen.String(), "searching…\r\x1b[Ka note \r\x1b[Ka note in two parts\nand \r\x1b[Kand one more\n"; got != want {
			t.Errorf("parts: got %q, want %q", got, want)
		}
		screen.Reset()
		report, done := cli.Progress(s, "reading", "notes")
		report(1, 2)
		logged("a note")
		done()
		logged("the end")
		for line := range strings.Lines(screen.String()) {
			_, shown, cleared := strings.Cut(line, "\r\x1b[K")
			for cleared && strings.Contains(shown, "\r\x1b[K") {
				_, shown, cleared = strings.Cut(shown, "\r\x1b[K")
			}
			if shown != "a note\n" && shown != "the end\n" {
				t.Errorf("a bar stands in the line %q", line)
			}
		}
		if !strings.Contains(screen.String(), "reading") {
			t.Errorf("there is no bar: %q", screen.String())
		}
	})
}
