package ability

import (
	"context"

	"github.com/memoir-ai/memoir"
)

// Healer is implemented by stores whose index can be damaged over time, for
// example by a disk or by a program that writes over it.
type Healer interface {
	// Heal replaces a damaged index with a fresh one. The fresh index has the
	// vectors that could be read and no documents; the next sync brings those
	// back. Heal checks for damage that this process or another one met before.
	// With thorough it checks for any damage. It leaves alone an index that is
	// whole or cannot be written to.
	Heal(ctx context.Context, thorough bool) error
}

// Checker is implemented by stores that can look through the whole index for
// damage.
type Checker interface {
	// Check returns an error that wraps [memoir.ErrCorrupt] when the index is
	// damaged, and [context.DeadlineExceeded] when it is too large to be checked
	// in the time that the store gives it. It changes nothing.
	Check(ctx context.Context) error
}

// Purger is implemented by stores whose files keep removed data readable until
// its place is needed.
type Purger interface {
	// Purge clears from the store's files all traces of what was removed before,
	// including vectors kept for texts that no chunk uses. It may take as long
	// as writing the index anew. After an error some traces may be left.
	Purge(ctx context.Context) error
}

// Degrader is implemented by stores that can work with a part missing.
type Degrader interface {
	// Degradations returns what is missing now, or nil when nothing is. The
	// answer stays the same for every caller until the situation changes. An
	// event that is over, such as the replacement of the index, is reported at
	// least once.
	Degradations() []memoir.Degradation
}

// A Snapshotter is a [memoir.View] that no write changes until it ends: it returns the
// same whenever it is asked.
type Snapshotter interface {
	// Snapshot does nothing. A view has it to say that it is a snapshot.
	Snapshot()
}

// An Ager is a [memoir.View] that notices when it is no longer what the index holds.
type Ager interface {
	// Outdated reports whether something that the view was asked for is gone, or is not
	// found, because the index has changed since the view began. A view that begins
	// after Outdated has returned true is newer. What is missing although Outdated
	// returns false is damage. Without anything missing it costs nothing.
	Outdated(ctx context.Context) bool
}
