package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
)

// Writer is what the tools that write need of an engine; [engine.Engine] is one.
// It must be safe for concurrent use.
type Writer interface {
	// Remember keeps what is told as [engine.Engine.Remember] does.
	Remember(ctx context.Context, st engine.Statement) (engine.Outcome, error)
	// Prime gives what a session starts with as [engine.Engine.Prime] does.
	Prime(ctx context.Context, opts engine.PrimeOptions) (engine.Primed, error)
	// Forget removes entries as [engine.Engine.Forget] does.
	Forget(ctx context.Context, target engine.Target, dryRun bool) (engine.Forgetting, error)
}

const rememberDescription = `Keep one fact, preference, decision, contact, instruction or event in the user's long-term memory, as a line of Markdown that people read.
Use it when the user asks you to remember something, and for what will matter in later sessions: one fact a call, in the user's language, complete without this conversation. Do not use it for small talk, plans of this session, code or secrets.
The answer says whether it was added, was known already, changed an entry, or was refused, and why. When it names similar entries and yours corrects one, call it again with replaces set to that entry's id.`

// remembered is the answer of memory_remember. What it replaces is left out where
// that is nothing, as null would need a second type, which some clients refuse.
type remembered struct {
	answered
	Replaces *engine.Ref `json:"replaces,omitempty"`
}

// answered is an outcome under a name that hides no field of it from the schema.
type answered = engine.Outcome

func rememberTool(w Writer, scopes bool, complete func(string) string) tool {
	properties := []property{
		textProperty("text", "what is to be remembered, one fact in one or two sentences"),
		enumProperty("type", "what it is; auto lets the text decide", "auto", "auto", "preference", "instruction", "contact", "project", "decision", "learning", "journal"),
		textProperty("replaces", "id or citation of the entry that this corrects"),
		enumProperty("origin", "who says it: the user, you, a tool's output or a web page", "agent", "user", "agent", "tool", "web"),
		optionalProperty("importance", 1, 5, "how much it matters, 5 most"),
		textProperty("key", "a name for this fact; a second call with the same key changes nothing"),
	}
	if scopes {
		properties = append(properties, enumProperty("scope", "whose memory it goes to; auto goes by the type", "auto", "auto", "user", "project"))
	}
	input := objectSchema(properties...)
	t := newTool("memory_remember", "Remember", rememberDescription, input, complete,
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
				return remembered{}, "", err
			}
			return remembered{outcome, outcome.Replaces}, outcomeText(outcome), nil
		})
	changes(t, false)
	return t
}

// outcomeText says to a model what became of a statement.
func outcomeText(o engine.Outcome) string {
	var b strings.Builder
	switch {
	case o.Path == "":
		fmt.Fprintf(&b, "%s (%s): %s.\n", o.Outcome, o.Reason.Code, uncontrolled(cut(o.Reason.Text, maxReason)))
	default:
		fmt.Fprintf(&b, "%s (%s) at %s, id %s: %s.\n", o.Outcome, o.Reason.Code, placeText(o.Scope, o.Path, o.StartLine, o.EndLine), o.ID, uncontrolled(cut(o.Reason.Text, maxReason)))
	}
	if o.Redacted {
		b.WriteString("A secret in it was masked before it was written.\n")
	}
	if o.Replaces != nil {
		fmt.Fprintf(&b, "It takes the place of %s, which stays, marked as superseded.\n", placeText(o.Replaces.Scope, o.Replaces.Path, o.Replaces.StartLine, o.Replaces.EndLine))
	}
	if len(o.Similar) > 0 {
		b.WriteString("Similar entries; when yours corrects one, call again with replaces set to its id:\n")
	}
	for _, x := range o.Similar {
		fmt.Fprintf(&b, "- id %s, %s: %s\n", x.ID, placeText(x.Scope, x.Path, x.StartLine, x.EndLine), uncontrolled(cut(x.Text, maxReason)))
	}
	return b.String()
}

// placeText writes where an entry stands as a citation.
func placeText(scope memoir.Scope, path string, from, to int) string {
	c := memoir.Chunk{ChunkMeta: memoir.ChunkMeta{ChunkID: memoir.ChunkID{Doc: memoir.DocID(path), Scope: scope}}, StartLine: from, EndLine: to}
	return uncontrolled(c.Citation())
}

const primeDescription = `Get what to know at the start of a session: who the user is, standing instructions, preferences, recent decisions, open points, today and yesterday, and what the first message calls for.
Call it once, at the start, with the user's message. The text is data from the user's notes: do not store it again.`

func primeTool(w Writer, complete func(string) string) tool {
	input := objectSchema(
		textProperty("message", "the user's first message"),
		numberProperty("maxTokens", "integer", 50, 20_000, 2000, "the most tokens of the text"),
		enumProperty("shared", "yes in a group: nothing private is given", "no", "no", "yes"),
	)
	input.Required = nil
	return newTool("memory_prime", "Start a session", primeDescription, input, complete,
		func(ctx context.Context, args arguments) (engine.Primed, string, error) {
			p, err := w.Prime(ctx, engine.PrimeOptions{Message: args.text("message"), MaxTokens: args.whole("maxTokens"), Shared: args.text("shared") == "yes"})
			if err != nil {
				return engine.Primed{}, "", err
			}
			return p, cmp.Or(p.Text, "The memory is empty.\n"), nil
		})
}

const forgetDescription = `Remove an entry from the user's long-term memory, for good: from the note, from what is searched and from the history. Use it only when the user asks you to forget something.
Find the entry first with memory_search, and tell the user what was removed. To correct a fact use memory_remember with replaces instead.`

// forgotten is the answer of memory_forget.
type forgotten struct {
	Entries []engine.Entry `json:"entries"`
	DryRun  bool           `json:"dryRun"`
}

func forgetTool(w Writer, complete func(string) string) tool {
	input := objectSchema(
		textProperty("entry", "id of the entry, or its citation such as memory/contacts.md#L3"),
		enumProperty("dryRun", "yes only lists what would be removed", "no", "no", "yes"),
	)
	t := newTool("memory_forget", "Forget", forgetDescription, input, complete,
		func(ctx context.Context, args arguments) (forgotten, string, error) {
			ref := args.text("entry")
			if !strings.Contains(ref, "#") && strings.ContainsAny(ref, "./") {
				return forgotten{}, "", memoir.WithHint(invalid("%s is a whole note; this tool removes entries", cut(ref, maxEcho)), "name the lines, such as "+cut(ref, maxEcho)+"#L3")
			}
			done, err := w.Forget(ctx, engine.Target{Ref: ref}, args.text("dryRun") == "yes")
			if err != nil {
				return forgotten{}, "", err
			}
			out := forgotten{append([]engine.Entry{}, done.Entries...), done.DryRun}
			what := "Forgotten"
			if out.DryRun {
				what = "Would be forgotten"
			}
			var b strings.Builder
			for _, e := range out.Entries {
				fmt.Fprintf(&b, "%s: %s: %s\n", what, placeText(e.Scope, e.Path, e.StartLine, e.EndLine), uncontrolled(cut(e.Text, maxReason)))
			}
			return out, b.String(), nil
		})
	changes(t, true)
	return t
}

// changes says of a tool that it writes, and whether it takes something away.
func changes(t tool, destructive bool) {
	a := t.definition.Annotations
	a.ReadOnlyHint, a.DestructiveHint = false, &destructive
}
