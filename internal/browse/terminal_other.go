//go:build !(linux || darwin || freebsd || netbsd || openbsd)

package browse

import (
	"fmt"
	"os"

	"github.com/memoir-ai/memoir"
)

// terminal is none on this system.
type terminal struct {
	sent    chan []byte
	resized chan os.Signal
}

func openTerminal(_, _ *os.File) (*terminal, error) {
	return nil, memoir.WithHint(fmt.Errorf("the view of a terminal is not made for this system: %w", memoir.ErrUnavailable), "memoir ui")
}

func (*terminal) close()                     {}
func (*terminal) write(string) error         { return nil }
func (*terminal) size() (width, height int)  { return 0, 0 }
func (*terminal) lend([]string) (_, _ error) { return nil, nil }
