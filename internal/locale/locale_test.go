package locale

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"
)

func TestLanguage(t *testing.T) {
	for _, c := range []struct {
		env    map[string]string
		system string
		want   string
	}{
		{nil, "", English},
		{map[string]string{"LANG": "zh_CN.UTF-8"}, "", Chinese},
		{map[string]string{"LANG": "zh"}, "", Chinese},
		{map[string]string{"LANG": "zh_TW.UTF-8"}, "", Chinese}, // simplified is read, English perhaps not
		{map[string]string{"LANG": "zha_CN"}, "", English},      // Zhuang
		{map[string]string{"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "", English},
		{map[string]string{"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_CN.UTF-8"}, "", Chinese},
		{map[string]string{"LC_ALL": "C", "MEMOIR_LANG": "zh"}, "", Chinese},
		{map[string]string{"LANG": "zh_CN.UTF-8", "MEMOIR_LANG": "en"}, "zh-CN", English},
		{map[string]string{"LANG": "ja_JP.UTF-8"}, "zh-CN", English},
		{map[string]string{"LANG": "..."}, "", English},
		{nil, "zh-Hans-CN", Chinese},
		{nil, "de-DE", English},
	} {
		for _, name := range []string{"MEMOIR_LANG", "LC_ALL", "LC_MESSAGES", "LANG"} {
			t.Setenv(name, c.env[name])
		}
		got := choose(func() string { return c.system })
		if got != c.want {
			t.Errorf("%v, system %q: %q, want %q", c.env, c.system, got, c.want)
		}
	}
}

// some is a small catalogue.
var some = newTemplates(map[string]string{
	"the folder is not there":          "文件夹不存在",
	"%s is not a folder of notes":      "%s 不是笔记文件夹",
	"read %q at line %d: %w":           "读 %[1]q 的第 %[2]d 行：%[3]w",
	"%d of %d notes are %s":            "%[2]d 篇笔记里有 %[1]d 篇%[3]s",
	"not read":                         "没读",
	"%w; not kept: %s":                 "%w；没记下：%s",
	"100 %% of %s":                     "%s 的 100%%",
	"permission denied":                "没有权限",
	"memoir index":                     "memoir index",
	"%s, or remove it with the others": "%s，或者和其他的一起删掉",
})

func TestText(t *testing.T) {
	for _, c := range [][2]string{
		{"the folder is not there", "文件夹不存在"},
		{"/a b is not a folder of notes", "/a b 不是笔记文件夹"},
		{"3 of 5 notes are not read", "5 篇笔记里有 3 篇没读"},
		{`read "it is: not read" at line 7: permission denied`, `读 "it is: not read" 的第 7 行：没有权限`},
		{"100 % of it", "it 的 100%"},
		{"a: b: the folder is not there", "a: b: 文件夹不存在"},
		{"what nobody wrote", "what nobody wrote"},
		{"", ""},
		{"not read is not a folder of notes", "没读 不是笔记文件夹"},
		{"not is not a folder of notes", "not 不是笔记文件夹"},
	} {
		if got := some.text(c[0]); got != c[1] {
			t.Errorf("%q: %q, want %q", c[0], got, c[1])
		}
	}
}

func TestError(t *testing.T) {
	denied := &fs.PathError{Op: "open", Path: "/n: the folder is not there", Err: syscall.EACCES}
	gone := errors.New("the folder is not there")
	for _, c := range []struct {
		err  error
		want string
	}{
		{denied, "open /n: the folder is not there: 没有权限"},
		{fmt.Errorf("read %q at line %d: %w", "x", 2, denied), `读 "x" 的第 2 行：open /n: the folder is not there: 没有权限`},
		{fmt.Errorf("%w; not kept: %s", gone, "Ann says: the folder is not there"), "文件夹不存在；没记下：Ann says: the folder is not there"},
		{errors.Join(gone, denied), "文件夹不存在\nopen /n: the folder is not there: 没有权限"},
		{fmt.Errorf("one: %w", gone), "one: 文件夹不存在"},
		{silent{gone}, "other words"},
	} {
		if got := some.err(c.err); got != c.want {
			t.Errorf("%v:\n%q, want\n%q", c.err, got, c.want)
		}
	}
}

// silent does not show what it wraps.
type silent struct{ error }

func (silent) Error() string   { return "other words" }
func (s silent) Unwrap() error { return s.error }

// FuzzText looks that no message makes it fail, and that none is changed of
// which the catalogue knows nothing.
func FuzzText(f *testing.F) {
	f.Add("3 of 5 notes are not read")
	f.Add("of notes are is not a folder of notes: ")
	f.Fuzz(func(t *testing.T, message string) {
		some.text(message)
		if got := newTemplates(nil).text(message); got != message {
			t.Errorf("%q became %q", message, got)
		}
	})
}

// TestCatalogues looks that each translation has the values of its message.
func TestCatalogues(t *testing.T) {
	for from, to := range Catalogue(Chinese) {
		want, got := map[int]byte{}, map[int]byte{}
		for _, p := range pieces(from) {
			if p.verb != 0 {
				want[p.arg] = p.verb
			}
		}
		for _, p := range pieces(to) {
			if p.verb != 0 {
				got[p.arg] = p.verb
			}
		}
		if fmt.Sprint(want) != fmt.Sprint(got) {
			t.Errorf("%q has the values %v and %q %v", from, want, to, got)
		}
	}
}
