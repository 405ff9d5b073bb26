package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// A workspace that a server has is not deleted under it; a file of a server that was
// killed keeps nobody from it.
func TestAdminBesideServer(t *testing.T) {
	d := newDesk(t, map[string]string{"a.md": "Tea is green.\n"})
	t.Setenv("MEMOIR_PROVIDER", "none")
	dir := filepath.Join(d.dir, "sales")
	secret := strings.TrimSpace(d.output("admin", "create", "sales", dir))
	server := d.serveHTTP("--workspace", "sales="+dir)
	for path, want := range map[string]int{"/w/sales/v1/status": 200, "/v1/status": 403} {
		if code, body := server.ask("GET", path, "", "Authorization", "Bearer "+secret); code != want {
			t.Errorf("%s answers %d to the token of sales, want %d: %s", path, code, want, body)
		}
	}
	out, err := d.command(nil, "admin", "delete", "--yes", "sales").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "stop it") {
		t.Errorf("deleted under a server: %v\n%s", err, out)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Error(err)
	}
	_ = server.cmd.Process.Kill()
	_ = server.cmd.Wait()
	if out := d.output("admin", "delete", "--yes", "sales"); !strings.Contains(out, "nothing of sales is left") {
		t.Error(out)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the notes are there")
	}
}

// Workspaces that are made at the same moment are all served.
func TestAdminCreateTogether(t *testing.T) {
	d := newDesk(t, map[string]string{"a.md": "Tea is green.\n"})
	t.Setenv("MEMOIR_PROVIDER", "none")
	names := []string{"east", "north", "south", "west"}
	var running sync.WaitGroup
	for _, name := range names {
		running.Go(func() {
			if out, err := d.command(nil, "admin", "create", name, filepath.Join(d.dir, name)).CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", name, err, out)
			}
		})
	}
	running.Wait()
	list := d.output("admin", "list")
	for _, name := range names {
		if !strings.Contains(list, filepath.Join(d.dir, name)) {
			t.Errorf("%s is not served:\n%s", name, list)
		}
	}
}

// What the commands about workspaces say is in Chinese for who reads Chinese, but for names,
// paths and commands.
func TestAdminInChinese(t *testing.T) {
	notes(t)
	t.Setenv("LC_ALL", "zh_CN.UTF-8")
	served := filepath.Join(os.Getenv("HOME"), "served")
	english := regexp.MustCompile(`[A-Za-z]{3,} [A-Za-z]{3,}`)
	for _, x := range []struct{ args, want string }{
		{"admin list", ""},
		{"admin create sales " + filepath.Join(served, "sales"), ""},
		{"admin quota sales", "sales 的上限：不限"},
		{"admin quota sales --notes 100 --requests 5", "sales 的上限：100 篇笔记，每分钟 5 次请求"},
		{"admin list", "限额："},
		{"admin delete sales", "将会删除：笔记，在 " + filepath.Join(served, "sales") + "（0 个文件，0 字节）"},
		{"admin delete sales --yes", "已删除：笔记，在 " + filepath.Join(served, "sales") + "（0 个文件，0 字节）"},
		{"admin delete sales", "没有叫 \"sales\" 的工作区"},
		{"admin create", "缺少参数"},
	} {
		_, out, errs := run(t.Context(), nil, testEmbedder, strings.Fields(x.args)...)
		said := strings.NewReplacer(served, "", "memoir admin", "", "memoir help admin create", "", "create NAME DIR", "", "delete --yes sales", "").Replace(out + errs)
		if !strings.Contains(out+errs, x.want) {
			t.Errorf("%s says %q, want %q", x.args, out+errs, x.want)
		}
		if found := english.FindString(said); found != "" {
			t.Errorf("%s says %q in %q", x.args, found, said)
		}
	}
}
