// Command scale simulates many agents over an index in Weaviate: when they ask, whose
// tenants are awake, and what is left when nodes fail. What one tenant takes is not
// simulated but put in, as it was measured (figures.go). The same seed gives the same
// answer.
//
//	go run ./bench/scale -agents 10000 -chunks 10000 -nodes 6
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"time"
)

func main() {
	p := defaults()
	flag.IntVar(&p.agents, "agents", p.agents, "how many there are")
	flag.IntVar(&p.chunks, "chunks", p.chunks, "of each")
	flag.IntVar(&p.nodes, "nodes", p.nodes, "of Weaviate")
	flag.IntVar(&p.days, "days", p.days, "that are simulated")
	flag.Float64Var(&p.sessions, "sessions", p.sessions, "of an agent in a day")
	flag.DurationVar(&p.session, "session", p.session, "how long one lasts, in the mean")
	flag.DurationVar(&p.pause, "pause", p.pause, "between two questions of a session, in the mean")
	flag.DurationVar(&p.idle, "idle", p.idle, "after which a tenant that nobody asks is put to sleep")
	flag.DurationVar(&p.lives, "lives", p.lives, "how long a node lives until it fails, in the mean; 0: for ever")
	flag.DurationVar(&p.away, "away", p.away, "how long one that failed is away")
	flag.Uint64Var(&p.seed, "seed", p.seed, "of the arrivals, the places and the failures")
	flag.Parse()
	if err := p.check(); err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(2)
	}
	report(os.Stdout, p, simulate(p))
}

func report(w io.Writer, p params, r result) {
	line := func(what, format string, values ...any) {
		fmt.Fprintf(w, "%-42s "+format+"\n", append([]any{what}, values...)...)
	}
	fmt.Fprintf(w, "%d agents with %d chunks, %d nodes, %d replicas, %d days, seed %d\n\n", p.agents, p.chunks, p.nodes, replicas, p.days, p.seed)
	line("questions a second, mean and busiest minute", "%.1f  %.1f", float64(r.questions)/(float64(p.days)*day.Seconds()), r.busiest)
	line("tenants awake, mean and most", "%.0f (%.1f %%)  %d (%.1f %%)", r.awake, 100*r.awake/float64(p.agents), r.mostAwake, 100*float64(r.mostAwake)/float64(p.agents))
	line("by arithmetic, mean", "%.0f", expected(p))
	line("questions that wake a tenant", "%d (%.1f %%), %v to %v each", r.wakes, 100*float64(r.wakes)/float64(max(1, r.questions)), wakeLeast, wakeMost)
	least, most := r.memory(p)
	line("memory of the fullest node at the most, MiB", "%.0f to %.0f", least, most)
	line("files open there", "%d", r.mostOnNode*filesAwake*collections)
	line("processors busy in the busiest minute, of all", "%.1f", r.busiest*questionCPU.Seconds())
	line("disk of a node, GB", "%.0f to %.0f", diskLeast*p.copies()/1e9, diskMost*p.copies()/1e9)
	line("failures of nodes", "%d, of %v each", r.failures, p.away.Round(time.Second))
	line("questions with one replica away", "%d", r.oneAway)
	line("questions without an answer, two being away", "%d (%.4f %%)", r.lost, 100*float64(r.lost)/float64(max(1, r.questions)))
}
