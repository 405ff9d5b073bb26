package cli

import (
	"io"
	"strings"

	"github.com/rivo/uniseg"
)

// A table writes rows whose cells stand below each other, two blanks apart, as wide as a
// terminal shows them: an ideograph takes two columns.
type table struct{ rows [][]string }

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

// write writes the rows. Nothing stands after the last cell of one.
func (t *table) write(w io.Writer) error {
	var widths []int
	for _, row := range t.rows {
		for i, cell := range row[:len(row)-1] {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], uniseg.StringWidth(cell))
		}
	}
	var out strings.Builder
	for _, row := range t.rows {
		last := len(row) - 1
		for i, cell := range row[:last] {
			out.WriteString(cell + strings.Repeat(" ", widths[i]-uniseg.StringWidth(cell)+2))
		}
		out.WriteString(row[last] + "\n")
	}
	_, err := io.WriteString(w, out.String())
	return err
}
