package remember

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/judge"
	"github.com/memoir-ai/memoir/internal/notebook"
	"github.com/memoir-ai/memoir/internal/tag"
)

// Severally calls tell with a request. For a text that is a list of statements, with or without
// a heading or an opening line above it, it calls tell once for each statement, with what the
// heading says before it. Statements below one heading are of one type. It returns the outcome
// of the first, with the others in More. The history has them as one change. After an error the
// statements before it are kept, and the error holds the rest.
func Severally(req Request, tell func(Request) (Outcome, error)) (Outcome, error) {
	all, head := parts(req)
	out, err := tell(all[0])
	if len(all) > 1 && out.Change != "" {
		out.Change = all[0].Bundle.ID
	}
	listed := []string{out.ID}
	for i := 1; i < len(all) && err == nil; i++ {
		var next Outcome
		all[i].Listed = listed
		if next, err = tellOne(all[i], out.Type, head != "", tell); err == nil {
			out.More, out.Written = append(out.More, next), append(out.Written, next.Written...)
			listed = append(listed, next.ID)
			continue
		}
		for kept := (*NotKeptError)(nil); errors.As(err, &kept) && i+1 < len(all); i++ {
			kept.Text += "\n" + all[i+1].Text
		}
	}
	return out, err
}

// tellOne calls tell with a statement of a list; typ is the type of the first statement. Below a
// heading the others have that type, too. So has a statement that would be refused alone, since
// the list gives it its meaning.
func tellOne(req Request, typ string, headed bool, tell func(Request) (Outcome, error)) (Outcome, error) {
	given := req.Type
	if headed {
		req.Type = cmp.Or(given, typ)
	}
	out, err := tell(req)
	if err == nil && out.Outcome == Refused && req.Type == "" && typ != "" {
		req.Type = typ
		return tell(req)
	}
	return out, err
}

// leastPart is how many terms each item of a list must have to be an entry of its own: "milk"
// and "eggs" say nothing without each other.
const leastPart = 3

// parts returns a request for each item of a text that is a list of statements, and what the
// heading above them says. For any other text it returns the request itself. The steps of a
// numbered list belong together, unless the heading only asks to remember what follows.
func parts(req Request) (all []Request, head string) {
	corrects := req.Replaces != "" && !strings.EqualFold(req.Replaces, Nothing)
	if req.Aside || corrects || !strings.Contains(req.Text, "\n") || len(req.Text) > maxText {
		return []Request{req}, ""
	}
	text := lineEnds.Replace(req.Text)
	if tag.WithoutPrivate(text) != text { // what is marked may go over several items
		return []Request{req}, ""
	}
	entries := entry.Parse(text)
	if len(entries) > 0 && !entries[0].Item && strings.ContainsAny(lastRune(entries[0].Text), ":：") && !strings.Contains(entries[0].Text, "\n") {
		head, entries = strings.TrimRight(entries[0].Text, ":： "), entries[1:]
	}
	if len(entries) < 2 {
		return []Request{req}, ""
	}
	bundle := req.Bundle
	if bundle.ID == "" {
		bundle = notebook.NewBundle("remember", "kept a list")
	}
	rest, bullets := text, "-*+"
	if head != "" && judge.Heading(head) == "" {
		bullets += "0123456789"
	}
	for i := len(entries) - 1; i >= 0; i-- {
		e := entries[i]
		marker := strings.TrimLeft(text[e.Start:e.End], " \t")
		if !e.Item || !strings.ContainsAny(marker[:1], bullets) || len(termsOf(e.Text)) < leastPart {
			return []Request{req}, ""
		}
		rest = rest[:e.Start] + rest[e.End:]
		one := req
		one.Text, one.Bundle = e.Text, bundle
		if req.Key != "" {
			one.Key = fmt.Sprintf("%s#%d", req.Key, i)
		}
		all = append([]Request{one}, all...)
	}
	for line := range strings.Lines(rest) {
		line = strings.TrimSpace(line)
		title := strings.TrimSpace(strings.TrimLeft(line, "#"))
		switch {
		case line == "" || head != "" && strings.TrimRight(line, ":： ") == head:
		case strings.HasPrefix(line, "#") && head == "":
			head = title
		default:
			return []Request{req}, "" // it has more than one heading, or text besides
		}
	}
	head = judge.Heading(head)
	for i := range all {
		all[i].Text = headed(head, all[i].Text)
	}
	return all, head
}

// headed returns a statement with the heading that it stood below.
func headed(head, text string) string {
	switch {
	case head == "":
		return text
	case cjk(head):
		return head + "：" + text
	}
	return head + ": " + text
}

// lastRune returns the last character of a text, "" of an empty one.
func lastRune(text string) string {
	_, n := utf8.DecodeLastRuneInString(text)
	return text[len(text)-n:]
}
