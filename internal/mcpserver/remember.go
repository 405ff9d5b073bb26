package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/wire"
)

// Writer is what the tools that write need of an engine; [engine.Engine]
// implements it. It must be safe for concurrent use.
type Writer interface {
	// Remember keeps a statement as [engine.Engine.Remember] does.
	Remember(ctx context.Context, st engine.Statement) (engine.Outcome, error)
	// Prime returns what a session starts with as [engine.Engine.Prime] does.
	Prime(ctx context.Context, opts engine.PrimeOptions) (engine.Primed, error)
	// Forget removes entries as [engine.Engine.Forget] does.
	Forget(ctx context.Context, target engine.Target, dryRun bool) (engine.Forgetting, error)
}

const rememberDescription = `Keep a fact in the user's long-term memory: when the user asks, and what will matter in later sessions. One fact a call, in the user's language, clear without this conversation; no small talk, plans of this session, code or secrets.
When the answer names a similar entry that yours corrects, call again with replaces.`

// remembered is the answer of memory_remember. An entry that replaces nothing
// leaves the field out, because null would need a second type, which some
// clients refuse.
type remembered struct {
	answered
	Replaces *engine.Ref `json:"replaces,omitempty"`
}

// answered is an outcome, under a name that does not hide its fields from the
// schema.
type answered = engine.Outcome

func rememberTool(w Writer, scopes bool, complete func(string) string) tool {
	properties := []property{
		textProperty("text", "one or two sentences"),
		enumProperty("type", "", "auto", "preference", "instruction", "contact", "project", "decision", "learning", "journal"),
		textProperty("replaces", "id or citation, or none"),
		enumProperty("origin", "else agent", "user", "agent", "tool", "web"),
		numberProperty("importance", "integer", 1, 5, "1 to 5"),
		textProperty("key", "is kept once"),
	}
	if scopes {
		properties = append(properties, enumProperty("scope", "", "auto", "user", "project"))
	}
	input := objectSchema(properties...)
	t := newTool("memory_remember", rememberDescription, input, complete,
		func(ctx context.Context, args arguments) (remembered, string, error) {
			st := engine.Statement{
				Text: args.text("text"), Type: args.text("type"), Replaces: args.text("replaces"), Origin: args.text("origin"),
				Importance: args.whole("importance"), Key: args.text("key"),
			}
			if scope := args.text("scope"); scope != "auto" {
				st.Scope = memoir.Scope(scope)
			}
			if st.Type == "auto" {
				st.Type = ""
			}
			if st.Origin == "" {
				st.Origin = "agent"
			}
			outcome, err := w.Remember(ctx, st)
			if err != nil {
				return remembered{}, "", searchFor(err)
			}
			return remembered{outcome, outcome.Replaces}, outcomeText(outcome), nil
		})
	changes(t, false)
	return t
}

// searchFor gives an error about an entry that is not there the next step of a model,
// which has no command that lists entries. What is missing may also be the workspace.
func searchFor(err error) error {
	if errors.Is(err, memoir.ErrNotFound) && !errors.Is(err, fs.ErrNotExist) {
		return memoir.WithHint(err, "find the entry with memory_search and give its citation, with the line")
	}
	return err
}

// outcomeText says to a model what became of a statement.
func outcomeText(o engine.Outcome) string {
	var b strings.Builder
	switch {
	case o.Path == "":
		fmt.Fprintf(&b, "%s (%s): %s.\n", o.Outcome, o.Reason.Code, uncontrolled(wire.Cut(o.Reason.Text, maxReason)))
		if step := afterRefusal(o.Reason); step != "" {
			b.WriteString(step + ".\n")
		}
	default:
		fmt.Fprintf(&b, "%s (%s) at %s, id %s: %s.\n", o.Outcome, o.Reason.Code, placeText(o.Scope, o.Path, o.StartLine, o.EndLine), o.ID, uncontrolled(wire.Cut(o.Reason.Text, maxReason)))
		if o.Workspace != "" {
			fmt.Fprintf(&b, "It is among %s, in %s.\n", uncontrolled(wire.Cut(o.Whose, maxReason)), uncontrolled(wire.Cut(o.Workspace, maxReason)))
		}
	}
	if o.Redacted && o.Path != "" {
		b.WriteString("A secret in it was masked before it was written.\n")
	}
	if o.Withheld && o.Path != "" {
		b.WriteString("What was marked as private in it was left out.\n")
	}
	if o.Skipped != "" {
		fmt.Fprintf(&b, "No search finds it, because its note is not indexed: %s. Tell the user.\n", uncontrolled(wire.Cut(o.Skipped, maxReason)))
	}
	said := uncontrolled(wire.Cut(o.Known, maxReason))
	switch {
	case o.Replaces != nil:
		fmt.Fprintf(&b, "It takes the place of %s, which stays, marked as superseded.", placeText(o.Replaces.Scope, o.Replaces.Path, o.Replaces.StartLine, o.Replaces.EndLine))
		if said != "" {
			b.WriteString(" That said: " + said)
		}
		b.WriteString("\n")
	case said != "":
		b.WriteString("That entry says: " + said + "\n")
		if o.Told != "" {
			b.WriteString("Your words are kept in the history. When they say something else, call again with replaces set to " + engine.Nothing + ".\n")
		}
	}
	if len(o.Similar) > 0 {
		b.WriteString("Similar entries; when yours corrects one, call again with replaces set to its id, or else to its citation:\n")
	}
	for _, x := range o.Similar {
		fmt.Fprintf(&b, "- %s: %s\n", nameText(x.Ref), uncontrolled(wire.Cut(x.Text, maxReason)))
	}
	for _, more := range o.More {
		b.WriteString(outcomeText(more))
	}
	return b.String()
}

// afterRefusal says to a model what to do after a refusal.
func afterRefusal(r engine.Reason) string {
	switch r.Wants {
	case engine.WantsForget:
		return "If the user wants that, call memory_forget with the words of what is meant"
	case engine.WantsSentence:
		return "If there is a fact in it, call again once with that alone, as a whole sentence; else go on"
	case engine.WantsSearch:
		return "To look it up, call memory_search"
	}
	if r.Action == "" {
		return ""
	}
	return strings.ToUpper(r.Action[:1]) + r.Action[1:]
}

// nameText writes what a model calls an entry by, which means that entry also when others
// in its note have gone: its id with where it stands, or its citation with the check.
func nameText(r engine.Ref) string {
	name := uncontrolled(r.Name())
	switch {
	case r.ID == "" && r.StartLine == 0: // in the history only
		return uncontrolled(r.Scope.Name(memoir.DocID(r.Path)))
	case r.ID == "":
		return name
	case r.StartLine == 0:
		return "id " + name
	}
	return "id " + name + ", " + placeText(r.Scope, r.Path, r.StartLine, r.EndLine)
}

// placeText writes where an entry stands as a citation.
func placeText(scope memoir.Scope, path string, from, to int) string {
	c := memoir.Chunk{ChunkMeta: memoir.ChunkMeta{ChunkID: memoir.ChunkID{Doc: memoir.DocID(path), Scope: scope}}, StartLine: from, EndLine: to}
	return uncontrolled(c.Citation())
}

const primeDescription = `Get what to know at the start of a session: who the user is, instructions, preferences, recent decisions, open points. Call it once; do not store its text again.`

func primeTool(w Writer, complete func(string) string) tool {
	input := objectSchema(
		textProperty("message", "the user's first"),
		numberProperty("maxTokens", "integer", 50, 20_000, "50 to 20000, else 2000"),
		enumProperty("shared", "yes: nothing private", "no", "yes"),
	)
	input.Required = nil
	return newTool("memory_prime", primeDescription, input, complete,
		func(ctx context.Context, args arguments) (engine.Primed, string, error) {
			p, err := w.Prime(ctx, engine.PrimeOptions{Message: args.text("message"), MaxTokens: args.whole("maxTokens"), Shared: args.text("shared") == "yes"})
			if err != nil {
				return engine.Primed{}, "", err
			}
			if p.Text == "" && len(p.Left) > 0 {
				return p, fmt.Sprintf("Nothing fits; call again with maxTokens %d or more.\n", p.Least), nil
			}
			return p, cmp.Or(p.Text, "The memory is empty.\n"), nil
		})
}

const forgetDescription = `Remove an entry for good, only when the user asks. Give query, show the list, then give each entry agreed to. To correct one use memory_remember with replaces.`

// forgotten is the answer of memory_forget.
type forgotten struct {
	Entries []engine.Entry `json:"entries"`
	// Also, Some and Near are as in an [engine.Forgetting].
	Also []engine.Entry `json:"also,omitempty"`
	Some []engine.Entry `json:"some,omitempty"`
	Near []engine.Entry `json:"near,omitempty"`
	// InHistory are entries that stand in no note any more.
	InHistory []engine.Entry `json:"inHistory,omitempty"`

	// Sessions are transcripts that are not indexed any more; their files stay.
	Sessions []engine.ForgottenSession `json:"sessions,omitempty"`

	// StillSaid are transcripts that say it, too, and stay.
	StillSaid []engine.ForgottenSession `json:"stillSaid,omitempty"`

	Left   int  `json:"left,omitempty"` // further entries that do not fit in an answer
	DryRun bool `json:"dryRun"`
	// Remains is said when files may still hold what was forgotten.
	Remains string `json:"remains,omitempty"`
}

// list writes entries for a model and returns them, as far as there is room.
func (f *forgotten) list(b *strings.Builder, what string, entries []engine.Entry, room *int) []engine.Entry {
	for i := range entries {
		e := &entries[i]
		e.Text = wire.Cut(e.Text, maxReason)
		name := nameText(e.Ref)
		switch {
		case f.DryRun:
		case e.StartLine == 0:
			name = uncontrolled(e.Scope.Name(memoir.DocID(e.Path)))
		default: // nothing of that name is there any more
			name = placeText(e.Scope, e.Path, e.StartLine, e.EndLine)
		}
		line := fmt.Sprintf("%s: %s: %s\n", what, name, uncontrolled(e.Text))
		if *room -= utf8.RuneCountInString(line) + members; *room < 0 {
			f.Left += len(entries) - i
			return entries[:i]
		}
		b.WriteString(line)
	}
	return entries
}

// sessions says which sessions are forgotten, where their transcripts stay, and which
// others say what is forgotten, too.
func (f *forgotten) sessions(b *strings.Builder, what string) {
	for _, x := range f.Sessions {
		fmt.Fprintf(b, "%s: the session %s\n", what, uncontrolled(x.Path))
		if x.File != "" {
			fmt.Fprintf(b, "Tell the user that the agent's own transcript stays as it is, at %s. It is not read again.\n", uncontrolled(x.File))
		}
	}
	for _, x := range f.StillSaid {
		fmt.Fprintf(b, "The session %s says it, too, and memory_search finds it there. Tell the user; all of that session is forgotten with entry set to that path.\n", uncontrolled(x.Path))
	}
}

// besides says what else goes: whole notes, what is kept besides the notes, and what is
// elsewhere.
func besides(b *strings.Builder, what string, done engine.Forgetting) {
	for _, note := range done.Notes {
		fmt.Fprintf(b, "%s: the note %s\n", what, uncontrolled(note))
	}
	for _, x := range done.Cleaned {
		fmt.Fprintf(b, "%s, too: it was in %d of what is kept besides the notes (%s).\n", what, x.Items, x.In)
	}
	for _, e := range done.Elsewhere {
		if n := len(e.Entries) + len(e.InHistory) + len(e.Notes); n > 0 {
			fmt.Fprintf(b, "%s: %d entries and notes of the workspace %s\n", what, n, uncontrolled(e.Workspace))
		}
	}
}

// ofSession reports whether a name is that of a session, or of lines of one.
func ofSession(name string) bool {
	_, id := memoir.ParseName(name)
	path, _, _ := strings.Cut(string(id), "#")
	return strings.HasPrefix(path, "sessions/") && !strings.HasSuffix(strings.ToLower(path), ".md")
}

// wholeSession gives an error about lines of a session, which alone cannot be forgotten, the
// next step of a model.
func wholeSession(err error, ref string) error {
	path, _, cited := strings.Cut(ref, "#")
	if cited && ofSession(ref) && errors.Is(err, memoir.ErrInvalid) {
		return memoir.WithHint(err, "ask the user whether the whole session is meant; then call again with entry "+wire.Cut(path, maxEcho))
	}
	return err
}

// members is how many characters of structured content stand round the text of an entry.
const members = 120

// remains says which files may still hold what was forgotten, "" for none.
func remains(done engine.Forgetting) string {
	var all []string
	if done.InIndex {
		all = append(all, "Files of the index may still hold it; no search finds it. A person can clear them: memoir scan --fix.")
	}
	for _, e := range done.Elsewhere {
		clear := "forgets it there: memoir --workspace FOLDER forget --session PATH."
		if len(done.Sessions) == 0 {
			clear = "clears that index: memoir --agent " + wire.Cut(uncontrolled(e.Agent), maxEcho) + " index, then scan --fix."
		}
		if e.InIndex || e.Problem != "" {
			all = append(all, "The workspace "+wire.Cut(uncontrolled(e.Workspace), maxEcho)+" may still hold it; a person "+clear)
		}
	}
	if len(done.Recorded) > 0 {
		all = append(all, fmt.Sprintf("The history has something of it in %d entries that no note has any more; a person sees them with memoir forget.", len(done.Recorded)))
	}
	if len(done.Unmarked) > 0 {
		all = append(all, "These notes stay and may hold a summary of the session; a person removes them with memoir forget NOTE: "+wire.Cut(strings.Join(done.Unmarked, ", "), maxEcho)+".")
	}
	if len(done.Unread) > 0 {
		all = append(all, "A person should look whether these files, left beside the notes, hold it: "+wire.Cut(strings.Join(done.Unread, ", "), maxEcho)+".")
	}
	return strings.Join(all, " ")
}

func forgetTool(w Writer, complete func(string) string) tool {
	input := objectSchema(
		textProperty("entry", "id or listed citation"),
		textProperty("query", "lists what is meant"),
		enumProperty("dryRun", "", "no", "yes"),
	)
	input.Required = nil
	t := newTool("memory_forget", forgetDescription, input, complete,
		func(ctx context.Context, args arguments) (forgotten, string, error) {
			ref, query := args.text("entry"), args.text("query")
			if (ref == "") == (query == "") {
				return forgotten{}, "", memoir.WithHint(invalid("say either entry or query"), "call with query first, then with entry")
			}
			if !strings.Contains(ref, "#") && strings.ContainsAny(ref, "./") && !ofSession(ref) {
				return forgotten{}, "", memoir.WithHint(invalid("%s is a whole note; this tool removes entries", wire.Cut(ref, maxEcho)), "name the lines, such as "+wire.Cut(ref, maxEcho)+"#L3")
			}
			// Lines alone may be those of another entry by now, so they are only listed.
			done, err := w.Forget(ctx, engine.Target{Ref: ref, Query: query}, query != "" || args.text("dryRun") == "yes" || !engine.Certain(ref))
			if err != nil {
				return forgotten{}, "", wholeSession(searchFor(err), ref)
			}
			out := forgotten{Entries: append([]engine.Entry{}, done.Entries...), Also: done.Also, Some: done.Some, Near: done.Near, InHistory: done.InHistory, Sessions: done.Sessions, StillSaid: done.StillSaid, DryRun: done.DryRun}
			what := "Forgotten"
			switch {
			case query != "":
				what = "Likely meant"
			case out.DryRun:
				what = "Would be forgotten"
			}
			var b strings.Builder
			room := maxAnswer
			out.sessions(&b, what)
			besides(&b, what, done)
			out.Entries, out.InHistory = out.list(&b, what, out.Entries, &room), out.list(&b, what+", in the history only", out.InHistory, &room)
			out.Also = out.list(&b, "Also has the words", out.Also, &room)
			out.Near, out.Some = out.list(&b, "Is about something similar", out.Near, &room), out.list(&b, "Has only some of the words", out.Some, &room)
			if out.Left > 0 {
				fmt.Fprintf(&b, "%d more do not fit here; memory_search finds them, too.\n", out.Left)
			}
			switch {
			case query != "" && b.Len() == 0:
				b.WriteString("No entry fits that; nothing was removed. What memory_search finds in a session is forgotten with the whole session: set entry to the path of its citation, without the line.\n")
			case out.DryRun && len(out.Sessions) > 0:
				b.WriteString("Nothing was removed.\n")
			case out.DryRun:
				b.WriteString("Nothing was removed. Call again with entry set to the id of what the user means, or else to its citation as it is here.\n")
			}
			if slices.ContainsFunc(out.InHistory, func(e engine.Entry) bool { return out.DryRun && e.ID == "" }) {
				b.WriteString("What is in the history only and has no id, a person removes: memoir forget --query.\n")
			}
			if out.Remains = remains(done); out.Remains != "" {
				fmt.Fprintln(&b, out.Remains)
			}
			return out, b.String(), nil
		})
	changes(t, true)
	return t
}

// changes records in a tool's description that it writes, and whether it
// removes something.
func changes(t tool, destructive bool) {
	a := t.definition.Annotations
	a.ReadOnlyHint, a.DestructiveHint = false, &destructive
}
