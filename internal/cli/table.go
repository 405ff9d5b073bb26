package cli

import (
	"io"
	"strings"

	"github.com/rivo/uniseg"
)

// A table writes rows whose cells stand below each other, two blanks apart, as wide as a
// terminal shows them: an ideograph takes two columns.
type table struct {
	rows  [][]string
	right bool // cells end below each other
}

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

// write writes the rows. The last cell of one is as wide as its text. A column is as wide
// as the widest of its cells in rows that follow each other: one that ends before it
// parts those above from those below.
func (t *table) write(w io.Writer) error {
	var out strings.Builder
	widths := t.widths()
	for i, row := range t.rows {
		last := len(row) - 1
		for column, cell := range row[:last] {
			blanks := strings.Repeat(" ", widths[i][column]-uniseg.StringWidth(cell)+2)
			if t.right {
				cell, blanks = blanks, cell
			}
			out.WriteString(cell + blanks)
		}
		out.WriteString(row[last] + "\n")
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// padded returns a text with blanks behind it, so many columns wide or wider.
func padded(text string, columns int) string {
	return text + strings.Repeat(" ", max(0, columns-uniseg.StringWidth(text)))
}

// widths returns how wide the cells of each row are, but for the last one.
func (t *table) widths() [][]int {
	widths := make([][]int, len(t.rows))
	for i, row := range t.rows {
		widths[i] = make([]int, len(row)-1)
		for column, cell := range row[:len(row)-1] {
			widths[i][column] = uniseg.StringWidth(cell)
			for above := i - 1; above >= 0 && column < len(widths[above]); above-- {
				if widths[above][column] >= widths[i][column] {
					widths[i][column] = widths[above][column]
					break
				}
				widths[above][column] = widths[i][column]
			}
		}
	}
	return widths
}
