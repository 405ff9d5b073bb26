package cli_test

import (
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/memoir-ai/memoir/internal/cli"
)

// A table of ASCII is what text/tabwriter makes of it, to the byte.
func TestTableIsTabwriters(t *testing.T) {
	rows := [][]string{
		{"name", "value", "origin"}, {"a", "", "x"}, {"longer name", "v", ""},
		{"", "x y z", "end"}, {"alone"}, {""}, {"s", "a wide cell", "c", "d"}, {"sss", "b"}, {"t", "c"}, {"u", "", "", "e"}, {"u", "ffffffff", "", "e"},
	}
	for _, right := range []bool{false, true} {
		var flags uint
		if right {
			flags = tabwriter.AlignRight
		}
		var want strings.Builder
		w := tabwriter.NewWriter(&want, 0, 0, 2, ' ', flags)
		for _, row := range rows {
			w.Write([]byte(strings.Join(row, "\t") + "\n"))
		}
		w.Flush()
		if got := cli.Table(right, rows); got != want.String() {
			t.Errorf("right %t: got\n%s\nwant\n%s", right, got, want.String())
		}
	}
}

// An ideograph takes two columns, on both sides.
func TestTableOfChinese(t *testing.T) {
	rows := [][]string{{"笔记", "a", ""}, {"note", "b", ""}, {"n", "资料集", ""}}
	for right, want := range map[bool]string{
		false: "笔记  a       \nnote  b       \nn     资料集  \n",
		true:  "  笔记       a\n  note       b\n     n  资料集\n",
	} {
		if got := cli.Table(right, rows); got != want {
			t.Errorf("right %t: got\n%s\nwant\n%s", right, got, want)
		}
	}
}
