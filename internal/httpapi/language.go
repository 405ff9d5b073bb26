package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/wire"
	"github.com/memoir-ai/memoir/internal/wording"
)

// languageOf returns the language in which sentences for people are said to who asks.
func languageOf(r *http.Request) wording.Language {
	return wording.Accepted(strings.Join(r.Header.Values("Accept-Language"), ", "))
}

// said returns the message of an error in a language, without the kind of the error, which
// the status tells. Some formats of the catalogue end with the kind.
func said(l wording.Language, message string) string {
	plain := wire.WithoutKind(message)
	if words := l.Say(plain); l.English() || plain == message || words != plain {
		return words
	}
	kind := memoir.ErrInvalid.Error()
	return strings.TrimSuffix(strings.TrimSuffix(l.Say(message), ": "+kind), "："+l.Say(kind))
}

// inLanguage returns an answer with the sentences that it has for people in a language.
// What programs go by stays, and so does the answer that it is made of.
func inLanguage(l wording.Language, out any) any {
	if l.English() {
		return out
	}
	switch x := out.(type) {
	case wire.Status:
		return statusIn(l, x)
	case wire.Index:
		x.Skipped = each(x.Skipped, func(f *wire.Skipped) { f.Reason = l.Say(f.Reason) })
		x.Warnings = each(x.Warnings, func(w *wire.Warning) { w.Reason = l.Say(w.Reason) })
		return x
	case wire.Answer:
		x.Reason, x.Nothing, x.Degraded = l.Say(x.Reason), l.Say(x.Nothing), degradedIn(l, x.Degraded)
		return x
	case wire.Why:
		x.Reason, x.Degraded = l.Say(x.Reason), degradedIn(l, x.Degraded)
		x.Try = each(x.Try, func(r *wire.Remedy) { r.Action = l.Say(r.Action) })
		return x
	case engine.Outcome:
		x.Reason.Text, x.Reason.Action, x.Skipped = l.Say(x.Reason.Text), l.Say(x.Reason.Action), l.Say(x.Skipped)
		return x
	case engine.Tidying:
		x.Findings = each(x.Findings, func(f *engine.TidyFinding) { f.Proposal = l.Say(f.Proposal) })
		x.Skipped = each(x.Skipped, func(f *engine.TidySkip) { f.Reason = l.Say(f.Reason) })
		return x
	case Saved:
		if x.Skipped != nil {
			x.Skipped = &wire.Skipped{Path: x.Skipped.Path, Reason: l.Say(x.Skipped.Reason)}
		}
		return x
	}
	return out
}

func statusIn(l wording.Language, x wire.Status) wire.Status {
	x.ProviderReason, x.UnwatchedReason, x.Degraded = l.Say(x.ProviderReason), l.Say(x.UnwatchedReason), degradedIn(l, x.Degraded)
	x.Files.Skipped = each(x.Files.Skipped, func(f *wire.Skipped) { f.Reason = l.Say(f.Reason) })
	x.Collections = each(x.Collections, func(c *wire.Collection) { c.Problem = l.Say(c.Problem) })
	if x.LastSync != nil {
		last := *x.LastSync
		last.Error, last.Action = l.Say(last.Error), l.Say(last.Action)
		x.LastSync = &last
	}
	if x.Project != nil {
		project := statusIn(l, *x.Project)
		x.Project = &project
	}
	return x
}

func degradedIn(l wording.Language, all []wire.Degraded) []wire.Degraded {
	return each(all, func(d *wire.Degraded) { d.Reason, d.Action = l.Say(d.Reason), l.Say(d.Action) })
}

// each returns a copy of a list whose members were changed.
func each[T any](list []T, change func(*T)) []T {
	list = slices.Clone(list)
	for i := range list {
		change(&list[i])
	}
	return list
}
