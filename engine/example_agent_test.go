package engine_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/local"
	"github.com/memoir-ai/memoir/embed/local/weights"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/source/mdfile"
	"github.com/memoir-ai/memoir/store/memstore"
)

// turn answers a message of a user: what is known of it goes to the model, and what it
// tells is kept afterwards.
func turn(ctx context.Context, memory *engine.Engine, message string, model func(known []memoir.Hit) string) (string, error) {
	found, err := memory.Search(ctx, memoir.Query{Text: message, Literal: true, MaxTokens: 600})
	if err != nil {
		return "", err
	}
	var known []memoir.Hit
	for _, hit := range found.Hits {
		if hit.Confident() {
			known = append(known, hit)
		}
	}
	answer := model(known)
	_, err = memory.Remember(ctx, engine.Statement{Text: message, Origin: "user"}) // small talk and questions are refused
	return answer, err
}

// An agent looks up what it knows before it answers, and keeps what it is told.
func Example_agent() {
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
	model, err := local.New(weights.File(), local.Options{}) // reads what is told
	if err != nil {
		log.Fatal(err)
	}
	memory, err := engine.New(engine.Config{
		Store: memstore.New(), Sources: []memoir.Source{source}, Reads: model,
		Writing: engine.Writing{Dir: dir, State: filepath.Join(dir, ".state")},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer memory.Close()
	for _, message := range []string{
		"My daughter Mia is allergic to peanuts", "我儿子在学小提琴", "猫の名前はタマです",
		"Is Mia allergic to anything?", "我儿子在学什么？", "猫の名前は？",
	} {
		answer, err := turn(ctx, memory, message, func(known []memoir.Hit) string {
			if len(known) == 0 {
				return "-"
			}
			return known[0].Citation()
		})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(answer)
	}
	// Output:
	// -
	// -
	// -
	// memory/contacts.md#L1-L5
	// memory/contacts.md#L1-L5
	// memory/contacts.md#L1-L5
}
