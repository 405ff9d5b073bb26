// Command release makes everything that a release of memoir consists of: from
// the commit that is checked out, without a network but for the Go modules.
// With the same version of Go it makes the same bytes each time.
//
//	cd release && go run . [-snapshot] [-out ../dist] [-targets linux/amd64,...] [-key FILE]
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// allTargets are the systems that a release is for.
var allTargets = []target{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
}

func main() {
	var opts options
	var targets string
	flag.StringVar(&opts.out, "out", "../dist", "folder that is made; it must not exist or be empty")
	flag.StringVar(&targets, "targets", "", "systems to build for, such as linux/amd64,darwin/arm64 (default all)")
	flag.BoolVar(&opts.snapshot, "snapshot", false, "try it: of the last commit, tagged or not, also beside changes that are not in it")
	flag.StringVar(&opts.key, "key", "", "file of an OpenPGP secret key that signs; its passphrase is in MEMOIR_RELEASE_PASSPHRASE")
	flag.Parse()
	err := func() error {
		if flag.NArg() > 0 {
			return fmt.Errorf("%q is no flag", flag.Arg(0))
		}
		var err error
		if opts.targets, err = parseTargets(targets); err != nil {
			return err
		}
		return run(opts)
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

type options struct {
	out      string
	targets  []target
	snapshot bool
	key      string // file of the secret key; when empty, nothing is signed
}

// target is a system, as Go names it.
type target struct{ os, arch string }

func (t target) String() string { return t.os + "/" + t.arch }

// program returns the file name of a program on the system.
func (t target) program(name string) string {
	if t.os == "windows" {
		return name + ".exe"
	}
	return name
}

// parseTargets reads the list of the flag -targets. An empty one means all
// targets.
func parseTargets(list string) ([]target, error) {
	if list == "" {
		return allTargets, nil
	}
	var targets []target
	for _, name := range strings.Split(list, ",") {
		i := slices.IndexFunc(allTargets, func(t target) bool { return t.String() == name })
		if i < 0 {
			return nil, fmt.Errorf("no release is made for %q; there are %v", name, allTargets)
		}
		targets = append(targets, allTargets[i])
	}
	return targets, nil
}

// run makes the release in opts.out. After an error, what stands there is of no
// use.
func run(opts options) error {
	out, err := filepath.Abs(opts.out)
	if err != nil {
		return err
	}
	if entries, err := os.ReadDir(out); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty; delete it first", out)
	} else if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "memoir-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	r := &release{options: opts, tmp: tmp}
	r.out = out
	for _, step := range []struct {
		name string
		make func() error
	}{
		{"check the commit out", r.checkout},
		{"build", r.build},
		{"write manual pages and completions", r.manuals},
		{"archive", r.archives},
		{"package for Linux", r.linuxPackages},
		{"package for npm", r.npmPackages},
		{"bundle for MCP", r.bundles},
		{"write manifests", r.manifests},
		{"list what is inside", r.materials},
		{"write checksums", r.checksums},
	} {
		fmt.Fprintln(os.Stderr, "release:", step.name)
		if err := step.make(); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	fmt.Fprintf(os.Stderr, "release: %s is in %s\n", r.version, out)
	return nil
}
