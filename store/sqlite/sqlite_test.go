package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/store/sqlite"
	"github.com/memoir-ai/memoir/store/storetest"
)

func open(t testing.TB, path string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatalf("Open(%s): %v", path, err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestContract(t *testing.T) {
	storetest.Run(t, func(t *testing.T) memoir.Store { return open(t, filepath.Join(t.TempDir(), "index.db")) })
}

// TestContractScan holds the search by rows of 8 bits to the same contract.
func TestContractScan(t *testing.T) {
	storetest.Run(t, func(t *testing.T) memoir.Store { return open(t, filepath.Join(t.TempDir(), "index.db")).ScanAll() })
}

func TestReopen(t *testing.T) {
	storetest.Reopen(t, func(t *testing.T, dir string) memoir.Store { return open(t, filepath.Join(dir, "index.db")) })
}

func BenchmarkStore(b *testing.B) {
	storetest.Benchmark(b, func(b *testing.B) memoir.Store { return open(b, filepath.Join(b.TempDir(), "index.db")) })
}
