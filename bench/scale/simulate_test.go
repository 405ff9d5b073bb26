package main

import (
	"math"
	"strings"
	"testing"
	"time"
)

func small() params {
	p := defaults()
	p.agents, p.days = 2000, 2
	return p
}

// The same seed gives the same answer, and another one about the same.
func TestSeed(t *testing.T) {
	p := small()
	one := simulate(p)
	if again := simulate(p); again != one {
		t.Errorf("got %+v, then %+v", one, again)
	}
	p.seed++
	if other := simulate(p); other == one || math.Abs(other.awake/one.awake-1) > .1 {
		t.Errorf("got %+v, and with another seed %+v", one, other)
	}
}

// The mean is what arithmetic says, within a fifth.
func TestExpected(t *testing.T) {
	for _, change := range []func(*params){
		func(*params) {},
		func(p *params) { p.sessions = 1 },
		func(p *params) { p.sessions = 12 },
		func(p *params) { p.idle = time.Hour },
		func(p *params) { p.session = 2 * time.Minute },
	} {
		p := small()
		change(&p)
		if got, want := simulate(p).awake, expected(p); math.Abs(got/want-1) > .2 {
			t.Errorf("%+v: %.0f are awake, want about %.0f", p, got, want)
		}
	}
}

func TestNodes(t *testing.T) {
	p := small()
	p.lives = 0
	if r := simulate(p); r.failures != 0 || r.oneAway != 0 || r.lost != 0 {
		t.Errorf("nothing fails: %+v", r)
	}
	p.lives, p.away = 12*time.Hour, 4*time.Hour
	if r := simulate(p); r.failures == 0 || r.oneAway == 0 || r.lost == 0 || r.oneAway+r.lost >= r.questions {
		t.Errorf("nodes fail all the time: %+v", r)
	}
	r := simulate(small())
	if r.onNode < 2000*replicas/p.nodes || r.mostOnNode > r.onNode || r.mostAwake > 2000 || r.wakes > r.questions {
		t.Errorf("%+v", r)
	}
}

func TestReport(t *testing.T) {
	var out strings.Builder
	p := small()
	report(&out, p, simulate(p))
	if strings.Contains(out.String(), "%!") || !strings.Contains(out.String(), "by arithmetic") {
		t.Error(out.String())
	}
	for _, spoil := range []func(*params){func(p *params) { p.nodes = 2 }, func(p *params) { p.agents = 0 }, func(p *params) { p.sessions = -1 }, func(p *params) { p.pause = 0 }, func(p *params) { p.days = 1000 }} {
		p := small()
		if spoil(&p); p.check() == nil {
			t.Errorf("%+v", p)
		}
	}
}
