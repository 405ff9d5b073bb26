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

// What is certain is done in one change; the rest is for a person to judge.
func ExampleEngine_Tidy() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "notes")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	note := filepath.Join(dir, "MEMORY.md")
	if err := os.WriteFile(note, []byte("- Ann lives in Oslo\n- Tea is green\n- Ann lives in Oslo.\n"), 0o600); err != nil {
		log.Fatal(err)
	}
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
	done, err := memory.Tidy(ctx, engine.TidyOptions{Apply: true})
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range done.Findings {
		fmt.Println(f.Kind, f.Certain, f.Proposal)
	}
	change, err := memory.Undo(ctx, done.Change)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(change.Why)
	// Output:
	// duplicate true the same words stand in 2 entries: keep one, and its count
	// took back: tidied 1 of the findings
}
