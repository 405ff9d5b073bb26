package cells_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rivo/uniseg"

	"github.com/memoir-ai/memoir/internal/cells"
)

func wrap(line string, columns int) (pieces []string) {
	for from, to := range cells.Wrap(line, columns) {
		pieces = append(pieces, line[from:to])
	}
	return pieces
}

func TestWrap(t *testing.T) {
	for _, x := range []struct {
		line    string
		columns int
		want    []string
	}{
		{"", 10, []string{""}},
		{"ferry", 10, []string{"ferry"}},
		{"the ferry leaves at nine", 10, []string{"the ferry", "leaves at", "nine"}},
		{"the ferry  leaves", 9, []string{"the ferry", "leaves"}},
		{"  - nested item", 10, []string{"  - nested", "item"}},
		{"a b", 1, []string{"a", "b"}},
		{"see --dry-run and src/a.go", 9, []string{"see", "--dry-run", "and", "src/a.go"}},
		{"an incomprehensible word", 8, []string{"an", "incompre", "hensible", "word"}},
		{"数据库用一个文件", 7, []string{"数据库", "用一个", "文件"}},
		{"数据库，用一个文件。", 6, []string{"数据", "库，用", "一个文", "件。"}},
		{"「潮水」很高", 6, []string{"「潮", "水」很", "高"}},
		{"今天用 SQLite 存储", 9, []string{"今天用", "SQLite 存", "储"}},
		{"서울에서 부산까지", 9, []string{"서울에서", "부산까지"}},
		{"\x1b[2J\x07", 3, []string{"\x1b[2", "J\x07"}},
	} {
		if diff := cmp.Diff(x.want, wrap(x.line, x.columns)); diff != "" {
			t.Errorf("%q in %d columns (-want +got):\n%s", x.line, x.columns, diff)
		}
	}
}

// Nothing but blanks is lost, and no piece is wider than it may be.
func FuzzWrap(f *testing.F) {
	f.Add("the ferry\tleaves 数据库，用一个", 5)
	f.Add("e\u0301\u200d\u202e \xff", 2)
	f.Fuzz(func(t *testing.T, line string, columns int) {
		columns = 2 + columns&0xff
		at := 0
		for from, to := range cells.Wrap(line, columns) {
			if from < at || to < from || strings.Trim(line[at:from], " \t") != "" {
				t.Fatalf("%q in %d columns: %d to %d after %d", line, columns, from, to, at)
			}
			if w := uniseg.StringWidth(strings.TrimRight(line[from:to], " \t")); w > columns && uniseg.GraphemeClusterCount(line[from:to]) > 1 {
				t.Fatalf("%q in %d columns: %q is %d wide", line, columns, line[from:to], w)
			}
			at = to
		}
		if strings.Trim(line[at:], " \t") != "" {
			t.Fatalf("%q in %d columns: %q is lost", line, columns, line[at:])
		}
	})
}
