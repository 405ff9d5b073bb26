package main

import (
	"errors"
	"math"
	"math/rand/v2"
	"time"
)

const day = 24 * time.Hour

// params say what is simulated.
type params struct {
	agents, chunks, nodes, days int
	sessions                    float64
	session, pause, idle        time.Duration
	lives, away                 time.Duration
	seed                        uint64
}

func defaults() params {
	return params{agents: 10_000, chunks: 10_000, nodes: 6, days: 7, sessions: 4, session: 20 * time.Minute, pause: time.Minute, idle: 10 * time.Minute, lives: 30 * day, away: 10 * time.Minute, seed: 1}
}

func (p *params) check() error {
	switch {
	case p.agents < 1 || p.chunks < 1 || p.days < 1 || p.days > 366:
		return errors.New("there has to be one agent, chunk and day at least, and no more than 366 days")
	case p.nodes < replicas:
		return errors.New("three replicas need three nodes")
	case p.sessions <= 0 || p.session <= 0 || p.pause <= 0 || p.idle < 0 || p.lives < 0 || p.away < 0:
		return errors.New("sessions and times have to be more than 0")
	}
	return nil
}

// copies is how many chunks a node has.
func (p *params) copies() float64 {
	return float64(p.agents) * float64(p.chunks) * replicas / float64(p.nodes)
}

// result is the result of a simulation.
type result struct {
	questions, wakes, oneAway, lost int64
	busiest                         float64 // questions a second in the busiest minute
	awake                           float64 // tenants, in the mean
	mostAwake                       int     // tenants in any minute
	mostOnNode                      int     // replicas awake on one node in any minute
	onNode                          int     // replicas that a node has, the most
	failures                        int
}

// memory returns the lower and the upper bound of what the fullest node takes
// at its peak, in MiB.
func (r *result) memory(p params) (least, most float64) {
	asleep := float64(r.onNode-r.mostOnNode) * collections * memoryAsleep
	awake := float64(r.mostOnNode) * collections
	return memoryEmpty + asleep + awake*memoryLeast, memoryEmpty + asleep + awake*memoryMost
}

// expected computes how many tenants are awake on average. A session keeps its
// tenant awake while it lasts, and until the tenant is put to sleep. Sessions
// of an agent overlap as independent ones do. Pauses longer than the time until
// a tenant is put to sleep are not considered.
func expected(p params) float64 {
	busy := p.sessions * (p.session + p.idle).Seconds() / day.Seconds()
	return float64(p.agents) * (1 - math.Exp(-busy))
}

// busyness is, for each hour of the day, how many sessions begin in it compared
// with the average. It assumes that most agents work with people of one part of
// the world.
var busyness = [24]float64{.3, .2, .2, .2, .2, .3, .5, .8, 1.3, 1.8, 2, 1.9, 1.6, 1.8, 2, 1.9, 1.7, 1.4, 1, .8, .7, .6, .5, .3}

// outage is a time in which a node is away.
type outage struct{ from, to time.Duration }

// simulation is the state of a simulation that runs.
type simulation struct {
	params
	result
	span     time.Duration
	outages  [][]outage // by node
	asked    []int64    // questions, by minute
	changes  []int      // of the tenants awake, by minute
	onNodes  [][]int    // the same by node
	replicas []int      // by node
}

func simulate(p params) result {
	span := time.Duration(p.days) * day
	minutes := p.days*24*60 + 1
	s := &simulation{params: p, span: span, asked: make([]int64, minutes), changes: make([]int, minutes+1), onNodes: make([][]int, p.nodes), replicas: make([]int, p.nodes)}
	r := rand.New(rand.NewPCG(p.seed, 0))
	for n := range p.nodes {
		s.onNodes[n] = make([]int, minutes+1)
		s.outages = append(s.outages, s.fails(r))
	}
	for a := range p.agents {
		s.agent(rand.New(rand.NewPCG(p.seed, uint64(a)+1)))
	}
	s.sum()
	return s.result
}

// fails returns when a node is away.
func (s *simulation) fails(r *rand.Rand) (all []outage) {
	if s.lives == 0 {
		return nil
	}
	for at := exponential(r, s.lives); at < s.span; at += exponential(r, s.lives) {
		all = append(all, outage{at, at + s.away})
		at += s.away
		s.failures++
	}
	return all
}

func exponential(r *rand.Rand, mean time.Duration) time.Duration {
	return time.Duration(r.ExpFloat64() * float64(mean))
}

// agent simulates all days of one agent. Sessions begin by chance, more of them
// by day, and questions are asked in them.
func (s *simulation) agent(r *rand.Rand) {
	var places [replicas]int
	for i, n := range r.Perm(s.nodes)[:replicas] {
		places[i] = n
		s.replicas[n]++
	}
	const most = 2 // of busyness
	between := time.Duration(float64(day) / (s.sessions * most))
	woken, until := time.Duration(-1), time.Duration(-1) // when the tenant is awake
	// Sessions overlap; their questions are taken one session after the other, and a
	// tenant stays awake until the last of them is over.
	for start := exponential(r, between); start < s.span; start += exponential(r, between) {
		if r.Float64()*most > busyness[int(start/time.Hour)%24] {
			continue
		}
		end := start + exponential(r, s.session)
		for at := start; at < end && at < s.span; at += exponential(r, s.pause) {
			s.ask(at, places)
			if at > until {
				s.awakeFrom(woken, until, places)
				woken, s.wakes = at, s.wakes+1
			}
			until = max(until, at+s.idle)
		}
	}
	s.awakeFrom(woken, until, places)
}

// ask counts a question.
func (s *simulation) ask(at time.Duration, places [replicas]int) {
	s.questions++
	s.asked[at/time.Minute]++
	away := 0
	for _, n := range places {
		for _, o := range s.outages[n] {
			if at >= o.from && at < o.to {
				away++
			}
		}
	}
	switch {
	case away == 1:
		s.oneAway++
	case away > 1: // most replicas have to answer
		s.lost++
	}
}

// awakeFrom counts a time in which a tenant was awake.
func (s *simulation) awakeFrom(from, to time.Duration, places [replicas]int) {
	if from < 0 {
		return
	}
	to = min(to, s.span)
	s.awake += (to - from).Seconds() / s.span.Seconds()
	first, after := int(from/time.Minute), int(to/time.Minute)+1
	s.changes[first]++
	s.changes[after]--
	for _, n := range places {
		s.onNodes[n][first]++
		s.onNodes[n][after]--
	}
}

// sum makes the result of what was counted by minutes.
func (s *simulation) sum() {
	awake := 0
	for m, n := range s.asked {
		s.busiest = max(s.busiest, float64(n)/60)
		awake += s.changes[m]
		s.mostAwake = max(s.mostAwake, awake)
	}
	for n, changes := range s.onNodes {
		here := 0
		for _, c := range changes {
			here += c
			s.mostOnNode = max(s.mostOnNode, here)
		}
		s.onNode = max(s.onNode, s.replicas[n])
	}
}
