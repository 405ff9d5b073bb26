package session

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/ability"
	"github.com/memoir-ai/memoir/internal/digest"
	"github.com/memoir-ai/memoir/internal/lazyregexp"
	"github.com/memoir-ai/memoir/internal/syserr"
)

var _ ability.Leaver = (*Source)(nil)

// marks returns the marks of sessions that were forgotten; nil: none can be.
func (s *Source) marks() *digest.Marks {
	if s.opts.Forgotten == "" {
		return nil
	}
	return &digest.Marks{File: filepath.Join(s.opts.Forgotten, "forgotten"), Digests: &s.salt}
}

// left returns what reports whether a document was forgotten. The file is read each time,
// since another process may have written it.
func (s *Source) left() (func(memoir.DocID) bool, error) {
	marked, err := s.marked()
	if err != nil {
		return nil, err
	}
	return func(id memoir.DocID) bool { return slices.ContainsFunc(s.keys(id), marked) }, nil
}

// Left reports whether a document was forgotten by now.
func (s *Source) Left(id memoir.DocID) (bool, error) {
	left, err := s.left()
	return err == nil && left(id), err
}

// marked returns what reports whether a session is marked as forgotten by a key.
func (s *Source) marked() (func(key string) bool, error) {
	marks := s.marks()
	if marks == nil {
		return func(string) bool { return false }, nil
	}
	all, err := marks.All()
	if errors.Is(err, digest.ErrSaltLost) {
		err = fmt.Errorf("the salt in %s is lost", s.opts.Forgotten)
	}
	if err != nil {
		return nil, fmt.Errorf("which sessions were forgotten cannot be told (%w); none is read until %s is mended or moved away, and then all are", syserr.Reason(err), marks.File)
	}
	return func(key string) bool { return len(all) > 0 && all[marks.Of(key)] }, nil
}

// keys returns what a session is marked by: its id, and its name within its agent, which
// it keeps when the agent archives it or moves it to a database. Transcripts of an agent
// that memoir does not know are known by their paths alone.
func (s *Source) keys(id memoir.DocID) []string {
	keys := []string{string(id)}
	if s.opts.Mapping != nil {
		return keys
	}
	part := ""
	if s.opts.Agent == "openclaw" {
		part, _, _ = strings.Cut(strings.TrimPrefix(string(id), Prefix(s.opts.Agent)), "/")
	}
	return append(keys, Prefix(s.opts.Agent)+part+"\x00"+s.IDOf(id))
}

// Name returns what a session is called wherever its transcript is: it stays when the agent
// archives that, packs it, or moves it to a database.
func (s *Source) Name(id memoir.DocID) string {
	keys := s.keys(id)
	return keys[len(keys)-1]
}

// before returns the ids that a session had before its agent archived or packed its
// transcript, or moved it to a database; the last of them while it went on.
func (s *Source) before(id memoir.DocID) (all []memoir.DocID) {
	rest, _ := strings.CutPrefix(string(id), Prefix(s.opts.Agent))
	earlier := func(rest string) { all = append(all, memoir.DocID(Prefix(s.opts.Agent)+rest)) }
	_, _, isRow := s.row(id)
	switch live, end, _ := strings.Cut(rest, ".jsonl"); {
	case s.opts.Mapping != nil:
	case s.opts.Agent == "openclaw" && isRow:
		earlier(path.Dir(rest) + "/sessions/" + path.Base(rest) + ".jsonl")
	case s.opts.Agent == "openclaw" && end != "":
		if unpacked, ok := strings.CutSuffix(rest, ".zst"); ok && end != ".zst" {
			earlier(unpacked)
		}
		earlier(live + ".jsonl")
	case s.opts.Agent == "codex":
		if day := archivedRollout().FindStringSubmatch(rest); day != nil {
			earlier(path.Join(day[2], day[3], day[4], day[1]))
		}
	}
	return all
}

// archivedRollout matches a transcript that Codex has archived, which then stands no more in the
// folder of its day.
var archivedRollout = lazyregexp.New(`^archived_sessions/(rollout-(\d{4})-(\d\d)-(\d\d)T.*)$`)

// calledKey returns what a session is marked by, too: what its transcript says that the agent
// calls it. A scan does not know that.
func calledKey(agent, id string) string { return Prefix(agent) + "\x00\x00" + id }

// Forgotten returns what reports whether a session of an agent that memoir knows was
// forgotten, by its id. dir is [Options.Forgotten]; "" is none. When that cannot be told, an
// error says so.
func Forgotten(dir string) (func(agent, id string) bool, error) {
	s := &Source{opts: Options{Forgotten: dir}, salt: digest.Digests{Dir: dir}}
	marked, err := s.marked()
	if err != nil {
		return nil, err
	}
	return func(agent, id string) bool {
		return marked(Prefix(agent)+"\x00"+id) || marked(Prefix(agent)+"main\x00"+id) /* OpenClaw's own */ || marked(calledKey(agent, id))
	}, nil
}

// Leave implements [ability.Leaver].
func (s *Source) Leave(left ability.Left) error {
	marks := s.marks()
	if marks == nil {
		return fmt.Errorf("forget sessions of %s: there is no folder to note it in: %w", s.opts.Agent, memoir.ErrUnavailable)
	}
	var keys []string
	for _, id := range left.IDs {
		if s.Owns(id) {
			keys = append(keys, s.keys(id)...)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	for _, name := range left.Names {
		keys = append(keys, calledKey(s.opts.Agent, name))
	}
	if err := marks.Add(keys); err != nil {
		return fmt.Errorf("note which sessions are forgotten: %w", err)
	}
	return nil
}

// shortest is how long the beginning of a name must be that stands for a session which is
// to be forgotten.
const shortest = 4

// Meant implements [ability.Leaver]. All transcripts are read: a copy has its session's name
// within, whatever its file is called, and a fork begins with its session's first turn.
func (s *Source) Meant(ctx context.Context, name string, known []memoir.DocID) ([]ability.Left, error) {
	if name == "" {
		return nil, nil
	}
	all, err := s.there(ctx, name, known)
	if err != nil {
		return nil, err
	}
	with := func(again bool, is func(ability.Left) bool) (meant []ability.Left) {
		for _, x := range all {
			if x.Again == again && is(x) {
				meant = append(meant, x)
			}
		}
		return meant
	}
	called := func(x ability.Left) bool {
		return slices.Contains(x.IDs, memoir.DocID(name)) || slices.Contains(x.Before, memoir.DocID(name)) || slices.Contains(x.Names, name)
	}
	byPath := strings.Contains(name, "/")
	var others []string // what other sessions' files are called
	first := make([][]string, len(all))
	for i := range all {
		is := called(all[i])
		var names []string
		names, first[i] = s.ask(ctx, all[i])
		if !byPath || is {
			all[i].Names = append(all[i].Names, names...)
		} else {
			others = append(others, all[i].Names...)
		}
	}
	meant := with(false, called)
	if len(meant) == 0 {
		meant = with(true, called)
	}
	if byPath {
		for i := range meant {
			meant[i].Names = slices.DeleteFunc(meant[i].Names, func(n string) bool {
				return slices.ContainsFunc(others, func(o string) bool { return o == n || strings.HasSuffix(o, "-"+n) })
			})
		}
		setCopies(meant, all, first)
		return meant, ctx.Err()
	}
	if len(meant) == 0 && len(name) >= shortest {
		meant = with(false, func(x ability.Left) bool {
			return slices.ContainsFunc(x.Names, func(n string) bool { return strings.HasPrefix(n, name) })
		})
	}
	setCopies(meant, all, first)
	return meant, ctx.Err()
}

// setCopies sets the copies of the sessions that are meant. first are the first turns of all,
// as ask has them.
func setCopies(meant, all []ability.Left, first [][]string) {
	isMeant := func(x ability.Left) bool {
		return slices.ContainsFunc(meant, func(m ability.Left) bool { return m.IDs[0] == x.IDs[0] })
	}
	begins := map[string]bool{}
	for i, x := range all {
		for _, turn := range first[i] {
			begins[turn] = begins[turn] || isMeant(x)
		}
	}
	for i, x := range all {
		if len(meant) > 0 && !isMeant(x) && slices.ContainsFunc(first[i], func(turn string) bool { return begins[turn] }) {
			meant[0].Copies = append(meant[0].Copies, x.IDs...)
		}
	}
}

// there returns the sessions that are there, and those of the known ids and of the name that
// are the source's. Transcripts that are marked by one name are one session.
func (s *Source) there(ctx context.Context, name string, known []memoir.DocID) (all []ability.Left, err error) {
	left, err := s.left()
	if err != nil {
		return nil, err
	}
	places := map[string]int{}
	add := func(id memoir.DocID) {
		if !s.Owns(id) {
			return
		}
		i, seen := places[s.Name(id)]
		if !seen {
			i = len(all)
			places[s.Name(id)], all = i, append(all, ability.Left{Names: []string{s.IDOf(id)}, Again: left(id)})
		}
		if !slices.Contains(all[i].IDs, id) {
			all[i].IDs, all[i].Files = append(all[i].IDs, id), append(all[i].Files, s.fileOf(id))
			all[i].Before = append(all[i].Before, s.before(id)...)
		}
	}
	found, err := s.all(ctx)
	if err != nil {
		return nil, err
	}
	for _, e := range found {
		if !e.Temporary {
			add(e.ID)
		}
	}
	for _, id := range known {
		add(id)
	}
	if id := memoir.DocID(name); left(id) {
		add(id)
	}
	return all, nil
}

// ask returns what the transcripts of a session have within: more names by which the agent
// itself calls it, unless one reads as the id of a document, which would be another session's;
// and their first turns, each a digest of its time and text. A turn without a time is none, for
// others may have said the same.
func (s *Source) ask(ctx context.Context, left ability.Left) (names, first []string) {
	for _, id := range left.IDs {
		x, err := s.Session(ctx, id)
		if err != nil {
			continue
		}
		if !strings.HasPrefix(x.ID, Folder+"/") && !slices.Contains(left.Names, x.ID) && !slices.Contains(names, x.ID) {
			names = append(names, x.ID)
		}
		if len(x.Turns) > 0 && !x.Turns[0].Time.IsZero() {
			sum := sha256.Sum256([]byte(x.Turns[0].Time.UTC().Format(time.RFC3339Nano) + x.Turns[0].Text))
			first = append(first, string(sum[:]))
		}
	}
	return names, first
}

// fileOf returns the path of the file that a session is in; "" when it is gone.
func (s *Source) fileOf(id memoir.DocID) string {
	var whole string
	if file, _, ok := s.row(id); ok {
		whole = filepath.Join(s.opts.DatabaseDir, filepath.FromSlash(file))
	} else if file, ok := s.file(id); ok {
		whole = filepath.Join(s.opts.Dir, filepath.FromSlash(path.Clean(file)))
	}
	if _, err := os.Lstat(whole); whole == "" || err != nil {
		return ""
	}
	return whole
}
