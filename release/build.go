package main

import (
	"bytes"
	"debug/buildinfo"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// The sizes that a program may have, in bytes. A change that makes it larger
// needs a reason, and changes the number here. The aims are 65 and 20 million.
const (
	maxProgram = 72_900_000
	maxNoModel = 29_700_000
)

// release is one run: a commit and what was made of it so far.
type release struct {
	options
	tmp string // folder that goes away

	source  string    // clean checkout of the commit
	time    time.Time // of the commit; all files that are made have it
	version string    // with the v, as the programs say it
}

// number is the version as packages write it.
func (r *release) number() string { return strings.TrimPrefix(r.version, "v") }

// program returns the path of a built program.
func (r *release) program(t target, name string) string {
	return filepath.Join(r.out, "bin", t.os+"_"+t.arch, t.program(name))
}

// file returns the path to which an artifact of a target is written.
func (r *release) file(name string, t target, extension string) string {
	return filepath.Join(r.out, fmt.Sprintf("%s_%s_%s_%s%s", name, r.number(), t.os, t.arch, extension))
}

// checkout clones the commit into a folder of its own. So the release is made
// only of what is committed. And Go stamps its version into the program, which
// it does not do in a linked work tree.
func (r *release) checkout() error {
	// The settings of the user and the owner of the folder make no difference.
	settings := filepath.Join(r.tmp, "gitconfig")
	if err := os.WriteFile(settings, []byte("[safe]\n\tdirectory = *\n[advice]\n\tdetachedHead = false\n"), 0o666); err != nil {
		return err
	}
	os.Setenv("GIT_CONFIG_GLOBAL", settings)
	os.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	root, err := output("", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	if !r.snapshot {
		if err := releasable(root); err != nil {
			return err
		}
	}
	commit, err := output(root, "git", "log", "-1", "--format=%H %ct")
	if err != nil {
		return err
	}
	hash, seconds, _ := strings.Cut(commit, " ")
	at, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return fmt.Errorf("time of the commit: %w", err)
	}
	r.time = time.Unix(at, 0).UTC()
	r.source = filepath.Join(r.tmp, "source")
	if _, err := output("", "git", "clone", "--quiet", "--shared", "--no-checkout", root, r.source); err != nil {
		return err
	}
	if _, err := output(r.source, "git", "checkout", "--quiet", hash); err != nil {
		return err
	}
	for _, doc := range []string{"LICENSE", "NOTICE"} { // they stand beside the programs, for the container
		data, err := os.ReadFile(filepath.Join(r.source, doc))
		if err != nil {
			return err
		}
		if err := writeData(filepath.Join(r.out, doc), data); err != nil {
			return err
		}
	}
	return nil
}

// releasable returns an error if no release can be made of the work tree.
func releasable(root string) error {
	changed, err := output(root, "git", "status", "--porcelain")
	if err != nil {
		return err
	}
	if changed != "" {
		return fmt.Errorf("these changes are in no commit; commit them, or try with -snapshot, which leaves them out:\n%s", changed)
	}
	if _, err := output(root, "git", "describe", "--exact-match", "--tags", "--match", "v*"); err != nil {
		return fmt.Errorf("the commit has no version; git tag it, or try with -snapshot: %w", err)
	}
	return nil
}

// build compiles every program, once with the model inside and once without.
func (r *release) build() error {
	for _, t := range r.targets {
		for _, p := range []struct {
			name, tags string
			max        int64
		}{{"memoir", "", maxProgram}, {"memoir-nomodel", "nomodel", maxNoModel}} {
			file := r.program(t, p.name)
			cmd := exec.Command("go", "build", "-buildvcs=true", "-trimpath", "-ldflags=-s -w", "-tags="+p.tags, "-o", file, "./cmd/memoir")
			cmd.Dir = r.source
			// The environment of whoever runs this does not change the bytes.
			cmd.Env = append(os.Environ(), "GOOS="+t.os, "GOARCH="+t.arch, "CGO_ENABLED=0", "GOFLAGS=", "GOEXPERIMENT=",
				"GOAMD64=v1", "GOARM64=v8.0", "GOWORK=off", "GOFIPS140=off", "GODEBUG=")
			if err := call(cmd); err != nil {
				return fmt.Errorf("%s for %v: %w", p.name, t, err)
			}
			if err := r.check(t, file, p.max); err != nil {
				return fmt.Errorf("%s for %v: %w", p.name, t, err)
			}
		}
	}
	return nil
}

// check looks at a program: at its version, at its size, and whether it needs
// libraries, which it must not.
func (r *release) check(t target, file string, max int64) error {
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		return err
	}
	if r.version == "" {
		r.version = info.Main.Version
	}
	if !strings.HasPrefix(info.Main.Version, "v") || info.Main.Version != r.version {
		return fmt.Errorf("version %s, want %s", info.Main.Version, r.version)
	}
	stat, err := os.Stat(file)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%6.1f MB  %s\n", float64(stat.Size())/1e6, strings.TrimPrefix(file, r.out+string(filepath.Separator)))
	if stat.Size() > max {
		return fmt.Errorf("%d bytes, more than the %d that it may have", stat.Size(), max)
	}
	if t.os != "linux" {
		return nil
	}
	program, err := elf.Open(file)
	if err != nil {
		return err
	}
	defer program.Close()
	for _, p := range program.Progs {
		if p.Type == elf.PT_INTERP {
			return errors.New("not static: it asks for a loader")
		}
	}
	return nil
}

// call runs a command. Its error says what the command wrote.
func call(cmd *exec.Cmd) error {
	var out bytes.Buffer
	if cmd.Stdout == nil {
		cmd.Stdout = &out
	}
	cmd.Stderr = &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, out.Bytes())
	}
	return nil
}

// output returns what a command writes.
func output(dir, name string, args ...string) (string, error) {
	var out bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stdout = dir, &out
	err := call(cmd)
	return strings.TrimSpace(out.String()), err
}
