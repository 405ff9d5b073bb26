package search

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/analyze"
	"github.com/memoir-ai/memoir/internal/search/roles"
)

// maxMentions is how many passages that name an owner are read to learn who that is.
const maxMentions = 32

// ofTeller returns what a text says of the one who tells.
func ofTeller(text string) (all []owned) {
	for _, expr := range []*regexp.Regexp{expressions().ofSelf(), expressions().ofSelfToo()} {
		for _, m := range expr.FindAllStringSubmatch(text, -1) {
			all = append(all, owned{oneself, m[1]})
		}
	}
	return all
}

// mentionsOf returns the lines of notes that name the owner of what the query asks for; nil
// where it names none, the notes do not or many passages do, and where no candidate is a list,
// of which alone the owner is asked.
func (s *search) mentionsOf(ctx context.Context, candidates []*candidate) (all []reading) {
	p, ok := s.asked.owner()
	if !ok || p.owner == oneself || slices.ContainsFunc(p.owners, func(t string) bool { return s.counts.Holders[t].Chunks == 0 }) ||
		!slices.ContainsFunc(candidates, func(f *candidate) bool { return len(listed(f.chunk.Text)) > 0 }) {
		return nil
	}
	found, err := s.index.List(ctx, memoir.Filter{Kinds: []memoir.Kind{memoir.KindNote}, Phrases: []memoir.Phrase{{Terms: analyze.AnyForm(p.owner)}}}, maxMentions+1)
	if err != nil || len(found) > maxMentions {
		return nil
	}
	ids := make([]memoir.ChunkID, len(found))
	for i, c := range found {
		ids[i] = c.ChunkID
	}
	chunks, err := s.index.Chunks(ctx, ids)
	if err != nil {
		return nil // the search itself tells that passages cannot be read
	}
	var sieve analyze.Sieve
	for _, t := range p.owners {
		sieve.Add(t)
	}
	for _, c := range chunks {
		for line := range strings.Lines(c.Text) {
			if (reading{terms: analyze.Document(nil, sieve.Sift(line))}).count(p.owners) == len(p.owners) {
				all = append(all, read(line))
			}
		}
	}
	return all
}

// has reports whether a text says that one with some terms is something to the owner: of Tom's
// mum it is said that she is not Tom.
func (p *possession) has(text string, terms []string) bool {
	return slices.ContainsFunc(p.ownedIn(text), func(o owned) bool {
		return len(roles.Roles(o.thing)) > 0 && read(o.owner).count(p.owners) > 0 && read(o.thing).count(terms) > 0
	})
}

// mayBe reports whether one of some texts that name the owner names another one, too, or one of
// its words where any is enough, so that the two may be one: Karen is the landlord.
func (p *possession) mayBe(other string, texts []reading, any bool) bool {
	terms, of := ownerTerms(other), p.rolesOf(other)
	return slices.ContainsFunc(texts, func(text reading) bool {
		n := text.count(terms)
		if shares := n > 0 && (any || n == len(terms)); !shares && (len(of) == 0 || !sameRole(of, oneOf(roles.Roles(text.text)))) {
			return false
		}
		one, two := roleOf(text.text, p.owner), roleOf(text.text, other)
		return !p.has(text.text, terms) && (len(one) == 0 || len(two) == 0 || sameRole(one, two))
	})
}

// oneOf returns the roles without those of two: a line on the parents says of nobody that he
// is the other one.
func oneOf(roles map[string]bool) map[string]bool {
	delete(roles, "parents")
	return roles
}

// notTeller reports whether the owner is surely not the one who tells and asks: it is called
// by what it is to that one, or a note says so beside the name. Notes may call who tells by a
// name, too.
func (s *search) notTeller(asked *possession) bool {
	return len(asked.roles) > 0 || slices.ContainsFunc(s.mentions, func(m reading) bool {
		_, after, _ := strings.Cut(m.text, asked.owner)
		return len(roleOf(m.text, asked.owner)) > 0 || expressions().isOfSelf().MatchString(after) && len(roles.Roles(after)) > 0
	})
}

// mayBeTeller reports whether a note begins with the name of the owner.
func (s *search) mayBeTeller(asked *possession) bool {
	return slices.ContainsFunc(s.mentions, func(m reading) bool {
		before, _, _ := strings.Cut(m.text, asked.owner)
		return expressions().opening().MatchString(before)
	})
}

// roleOf returns what somebody is to another by the word before the name: sister of my sister Jo.
func roleOf(text, named string) map[string]bool {
	before, _, found := strings.Cut(text, named)
	words := strings.Fields(before[:expressions().besideRole().FindStringIndex(before)[0]])
	if !found || len(words) == 0 {
		return nil
	}
	last := []rune(words[len(words)-1])
	if !latin(string(last)) {
		last = last[max(0, len(last)-3):]
	}
	return roles.Roles(string(last))
}

// subject returns what an entry in Chinese or Japanese says before the thing that is asked
// for: 老婆 of 老婆生日是十月十八.
func subject(thing, entry string) string {
	if thing = strings.TrimSpace(cutAsking(thing)); latin(thing) {
		return ""
	}
	at := -1
	for name := []rune(thing); at < 0 && len(name) > 1; name = name[:len(name)-1] { // 车牌 for 车牌号
		at = strings.Index(entry, string(name))
	}
	if at <= 0 {
		return ""
	}
	before := entry[:at]
	if clause := strings.TrimRight(afterMark(before), "的の "); clause != "" {
		return clause
	}
	return before
}

// afterMark returns what stands behind the last mark between clauses.
func afterMark(text string) string {
	clauses := strings.FieldsFunc("."+text+".", func(r rune) bool { return strings.ContainsRune("，,。；;：:、\n", r) })
	return strings.Trim(clauses[len(clauses)-1], ".")
}
