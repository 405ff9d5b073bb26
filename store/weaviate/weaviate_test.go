package weaviate_test

import (
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/store/storetest"
	"github.com/memoir-ai/memoir/store/weaviate"
	"github.com/memoir-ai/memoir/store/weaviate/weaviatetest"
)

func open(t testing.TB, opts weaviate.Options) *weaviate.Store {
	t.Helper()
	s, err := weaviate.Open(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestContract holds the store to the contract over a server that is made for it.
func TestContract(t *testing.T) {
	f := weaviatetest.New(t)
	var n atomic.Int64
	storetest.Run(t, func(t *testing.T) memoir.Store {
		return open(t, weaviate.Options{URL: f.URL, Tenant: fmt.Sprint("t", n.Add(1))})
	})
}

// real returns what leads to a real server, or skips the test.
func real(t testing.TB) weaviate.Options {
	t.Helper()
	url := os.Getenv("MEMOIR_TEST_WEAVIATE")
	if url == "" {
		t.Skip("MEMOIR_TEST_WEAVIATE names no server: .ci/run weaviate builds and starts one")
	}
	nodes, _ := strconv.Atoi(os.Getenv("MEMOIR_TEST_WEAVIATE_NODES"))
	return weaviate.Options{URL: url, Timeout: time.Minute, Replicas: nodes}
}

// tenants are of this run alone.
var tenants atomic.Int64

func (o *options) next() weaviate.Options {
	opts := weaviate.Options(*o)
	opts.Tenant = fmt.Sprintf("test-%d-%d", time.Now().UnixNano(), tenants.Add(1))
	return opts
}

type options weaviate.Options

// TestContractReal holds the store to the contract over Weaviate itself.
func TestContractReal(t *testing.T) {
	at := options(real(t))
	storetest.Run(t, func(t *testing.T) memoir.Store { return open(t, at.next()) })
}

func TestReopen(t *testing.T) {
	f := weaviatetest.New(t)
	storetest.Reopen(t, func(t *testing.T, _ string) memoir.Store { return open(t, weaviate.Options{URL: f.URL, Tenant: "one"}) })
}
