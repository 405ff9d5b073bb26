package engine_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/source/mdfile"
	"github.com/memoir-ai/memoir/store/memstore"
)

// What is told becomes a line of Markdown, once, and can be taken back.
func ExampleEngine_Remember() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "notes")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	source, err := mdfile.Open(dir, mdfile.Options{})
	if err != nil {
		log.Fatal(err)
	}
	memory, err := engine.New(engine.Config{
		Store: memstore.New(), Sources: []memoir.Source{source},
		Writing: engine.Writing{Dir: dir, State: filepath.Join(dir, ".state")},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer memory.Close()
	for _, text := range []string{"Releases go out on Tuesdays", "Releases go out on Tuesdays", "The deploy key is AKIAQX7ZT3LMN4PWVUEH"} {
		outcome, err := memory.Remember(ctx, engine.Statement{Text: text, Type: "decision"})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s %q\n", outcome.Outcome, outcome.Path)
	}
	change, err := memory.Undo(ctx, "")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(change.Why)
	// Output:
	// added "memory/decisions.md"
	// reinforced "memory/decisions.md"
	// refused ""
	// took back: told again: an entry of memory/decisions.md
}
