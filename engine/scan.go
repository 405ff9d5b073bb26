package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/ability"
	"github.com/memoir-ai/memoir/internal/remember"
	"github.com/memoir-ai/memoir/internal/secret"
)

// Finding is a secret, such as a password, a key or a card, in a document or in
// what is kept besides the documents.
type Finding struct {
	ID memoir.DocID // "" in the query log
	// In is where the secret stands; the zero value means in the document as it
	// is now. Change is the id of the change when In is [InHistory]. ID is that of
	// the file when In is [InLeftover].
	In     Place
	Change string
	Line   int    // 1-based line where the secret begins; 0 in the history
	Kind   string // "password", "token", …; docs/design/secrets.md has them all
	// Preview is the line, or in a long line the part round the secret. Every
	// secret in it is replaced by a mark such as "[secret: password]".
	Preview string
}

// A Place is something other than documents that is scanned for secrets.
type Place string

// The places.
const (
	InHistory Place = "history" // the copies for undo
	InQueries Place = "queries" // the query log
	InHooks   Place = "hooks"   // a summary that waits to be kept, or the log of hooks; ID is the name of its file
	// InLeftover is a file that a killed process left beside a note.
	InLeftover Place = "leftover"
)

// ScanStats says what a scan for secrets did.
type ScanStats struct {
	Scanned int              // documents that were looked through
	Skipped []memoir.Skipped // files that were not, with the reason
}

// Scan looks for secrets in all notes as the sources have them now, in the
// order of the sources, and then in the history of changes and in files that killed
// processes left beside the notes. It reads no index
// and writes nothing. It leaves out sessions and collections: their files
// belong to others, and sessions are masked by their sources.
func (e *Engine) Scan(ctx context.Context) ([]Finding, ScanStats, error) {
	var findings []Finding
	var stats ScanStats
	for _, src := range e.notes() {
		for entry, err := range src.Scan(ctx) {
			if err != nil {
				return nil, stats, fmt.Errorf("scan the workspace: %w", err)
			}
			if entry.Skip != "" {
				stats.Skipped = append(stats.Skipped, memoir.Skipped{ID: entry.ID, Reason: entry.Skip})
				continue
			}
			doc, err := src.Read(ctx, entry.ID)
			var skip *memoir.SkipError
			switch {
			case errors.Is(err, memoir.ErrNotFound):
				continue // the document has vanished
			case errors.As(err, &skip):
				stats.Skipped = append(stats.Skipped, memoir.Skipped{ID: entry.ID, Reason: skip.Reason})
				continue
			case err != nil:
				return nil, stats, fmt.Errorf("read %s: %w", entry.ID, err)
			}
			stats.Scanned++
			for _, f := range secret.Findings(doc.Text) {
				findings = append(findings, Finding{ID: doc.ID, Line: f.Line, Kind: string(f.Kind), Preview: f.Preview})
			}
		}
	}
	if e.keeper == nil {
		return findings, stats, nil
	}
	kept, err := e.keeper.Secrets()
	for _, f := range kept {
		in := InHistory
		if f.Change == "" {
			in = InLeftover
		}
		findings = append(findings, Finding{ID: memoir.DocID(f.Path), In: in, Change: f.Change, Line: f.Line, Kind: string(f.Kind), Preview: f.Preview})
	}
	return findings, stats, err
}

// Texts are texts that are kept besides the notes. The function is called with each, and what
// it returns takes the place of the text.
type Texts interface {
	Texts(do func(file, text string) (string, error)) (changed int, err error)
}

// FindingsIn returns the secrets in texts. The id of each is the name of its file.
func FindingsIn(in Place, texts Texts) (found []Finding, err error) {
	_, err = texts.Texts(func(file, text string) (string, error) {
		for _, f := range secret.Findings(text) {
			found = append(found, Finding{
				ID: memoir.DocID(filepath.Base(file)), In: in, Line: f.Line, Kind: string(f.Kind), Preview: f.Preview,
			})
		}
		return text, nil
	})
	return found, err
}

// MaskIn masks the secrets in texts, for good.
func MaskIn(texts Texts) error {
	_, err := texts.Texts(func(_, text string) (string, error) {
		masked, _ := secret.Mask(text)
		return masked, nil
	})
	return err
}

// MaskNew masks the secrets that a text has and its older version has not, and returns how
// many those are. A secret that the older version has stays, as its owner wrote it.
func MaskNew(old, text string) (masked string, secrets int) {
	masked, spans := secret.MaskNew(old, text)
	return masked, len(spans)
}

// KeepOrigins returns what an agent saves in place of an older text, with the origins that its
// entries may claim: none that is new or changed is the user's, and none of an older entry is
// raised or taken out. What has no comment stays as it is. line is that of an entry whose origin
// stands in a comment apart from it and cannot be set, 0 for none.
func KeepOrigins(old, text string) (kept string, line int) { return remember.KeepOrigins(old, text) }

// Masking says which secrets were masked.
type Masking = remember.Masking

// MaskSecrets puts marks such as "[secret: password]" in place of what
// [Engine.Scan] finds, in Markdown notes, in the history and in left-over files. This is
// one change of notes that cannot be taken back, because no copy is kept. It then syncs
// the index and purges the old text from the index files. The result names what
// could not be masked.
func (e *Engine) MaskSecrets(ctx context.Context) (Masking, error) {
	k, err := e.keep("mask secrets")
	if err != nil {
		return Masking{}, err
	}
	defer e.calls.end()
	findings, _, err := e.Scan(ctx)
	if err != nil {
		return Masking{}, err
	}
	var ids []string
	for _, f := range findings {
		if f.In == "" && !slices.Contains(ids, string(f.ID)) {
			ids = append(ids, string(f.ID))
		}
	}
	done, err := k.Mask(ctx, ids)
	if err != nil && len(done.Notes) == 0 {
		return done, err
	}
	return done, errors.Join(err, e.purgeMasked(ctx, "the notes are masked, but the index may still hold what they said", done.Notes))
}

// purgeMasked purges what notes said before their secrets were masked. The notes are
// changed, whoever waits. problem is what its error says first.
func (e *Engine) purgeMasked(ctx context.Context, problem string, notes []string) error {
	if len(notes) > 0 {
		ctx = context.WithoutCancel(ctx)
	}
	if err := e.purge(ctx, notes, e.keeper.Owing()); err != nil {
		return memoir.WithHint(fmt.Errorf("%s: %w", problem, err), "end the programs that use the index, then memoir scan --fix")
	}
	return nil
}

// purge syncs the index after notes lost something for good, and clears what it
// held of them. With all it may hold more than that of notes which nobody can name.
func (e *Engine) purge(ctx context.Context, notes []string, all bool) error {
	var behind error
	if all {
		_, behind = e.indexer.Sync(ctx, nil)
	}
	ids := make([]memoir.DocID, len(notes))
	for i, note := range notes {
		ids[i] = memoir.DocID(note)
	}
	if _, err := e.indexer.SyncDocuments(ctx, ids); err != nil {
		return errors.Join(behind, err)
	}
	if p, ok := memoir.As[ability.Purger](e.store); ok {
		if err := p.Purge(ctx); err != nil {
			return errors.Join(behind, err)
		}
	}
	if behind != nil {
		return behind
	}
	return e.keeper.Settle()
}
