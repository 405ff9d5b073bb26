package session

import (
	"hash/maphash"
	"time"
)

// spoken is what was said in a session, in little memory: a transcript may have millions of
// turns of a few letters. It is one list, whose parts are never copied as it grows.
type spoken struct {
	parts [][]spokenTurn
	n     int
}

// spokenPart is how many turns a part of the list has.
const spokenPart = 1 << 10

type spokenTurn struct {
	text       string
	sec        int64 // since 1970; with nsec the time, when timed
	nsec, line int32
	role       spokenRole
	timed      bool
}

type spokenRole uint8

// spokenRoles are the roles by their numbers. The first one stands for what is none of the
// others.
var spokenRoles = [...]string{"", User, Assistant, Summary}

// compact returns a turn as it is held. A time that nobody believes is none; see
// [Source.told].
func compact(t Turn) spokenTurn {
	s := spokenTurn{text: t.Text, line: int32(t.Line)}
	for i, role := range spokenRoles {
		if t.Role == role {
			s.role = spokenRole(i)
		}
	}
	if t.Time.Year() >= earliest {
		s.sec, s.nsec, s.timed = t.Time.Unix(), int32(t.Time.Nanosecond()), true
	}
	return s
}

func (s *spokenTurn) turn() Turn {
	t := Turn{Role: spokenRoles[s.role], Text: s.text, Line: int(s.line)}
	if s.timed {
		t.Time = time.Unix(s.sec, int64(s.nsec)).UTC()
	}
	return t
}

func (s *spoken) len() int { return s.n }

// at returns a turn, which may be changed where it is held.
func (s *spoken) at(i int) *spokenTurn { return &s.parts[i/spokenPart][i%spokenPart] }

func (s *spoken) add(t Turn) { s.push(compact(t)) }

func (s *spoken) push(t spokenTurn) {
	if s.n == len(s.parts)*spokenPart {
		s.parts = append(s.parts, make([]spokenTurn, spokenPart))
	}
	*s.at(s.n) = t
	s.n++
}

// cut leaves the first turns alone.
func (s *spoken) cut(n int) {
	for i := n; i < s.n; i++ {
		*s.at(i) = spokenTurn{}
	}
	s.n = n
	s.parts = s.parts[:(n+spokenPart-1)/spokenPart]
}

// turns returns the turns that are kept, and holds none of them any more.
func (s *spoken) turns(kept func(i int) bool) []Turn {
	n := 0
	for i := range s.n {
		if kept(i) {
			n++
		}
	}
	if n == 0 {
		*s = spoken{}
		return nil
	}
	all := make([]Turn, 0, n)
	for i := range s.n {
		if kept(i) {
			all = append(all, s.at(i).turn())
		}
		s.passed(i)
	}
	*s = spoken{}
	return all
}

// passed lets go of a part of the list when its last turn was looked at for the last time.
func (s *spoken) passed(i int) {
	if i%spokenPart == spokenPart-1 {
		s.parts[i/spokenPart] = nil
	}
}

// everything keeps each turn.
func everything(int) bool { return true }

// idSum stands for an id of a record, or for another text, in 16 bytes. Two texts have the
// same by a chance that nobody need reckon with, and nobody can make such two, since the
// seeds are those of this process.
type idSum [2]uint64

var idSeeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

func sumOf(text string) idSum {
	return idSum{maphash.String(idSeeds[0], text), maphash.String(idSeeds[1], text)}
}
