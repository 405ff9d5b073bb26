// Package otlp tells a collector of OpenTelemetry how long requests and their stages
// took: searches, syncs, and what they ask of the store. All of it stands behind the
// build tag otel, without which the package is empty. Spans hold names and counts, never
// a query, a path or a text.
package otlp
