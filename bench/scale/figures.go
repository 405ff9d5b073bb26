package main

import "time"

// What one tenant takes, as it was measured with Weaviate itself: one node on
// two processors, tenants of 20 chunks, and a tenant of 10,000 for the time of
// questions. Two things were not measured: what memoir's own pages add, and
// what an awake tenant of 10,000 chunks takes.
const (
	replicas    = 3
	collections = 2 // words, and the vectors of one space

	memoryEmpty  = 111.0                 // of a node, MiB
	memoryAsleep = .11                   // of a tenant and collection, at most: 2,000 that had been awake take 334 MiB with the node
	memoryLeast  = .9                    // of one that is awake, MiB
	memoryMost   = 1.3                   //
	filesAwake   = 8                     // of a tenant and collection that is awake
	diskLeast    = 9e3                   // of a chunk and replica, bytes
	diskMost     = 10e3                  //
	wakeLeast    = 5 * time.Millisecond  // of a first question, beyond that of the next
	wakeMost     = 20 * time.Millisecond //
	questionCPU  = time.Second / 163 * 2 // 163 questions a second keep two processors busy
)
