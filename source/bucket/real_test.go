package bucket_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/notebook"
	"github.com/memoir-ai/memoir/internal/objects"
	"github.com/memoir-ai/memoir/source/bucket"
)

// realBucket returns a folder of its own in the bucket of a server that MEMOIR_TEST_S3 names
// (.ci/bucket), in which the test leaves what it made.
func realBucket(t *testing.T) *objects.Bucket {
	t.Helper()
	endpoint := os.Getenv("MEMOIR_TEST_S3")
	if endpoint == "" {
		t.Skip("no server: MEMOIR_TEST_S3 is not set; .ci/bucket starts one")
	}
	b, err := objects.Open(objects.Options{URL: "s3://memoir-test/" + strings.ToLower(rand.Text()), Endpoint: endpoint, Region: os.Getenv("AWS_REGION"),
		Key: os.Getenv("AWS_ACCESS_KEY_ID"), Secret: os.Getenv("AWS_SECRET_ACCESS_KEY"), Token: os.Getenv("AWS_SESSION_TOKEN")})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// What is promised of a server, of names, pages and conditions.
func TestRealObjects(t *testing.T) {
	b := realBucket(t)
	ctx := t.Context()
	deletes, err := b.Conditional(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("conditional deletions: %v", deletes)
	names := []string{"a b+c&d.md", "a%20b.md", "e'f(g)!.md", "memory/2026-01-02.md", "日本語/ノート.md", "~x=y,z;.md"}
	const many = 1100
	for i := range many {
		names = append(names, fmt.Sprintf("n/%04d.md", i))
	}
	slices.Sort(names)
	putAll(t, b, names)
	var got []string
	start := time.Now()
	for o, err := range b.List(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(o.Name, ".memoir/") {
			got = append(got, o.Name)
		}
	}
	t.Logf("%d objects listed in %v", len(got), time.Since(start))
	if diff := cmp.Diff(names, got); diff != "" {
		t.Error("(-want +got)\n", diff)
	}
	_, etag, err := b.Get(ctx, names[0], 10)
	if err != nil {
		t.Fatal(err)
	}
	next, err := b.Put(ctx, names[0], []byte("y"), etag)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Put(ctx, names[0], []byte("z"), etag); !errors.Is(err, objects.ErrChanged) {
		t.Errorf("overwrote what another one wrote: %v", err)
	}
	if err := b.Delete(ctx, names[0], next); err != nil {
		t.Error(err)
	}
	if _, err := b.Put(ctx, names[0], []byte("z"), next); !errors.Is(err, objects.ErrChanged) {
		t.Errorf("wrote to what is gone: %v", err)
	}
}

// putAll makes objects of one byte, eight at a time.
func putAll(t *testing.T, b *objects.Bucket, names []string) {
	t.Helper()
	queue := make(chan string)
	var puts sync.WaitGroup
	for range 8 {
		puts.Go(func() {
			for name := range queue {
				if _, err := b.Put(t.Context(), name, []byte("x"), ""); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for _, name := range names {
		queue <- name
	}
	close(queue)
	puts.Wait()
}

// Of machines that write to one note at the same time none loses a line.
func TestRealMachines(t *testing.T) {
	b := realBucket(t)
	const machines, lines = 3, 20
	var writers sync.WaitGroup
	var took []time.Duration
	var mu sync.Mutex
	for i := range machines {
		dir := t.TempDir()
		c, err := bucket.Open(bucket.Options{Bucket: b, Name: "s3://memoir-test", Dir: dir, MaxBytes: maxBytes, Keeps: func(name string) bool { return strings.HasSuffix(name, ".md") }})
		if err != nil {
			t.Fatal(err)
		}
		n, err := notebook.Open(bucket.NotesDir(dir), filepath.Join(dir, "notebook"), notebook.Options{Remote: c})
		if err != nil {
			t.Fatal(err)
		}
		writers.Go(func() {
			for j := range lines {
				start := time.Now()
				if _, err := add(t.Context(), n, fmt.Sprintf("- line %d of machine %d", j, i), "memory/log.md"); err != nil {
					t.Error(err)
				}
				mu.Lock()
				took = append(took, time.Since(start))
				mu.Unlock()
			}
		})
	}
	writers.Wait()
	data, _, err := b.Get(t.Context(), "memory/log.md", maxBytes)
	if err != nil {
		t.Fatal(err)
	}
	for i := range machines {
		for j := range lines {
			if n := strings.Count(string(data), fmt.Sprintf("- line %d of machine %d\n", j, i)); n != 1 {
				t.Errorf("line %d of machine %d is there %d times", j, i, n)
			}
		}
	}
	slices.Sort(took)
	t.Logf("%d lines by %d machines at once: median %v, longest %v", len(took), machines, took[len(took)/2], took[len(took)-1])
}
