package browsertest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestOpened: the file that memoir ui gives to a browser leads to the page, though a file is
// another site, from which a strict cookie is not sent. The address has no ticket left.
func TestOpened(t *testing.T) {
	s := serve(t, map[string]string{"memory/tea.md": "# Tea\n\nGreen.\n"}, wordsAlone)
	cmd := exec.Command(s.bin, append([]string{"ui"}, s.of...)...)
	cmd.Env, cmd.Dir, cmd.Stderr = append(s.env, "PATH="+t.TempDir()), s.dir, os.Stderr // nothing opens it here
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(s.dir, "state", "serve", "*.html"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	defer cancel()
	p := &tab{T: t, ctx: ctx, server: s}
	p.do(chromedp.Navigate("file://" + files[0]))
	p.until(`location.href.startsWith("` + s.url + `/") && !location.search && document.querySelector("main h1, main input")`)
}
