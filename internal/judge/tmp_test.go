package judge

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/local"
	"github.com/memoir-ai/memoir/internal/judge/feature"
)

func TestTmp(t *testing.T) {
	file, _ := os.ReadFile("../../embed/local/weights/multilingual-e5-small.memoir")
	e, err := local.New(file, local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	in, _ := os.ReadFile("/tmp/writing-texts.txt")
	j := For(Model)
	for text := range strings.SplitSeq(strings.TrimSpace(string(in)), "\n") {
		r, err := e.Read(context.Background(), memoir.TaskQuery, []string{text})
		if err != nil {
			t.Fatal(err)
		}
		v := j.Gate(text, User, r[0].Vector)
		g := j.Type(text, User, r[0].Vector)
		x := feature.Read(text)
		w := learned().gate.words.Probabilities(feature.Junk(x).Values)[1]
		fmt.Printf("%-12s %.2f w%.2f athand=%v standing=%v | %s %.2f %s %.2f %s %.2f | %s\n", v.Code, v.P, w, x.AtHand(), x.Standing(), g[0].Type, g[0].P, g[1].Type, g[1].P, g[2].Type, g[2].P, text)
	}
}
