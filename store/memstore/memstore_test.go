package memstore_test

import (
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/store/memstore"
	"github.com/memoir-ai/memoir/store/storetest"
)

func TestContract(t *testing.T) {
	storetest.Run(t, func(*testing.T) memoir.Store { return memstore.New() })
}

func BenchmarkStore(b *testing.B) {
	storetest.Benchmark(b, func(*testing.B) memoir.Store { return memstore.New() })
}
