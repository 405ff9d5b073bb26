package httpapi

import "sync"

// places are what requests take while they are answered. One token takes at most half of
// them, so that nobody can keep out all others. They are safe for concurrent use.
type places struct {
	most int

	mu    sync.Mutex
	taken int
	by    map[string]int // who; without those who have none
}

func newPlaces(most int) *places { return &places{most: most, by: map[string]int{}} }

// enter takes a place for who asks. It returns false when there is none.
func (p *places) enter(who principal) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taken == p.most || who.name != owner.name && p.by[who.name] >= p.most/2 {
		return false
	}
	p.taken++
	p.by[who.name]++
	return true
}

// leave gives it back.
func (p *places) leave(who principal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken--
	if p.by[who.name]--; p.by[who.name] == 0 {
		delete(p.by, who.name)
	}
}

// count returns how many are taken.
func (p *places) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.taken
}
