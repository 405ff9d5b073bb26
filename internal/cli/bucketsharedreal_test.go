package cli_test

import (
	"crypto/rand"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// Servers at one bucket of a real server and one index in a real Weaviate take turns: what
// each is told all of them find, one that is killed is replaced, and nothing is there
// twice. .ci/weaviate .ci/bucket go test -run BucketSharedReal -v ./internal/cli
func TestBucketSharedReal(t *testing.T) {
	bucket, index := os.Getenv("MEMOIR_TEST_S3"), os.Getenv("MEMOIR_TEST_WEAVIATE")
	if bucket == "" || index == "" {
		t.Skip("needs MEMOIR_TEST_S3 and MEMOIR_TEST_WEAVIATE: .ci/weaviate .ci/bucket go test -run BucketSharedReal ./internal/cli")
	}
	name := strings.ToLower(rand.Text()[:12])
	for variable, value := range map[string]string{
		"MEMOIR_BUCKET_ENDPOINT": bucket, "MEMOIR_BUCKET_REGION": "us-east-1", "MEMOIR_STORE": "weaviate", "MEMOIR_WEAVIATE_URL": index, "MEMOIR_WEAVIATE_NAMESPACE": name, "MEMOIR_PROVIDER": "none",
	} {
		t.Setenv(variable, value)
	}
	var servers []*httpServer
	for range 3 {
		d := newDesk(t, nil)
		d.place = "s3://memoir-test/" + name
		servers = append(servers, d.serveHTTP())
	}
	start := time.Now()
	found := func(s *httpServer, word string) time.Duration {
		t.Helper()
		for asked := time.Now(); ; {
			n := s.hits(word)
			took := time.Since(asked)
			switch {
			case n == 1:
				return took
			case n > 1 || took > time.Minute:
				t.Fatalf("%s stands %d times after %v", word, n, took)
			}
		}
	}
	var slowest time.Duration
	for i := range 12 {
		word := fmt.Sprintf("heron%c", 'a'+i)
		servers[i%3].tell("The tide turns for " + word)
		for _, s := range servers {
			slowest = max(slowest, found(s, word))
		}
	}
	t.Logf("12 texts told to three servers by turns, and found by each, in %v; the slowest %v after it was acknowledged", time.Since(start), slowest)
	_ = servers[0].cmd.Process.Kill()
	_ = servers[0].cmd.Wait()
	servers[1].tell("The tide turns for stork")
	t.Logf("one was killed; what the next was told a third finds after %v", found(servers[2], "stork"))
	for i := range 12 {
		found(servers[1], fmt.Sprintf("heron%c", 'a'+i))
	}
}
