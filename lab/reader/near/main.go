// Near writes for each text the places of the texts nearest to it, with their cosines.
//
//	go run ./lab/reader/near < texts > places
//
// Texts are JSON strings, one a line, in groups that an empty line ends; texts of other
// groups are not looked at.
package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/local"
	"github.com/memoir-ai/memoir/embed/local/weights"
)

// most is how many places are written for each text.
const most = 8

type neighbour struct {
	At     int
	Cosine float64
}

func main() {
	if err := near(); err != nil {
		fmt.Fprintln(os.Stderr, "near:", err)
		os.Exit(1)
	}
}

func near() error {
	model, err := local.New(weights.File(), local.Options{})
	if err != nil {
		return err
	}
	in, out := bufio.NewScanner(os.Stdin), bufio.NewWriter(os.Stdout)
	in.Buffer(nil, 1<<20)
	defer out.Flush()
	var group []string
	for in.Scan() {
		if len(in.Bytes()) == 0 {
			if err := write(model, out, group); err != nil {
				return err
			}
			group = nil
			continue
		}
		var text string
		if err := json.Unmarshal(in.Bytes(), &text); err != nil {
			return err
		}
		group = append(group, text)
	}
	return cmp.Or(in.Err(), write(model, out, group))
}

func write(model *local.Embedder, out *bufio.Writer, texts []string) error {
	vectors, err := model.Embed(context.Background(), memoir.TaskQuery, texts)
	if err != nil {
		return err
	}
	for i, v := range vectors {
		var all []neighbour
		for j, w := range vectors {
			var cosine float64
			for k := range v {
				cosine += float64(v[k]) * float64(w[k])
			}
			if j != i {
				all = append(all, neighbour{j, cosine})
			}
		}
		slices.SortFunc(all, func(a, b neighbour) int { return cmp.Compare(b.Cosine, a.Cosine) })
		line, err := json.Marshal(all[:min(most, len(all))])
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s\n", line)
	}
	return nil
}
