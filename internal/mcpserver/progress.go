package mcpserver

import (
	"context"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoir-ai/memoir/internal/wire"
)

// progressPause is how often a client that wants to know is told that its call
// still runs.
const progressPause = time.Second

// progress tells clients that want to know that a call still runs, and for how
// many seconds, so that they do not give up.
func progress(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		call, ok := req.(*mcp.CallToolRequest)
		if !ok || call.Params == nil || call.Params.GetProgressToken() == nil {
			return next(ctx, method, req)
		}
		done, stopped := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(stopped)
			ticker := time.NewTicker(progressPause)
			defer ticker.Stop()
			for seconds := 1; ; seconds++ {
				select {
				case <-done:
					return
				case <-ctx.Done():
					return
				case <-ticker.C:
				}
				// A client that misses this still waits for the answer.
				_ = call.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
					ProgressToken: call.Params.GetProgressToken(), Progress: float64(seconds),
					Message: fmt.Sprintf("%s has run for %d s", wire.Cut(call.Params.Name, maxEcho), seconds),
				})
			}
		}()
		defer func() {
			close(done)
			<-stopped
		}()
		return next(ctx, method, req)
	}
}
