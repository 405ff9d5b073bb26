package lines_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/lines"
)

func TestNext(t *testing.T) {
	broken := errors.New("broken")
	long := strings.Repeat("x", 200_000)
	for _, tt := range []struct {
		name string
		in   io.Reader
		want []string
		err  error
	}{
		{"lines", strings.NewReader("a\nb\r\n\nc"), []string{"a\n", "b\r\n", "\n", "c"}, io.EOF},
		{"nothing", strings.NewReader(""), nil, io.EOF},
		{"one that is too long", strings.NewReader("a\n" + long + "\nb\n"), []string{"a\n", "too long", "b\n"}, io.EOF},
		{"the last is too long", strings.NewReader("a\n" + long), []string{"a\n", "too long"}, io.EOF},
		{"as long as it may be", strings.NewReader(long[:9] + "\n" + long[:10] + "\n"), []string{long[:9] + "\n", "too long"}, io.EOF},
		{"a failure", io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)), []string{"a\n", "b"}, broken},
		{"byte by byte", iotest.OneByteReader(strings.NewReader("a\nb\n")), []string{"a\n", "b\n"}, io.EOF},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := lines.New(tt.in, 10)
			var got []string
			for {
				line, err := r.Next()
				if errors.Is(err, lines.ErrTooLong) {
					got = append(got, "too long")
					continue
				}
				if err != nil {
					if !errors.Is(err, tt.err) {
						t.Errorf("the error is %v, want %v", err, tt.err)
					}
					break
				}
				got = append(got, string(line))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzNext(f *testing.F) {
	f.Add("a\nb", 4)
	f.Add("a\n"+strings.Repeat("x", 200_000)+"\nb", 4)
	f.Fuzz(func(t *testing.T, text string, most int) {
		most = max(1, most%100)
		r := lines.New(strings.NewReader(text), most)
		var got, tooLong strings.Builder
		r.TooLong = &tooLong
		for _, want := range strings.SplitAfter(text, "\n") {
			if want == "" {
				break
			}
			line, err := r.Next()
			if long := len(want) > most; long != errors.Is(err, lines.ErrTooLong) || !long && string(line) != want {
				t.Fatalf("%q: %q, %v; want %q", text, line, err, want)
			} else if long && tooLong.String() != want || !long && tooLong.Len() > 0 {
				t.Fatalf("%q: %q was too long, want %q", text, tooLong.String(), want)
			}
			tooLong.Reset()
			fmt.Fprint(&got, string(line))
		}
		if _, err := r.Next(); err != io.EOF {
			t.Errorf("%q: %v behind the last line", text, err)
		}
	})
}
