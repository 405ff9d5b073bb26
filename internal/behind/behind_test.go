package behind_test

import (
	"slices"
	"testing"

	"github.com/memoir-ai/memoir/internal/behind"
)

func TestQueue(t *testing.T) {
	var done []int
	started, release := make(chan bool), make(chan bool)
	q := behind.New(2, func(n int) {
		started <- true
		<-release
		done = append(done, n)
	})
	added := []bool{q.Add(1)}
	<-started // 1 is being done, so that 2 and 3 wait and 4 finds no room
	for n := range 3 {
		added = append(added, q.Add(n+2))
	}
	go func() {
		for range started {
		}
	}()
	close(release)
	q.Close()
	close(started)
	if want := []bool{true, true, true, false}; !slices.Equal(added, want) {
		t.Errorf("added %v, want %v", added, want)
	}
	if want := []int{1, 2, 3}; !slices.Equal(done, want) {
		t.Errorf("done %v, want %v: Close does what waits", done, want)
	}
}
