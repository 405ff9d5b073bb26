package browsertest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestPictures writes a picture of every view to a folder, for people to look at.
func TestPictures(t *testing.T) {
	dir := os.Getenv("MEMOIR_TEST_PICTURES")
	if dir == "" {
		t.Skip("MEMOIR_TEST_PICTURES names no folder")
	}
	s := rich(t)
	for _, width := range []int64{1440, 360} {
		for _, theme := range []string{"light", "dark"} {
			for _, v := range views {
				if only := os.Getenv("MEMOIR_TEST_VIEW"); only != "" && !strings.Contains(v.name, only) {
					continue
				}
				t.Run(fmt.Sprintf("%s/%d/%s", v.name, width, theme), func(t *testing.T) {
					p := s.open(t, width, v.at)
					p.theme(theme)
					p.until(v.there)
					if v.then != "" {
						value[any](p, v.then)
						p.until(v.after)
					}
					picture, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
					if err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%d-%s.png", v.name, width, theme)), picture, 0o644); err != nil {
						t.Fatal(err)
					}
				})
			}
		}
	}
}
