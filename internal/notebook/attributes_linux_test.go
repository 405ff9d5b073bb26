package notebook

import (
	"errors"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestAttributes: a rewritten note has the extended attributes of the one before, among them
// the list of who may read it.
func TestAttributes(t *testing.T) {
	n := openNotes(t, map[string]string{"a.md": "one\n"})
	full := filepath.Join(n.root, "a.md")
	// Version 2; the owner may read and write, user 65534 read, the group and others nothing.
	acl := "\x02\x00\x00\x00" + "\x01\x00\x06\x00\xff\xff\xff\xff" + "\x02\x00\x04\x00\xfe\xff\x00\x00" +
		"\x04\x00\x00\x00\xff\xff\xff\xff" + "\x10\x00\x04\x00\xff\xff\xff\xff" + "\x20\x00\x00\x00\xff\xff\xff\xff"
	want := map[string]string{"user.tag": "red", "user.empty": "", "system.posix_acl_access": acl}
	for name, value := range want {
		if err := unix.Setxattr(full, name, []byte(value), 0); errors.Is(err, unix.ENOTSUP) {
			t.Logf("%s is not kept on this disk", name)
			delete(want, name)
		} else if err != nil {
			t.Fatal(err)
		}
	}
	do(t, n, func(d *Draft) error { return d.Write("a.md", "1\n") })
	for name, value := range want {
		b := make([]byte, 256)
		size, err := unix.Getxattr(full, name, b)
		if err != nil || string(b[:size]) != value {
			t.Errorf("%s is %q, want %q: %v", name, b[:max(size, 0)], value, err)
		}
	}
	if got := notes(t, n)["a.md"]; got != "1\n" {
		t.Errorf("got %q", got)
	}
}
