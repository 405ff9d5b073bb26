//go:build otel

package cli

import (
	"cmp"
	"context"
	"net/http"
	"os"
	"strings"
	"sync"

	"github.com/memoir-ai/memoir/internal/otlp"
)

// traced tells the collector that the variables of OpenTelemetry name of all stages from
// now on, and of each request to what wrap returns; without one it does nothing. end hands
// on what is left.
func (s *session) traced(ctx context.Context) (wrap func(http.Handler) http.Handler, end func()) {
	url := os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
	if base := os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT"); base != "" {
		url = cmp.Or(url, strings.TrimSuffix(base, "/")+"/v1/traces")
	}
	if url == "" {
		return func(h http.Handler) http.Handler { return h }, func() {}
	}
	r := otlp.New(otlp.HTTP(url, build().Version), s.logger())
	ctx, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { r.Run(ctx) })
	return r.Handler, func() {
		stop()
		running.Wait()
	}
}
