package cli_test

import (
	"fmt"
	"os"
	"strings"
)

// editorFake prints what an editor is started with, a word a line, and adds to the file
// what it reads; one that is told --fail fails.
func editorFake() {
	for _, word := range os.Args[1:] {
		fmt.Println("told " + word)
	}
	file := os.Args[len(os.Args)-1]
	if strings.Contains(strings.Join(os.Args[1:], " "), "--fail") {
		os.Exit(3)
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.ReadFrom(os.Stdin)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}
