//go:build !linux

package cli_test

import (
	"fmt"
	"os"
)

// offline is there on Linux alone.
func offline() {
	fmt.Fprintln(os.Stderr, "sockets cannot be kept from a process here")
	os.Exit(1)
}
