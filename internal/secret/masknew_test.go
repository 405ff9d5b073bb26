package secret_test

import (
	"testing"

	"github.com/memoir-ai/memoir/internal/secret"
)

// TestMaskNew: what is written new is masked, and what the note had stays, wherever it stands
// afterwards.
func TestMaskNew(t *testing.T) {
	const own = "- my password is Hx7-quokka-Z92!\r\n- PIN: 4821\r\n"
	for _, x := range []struct{ old, text, want string }{
		{"", "my password is Hx7-quokka-Z92!", "my password is [secret: password]"},
		{own, own + "- the boat is green\n", own + "- the boat is green\n"},
		{own, own + "- the wifi password is Zx9-heron-Q71!\n", own + "- the wifi password is [secret: password]\n"},
		{own, "# New\n- PIN: 4821\n- her password is Hx7-quokka-Z92!, as before\n", "# New\n- PIN: 4821\n- her password is Hx7-quokka-Z92!, as before\n"},
		{own, own + "- the admin password is Hx7-quokka-Z92!\n", own + "- the admin password is [secret: password]\n"},
		{"Password:\n", "Password:\nHx7-quokka-Z92!\n", "Password:\n[secret: password]\n"},
		{"Hx7-quokka-Z92!\n", "Password:\nHx7-quokka-Z92!\n", "Password:\nHx7-quokka-Z92!\n"},
		{"密码：Hx7-quokka-Z92!\n", "密码：Hx7-quokka-Z92!\n口令：Zx9-heron-Q71!\n", "密码：Hx7-quokka-Z92!\n口令：[secret: password]\n"},
	} {
		got, spans := secret.MaskNew(x.old, x.text)
		if got != x.want || (len(spans) > 0) != (got != x.text) {
			t.Errorf("%q after %q:\ngot  %q, %v\nwant %q", x.text, x.old, got, spans, x.want)
		}
	}
}
