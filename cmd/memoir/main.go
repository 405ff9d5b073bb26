// Command memoir is long-term memory for AI agents: notes in Markdown,
// searchable by word and by meaning.
package main

import (
	"context"
	"os"

	"github.com/memoir-ai/memoir/internal/cli"
)

func main() {
	cli.CollectLater()
	os.Exit(cli.Run(context.Background(), os.Args[1:], cli.Options{}))
}
