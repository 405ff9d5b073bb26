package token_test

import (
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/token"
)

func TestTokens(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "serve")
	here, there := token.Open(dir), token.Open(dir)
	ctx := t.Context()
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	secret, err := here.Create(ctx, "光标", []string{"read"}, nil, now)
	if err != nil {
		t.Fatal(err)
	}
	if x, ok := there.Find(sha256.Sum256([]byte(secret))); !ok || x.Name != "光标" || !slices.Equal(x.Permissions, []string{"read"}) || !x.Created.Equal(now) {
		t.Errorf("another process finds %+v, %v", x, ok)
	}
	if _, ok := there.Find(sha256.Sum256([]byte(secret + "x"))); ok {
		t.Error("a wrong token is found")
	}
	if _, err := there.Create(ctx, "光标", nil, nil, now); !errors.Is(err, memoir.ErrConflict) {
		t.Errorf("a second one of the name: %v", err)
	}
	for _, name := range []string{"", "a b", "../x", "-x", "a\n", strings.Repeat("a", 65)} {
		if _, err := here.Create(ctx, name, nil, nil, now); !errors.Is(err, memoir.ErrInvalid) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, "tokens.json")); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "tokens.json")); err != nil || strings.Contains(string(data), secret) {
		t.Errorf("the token is kept as it is: %s, %v", data, err)
	}
	if err := there.Revoke(ctx, "光标"); err != nil {
		t.Fatal(err)
	}
	if _, ok := here.Find(sha256.Sum256([]byte(secret))); ok {
		t.Error("a revoked token is found")
	}
	if err := here.Revoke(ctx, "光标"); !errors.Is(err, memoir.ErrNotFound) {
		t.Errorf("revoked twice: %v", err)
	}
}

// TestUnreadable: nobody is let in by a file that is damaged or a link.
func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	tokens := token.Open(dir)
	secret, err := tokens.Create(t.Context(), "a", []string{"read"}, nil, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "tokens.json")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, whole[:len(whole)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, ok := tokens.Find(sha256.Sum256([]byte(secret))); ok {
		t.Error("a damaged file lets somebody in")
	}
	if _, err := tokens.Create(t.Context(), "b", nil, nil, time.Now()); err == nil || memoir.Hint(err) == "" {
		t.Errorf("a damaged file is written over: %v", err)
	}
	elsewhere := filepath.Join(t.TempDir(), "x.json")
	if err := os.WriteFile(elsewhere, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, path); err != nil {
		t.Skip("no links here:", err)
	}
	if _, ok := tokens.Find(sha256.Sum256([]byte(secret))); ok {
		t.Error("a link lets somebody in")
	}
}

// Who deletes a workspace leaves no token that lets into it, nor one that lets into more
// than before.
func TestLeave(t *testing.T) {
	tokens := token.Open(t.TempDir())
	for name, only := range map[string][]string{"one": {"sales"}, "both": {"sales", "home"}, "all": nil, "home": {"home"}} {
		if _, err := tokens.Create(t.Context(), name, []string{"read"}, only, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	revoked, err := tokens.Leave(t.Context(), "sales")
	if err != nil || len(revoked) != 1 || revoked[0] != "one" {
		t.Errorf("revoked %v, %v", revoked, err)
	}
	all, err := tokens.List()
	if err != nil || len(all) != 3 {
		t.Fatalf("left are %v, %v", all, err)
	}
	for _, x := range all {
		if x.In("sales") != (x.Name == "all") || !x.In("home") {
			t.Errorf("%+v", x)
		}
	}
	if revoked, err := tokens.Leave(t.Context(), "sales"); err != nil || len(revoked) != 0 {
		t.Errorf("again: %v, %v", revoked, err)
	}
}

// A quota counts in every process from the moment that it is set, and keeps nobody from
// having less; one that cannot be read allows nothing.
func TestQuotas(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "serve")
	here, there := token.OpenQuotas(dir), token.OpenQuotas(dir)
	if q, err := there.Of("sales"); q != (token.Quota{}) || err != nil {
		t.Errorf("before any was set: %+v, %v", q, err)
	}
	for _, want := range []token.Quota{{Notes: 2, Bytes: 100, Requests: 9}, {Bytes: 100}, {}} {
		if err := here.Set(t.Context(), "sales", want); err != nil {
			t.Fatal(err)
		}
		if got, err := there.Of("sales"); got != want || err != nil {
			t.Errorf("another process reads %+v, %v, want %+v", got, err, want)
		}
		if got, err := there.Of("home"); got != (token.Quota{}) || err != nil {
			t.Errorf("that of another workspace is %+v, %v", got, err)
		}
	}
	if err := here.Set(t.Context(), "sales", token.Quota{Bytes: -1}); !errors.Is(err, memoir.ErrInvalid) {
		t.Errorf("below 0: %v", err)
	}
	q := token.Quota{Notes: 2, Bytes: 100}
	for _, c := range []struct {
		notes      int
		bytes      int64
		addedNotes int
		addedBytes int64
		full       bool
	}{
		{1, 50, 1, 50, false}, {1, 50, 0, 51, true}, {2, 50, 1, 1, true}, {2, 50, 0, 50, false},
		{9, 900, 0, 0, false}, {9, 900, -1, -10, false}, {9, 50, -1, 51, true}, {9, 900, 0, 1, true},
	} {
		if err := q.Room("sales", c.notes, c.bytes, c.addedNotes, c.addedBytes); errors.Is(err, token.ErrFull) != c.full || c.full && !strings.Contains(memoir.Hint(err), "memoir admin quota sales") {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "quotas.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := there.Of("sales"); err == nil || memoir.Hint(err) == "" {
		t.Errorf("a damaged file: %v", err)
	}
}
