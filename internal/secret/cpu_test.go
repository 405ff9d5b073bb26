package secret_test

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/memoir-ai/memoir/internal/secret"
)

func cpu() time.Duration {
	var r syscall.Rusage
	syscall.Getrusage(1, &r) // thread
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

func TestCPU(t *testing.T) {
	secret.Find("password: hunter22")
	for _, x := range texts {
		if o := os.Getenv("ONLY"); o != "" && !strings.Contains(o, x.name) {
			continue
		}
		long := text(x.unit)
		a := cpu()
		n := len(secret.Find(long))
		t.Logf("%-15s %8.1f ms  %d", x.name, float64(cpu()-a)/1e6, n)
	}
}
