// Package token keeps the tokens by which programs come to a server: of each agent's
// its digest alone, with a name and what it allows; and how much each workspace of a
// server may have.
package token

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/atomicfile"
	"github.com/memoir-ai/memoir/internal/lazyregexp"
	"github.com/memoir-ai/memoir/internal/sentinel"
	"github.com/memoir-ai/memoir/internal/statedir"
)

// prefix begins every token, so that scanners of secrets know one.
const prefix = "memoir_"

// A Token is what is kept of one.
type Token struct {
	Name        string    `json:"name"`                 // letters, digits, dots, dashes; one of its kind
	Permissions []string  `json:"permissions"`          // what it allows
	Workspaces  []string  `json:"workspaces,omitempty"` // by their names in memoir serve; none: all
	Created     time.Time `json:"created"`              // when it was made
	Digest      string    `json:"digest"`               // SHA-256 of the token, in hexadecimal
}

// In reports whether a token is for a workspace.
func (t *Token) In(workspace string) bool {
	return len(t.Workspaces) == 0 || slices.Contains(t.Workspaces, workspace)
}

// Tokens are those of a folder. They are safe for concurrent use, by several
// processes too: what one revokes no other lets in.
type Tokens struct {
	dir string
	all record[[]Token]
}

// Open returns the tokens of a folder, which is made when the first comes.
func Open(dir string) *Tokens {
	return &Tokens{dir, record[[]Token]{path: filepath.Join(dir, "tokens.json"), what: "tokens"}}
}

// maxName bounds a name, maxTokens how many there are.
const (
	maxName   = 64
	maxTokens = 1000
)

// names are the names that a token may have.
var names = lazyregexp.New(`^[\p{L}\p{N}][\p{L}\p{N}._-]*$`)

// Create makes a token of a name that no other has, and returns it. It is not shown
// again.
func (t *Tokens) Create(ctx context.Context, name string, permissions, workspaces []string, now time.Time) (string, error) {
	if len(name) > maxName || !names().MatchString(name) {
		return "", memoir.WithHint(fmt.Errorf("%.80q is no name for a token: %w", name, memoir.ErrInvalid), "use letters, digits, dots and dashes, such as laptop-cursor")
	}
	secret := prefix + strings.ToLower(rand.Text()+rand.Text())
	sum := sha256.Sum256([]byte(secret))
	for _, w := range workspaces {
		if len(w) > maxName || !names().MatchString(w) {
			return "", memoir.WithHint(fmt.Errorf("%.80q is no name of a workspace: %w", w, memoir.ErrInvalid), "give the name before the = of memoir serve --workspace, or that of the folder")
		}
	}
	err := t.all.change(ctx, func(all []Token) ([]Token, error) {
		if slices.ContainsFunc(all, func(x Token) bool { return x.Name == name }) {
			return nil, memoir.WithHint(sentinel.As(fmt.Errorf("there is a token %q already", name), memoir.ErrConflict), "memoir token revoke "+name+", or give another name")
		}
		if len(all) == maxTokens {
			return nil, memoir.WithHint(fmt.Errorf("there are %d tokens: %w", maxTokens, memoir.ErrInvalid), "memoir token revoke NAME")
		}
		return append(all, Token{Name: name, Permissions: permissions, Workspaces: workspaces, Created: now.UTC().Truncate(time.Second), Digest: hex.EncodeToString(sum[:])}), nil
	})
	if err != nil {
		return "", err
	}
	return secret, nil
}

// Revoke takes a token away; the error wraps [memoir.ErrNotFound] where there is none
// of the name.
func (t *Tokens) Revoke(ctx context.Context, name string) error {
	return t.all.change(ctx, func(all []Token) ([]Token, error) {
		left := slices.DeleteFunc(slices.Clone(all), func(x Token) bool { return x.Name == name })
		if len(left) == len(all) {
			return nil, memoir.WithHint(fmt.Errorf("there is no token %q: %w", name, memoir.ErrNotFound), "memoir token list")
		}
		return left, nil
	})
}

// Leave takes a workspace out of all tokens, and returns the names of those that were for
// it alone, which are revoked. Tokens for all workspaces stay as they are.
func (t *Tokens) Leave(ctx context.Context, workspace string) (revoked []string, err error) {
	err = t.all.change(ctx, func(all []Token) (left []Token, err error) {
		revoked, left = []string{}, []Token{}
		for _, x := range all {
			if len(x.Workspaces) > 0 && x.In(workspace) {
				x.Workspaces = slices.DeleteFunc(slices.Clone(x.Workspaces), func(w string) bool { return w == workspace })
				if len(x.Workspaces) == 0 { // which would mean all
					revoked = append(revoked, x.Name)
					continue
				}
			}
			left = append(left, x)
		}
		return left, nil
	})
	return revoked, err
}

// List returns what is kept of all tokens, the oldest first.
func (t *Tokens) List() ([]Token, error) {
	all, err := t.all.load()
	return slices.Clone(all), err
}

// Find returns what is kept of a token by its digest. How long it takes does not depend
// on how much of a digest is right.
func (t *Tokens) Find(digest [sha256.Size]byte) (found Token, ok bool) {
	all, err := t.all.load()
	if err != nil {
		return Token{}, false
	}
	text := []byte(hex.EncodeToString(digest[:]))
	for _, x := range all {
		if subtle.ConstantTimeCompare([]byte(x.Digest), text) == 1 {
			found, ok = x, true
		}
	}
	return found, ok
}

// Secret makes or replaces a file of the folder that nobody else can read.
func Secret(path string, data []byte) error {
	if err := statedir.Make(path); err != nil {
		return err
	}
	return atomicfile.Write(path, 0o600, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
