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
	"github.com/memoir-ai/memoir/store/sqlite"
)

// Index a folder of notes and search it. With an Embedder in the Config, such
// as that of package embed/local, it is searched by meaning too.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "notes")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	note := "# Decisions\n\n## Database\n\nWe chose Postgres for production.\n\n## Deployment\n\nReleases go out on Tuesdays.\n"
	if err := os.WriteFile(filepath.Join(dir, "decisions.md"), []byte(note), 0o600); err != nil {
		log.Fatal(err)
	}

	source, err := mdfile.Open(dir, mdfile.Options{})
	if err != nil {
		log.Fatal(err)
	}
	store, err := sqlite.Open(ctx, filepath.Join(dir, ".index.sqlite"), sqlite.Options{})
	if err != nil {
		log.Fatal(err)
	}
	memory, err := engine.New(engine.Config{Store: store, Sources: []memoir.Source{source}})
	if err != nil {
		log.Fatal(err)
	}
	defer memory.Close()
	if _, err := memory.Sync(ctx, nil); err != nil {
		log.Fatal(err)
	}
	results, err := memory.Search(ctx, memoir.Query{Text: "which database do we use in production?"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(results.Hits[0].Citation(), results.Hits[0].Heading)
	// Output: decisions.md#L1-L5 [Database]
}

// With the model inside memoir, notes are found in words that they do not hold.
func Example_meaning() {
	dir, err := os.MkdirTemp("", "index")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	answer, err := ask(context.Background(), "../examples/notes", filepath.Join(dir, "index.sqlite"), "how do I get reimbursed for a taxi?")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Hits[0].Citation(), answer.Hits[0].Heading)
	// Output: memory/work-trips.md#L1-L6 [Claiming money back]
}
