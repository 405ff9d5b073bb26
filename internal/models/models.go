// Package models lists, installs, tests and opens the models on this machine.
package models

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/local"
	"github.com/memoir-ai/memoir/embed/local/weights"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/modeldir"
	"github.com/memoir-ai/memoir/internal/modelfile"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/syserr"
	"github.com/memoir-ai/memoir/internal/vecmath"
	"github.com/memoir-ai/memoir/rerank/crossencoder"
)

// A Model is one that the local provider could use.
type Model struct {
	Name     string // as the setting model takes it
	Path     string // "" of the model inside
	Bytes    int    // of the file
	Checksum string // SHA-256 that the file states
	Info     modelfile.Info
	InUse    bool  // the settings name it
	Err      error // why it cannot be used; the fields above may be empty then
}

// SelfTest is what a model's self-test found.
type SelfTest = local.SelfTest

// Inside returns the name of the model inside the binary, "" when there is none.
// It computes nothing with it.
func Inside() string {
	e, err := local.New(weights.File(), local.Options{})
	if err != nil {
		return ""
	}
	return e.Space().Model
}

// Reads returns the model inside the binary as what reads what is told, or nil when there
// is none. It computes nothing before the first text, and every call returns the same one.
var Reads = sync.OnceValue(func() memoir.Embedder {
	e, err := local.New(weights.File(), local.Options{})
	if err != nil {
		return nil
	}
	return e
})

// List returns the model inside the binary, then the installed ones by name.
// Nothing is read of them but what they say of themselves.
func List(settings *config.Loaded) ([]Model, error) {
	names, err := modeldir.New(settings.ModelsDir).Names()
	if err != nil {
		return nil, fmt.Errorf("list the models: %w", err)
	}
	var models []Model
	if len(weights.File()) > 0 {
		names = append([]string{config.ModelInside}, names...)
	}
	for _, name := range names {
		models = append(models, Describe(settings, name))
	}
	return models, nil
}

// inUse reports whether the settings name the model of this file.
func inUse(settings *config.Loaded, path string) bool {
	embeds, err := modelPath(settings, settings.Model)
	if err == nil && embeds == path && config.Choose(settings).Provider == "local" {
		return true
	}
	r := settings.Rerank
	reranks, err := modelPath(settings, r.Model)
	return err == nil && r.Provider == "local" && r.Model != "" && reranks == path
}

// Describe opens a model to see what it says.
func Describe(settings *config.Loaded, name string) Model {
	m := Model{Name: name}
	path, err := modelPath(settings, name)
	if err != nil {
		m.Err = err
		return m
	}
	m.Path, m.InUse = path, inUse(settings, path)
	if path == "" {
		f, err := modelfile.Parse(weights.File())
		if err != nil {
			m.Err = err
			return m
		}
		m.Bytes, m.Checksum, m.Info = f.Size(), f.Checksum(), f.Info()
		return m
	}
	f, err := openModel(name, path)
	if err != nil {
		m.Err = err
		return m
	}
	m.Bytes, m.Checksum, m.Info = f.Size(), f.Checksum(), f.Info()
	m.Err = f.Close()
	return m
}

// modelPath returns the file that a value of the setting model names, "" for
// the model inside.
func modelPath(settings *config.Loaded, model string) (string, error) {
	if model == config.ModelInside || model == "" || filepath.IsAbs(model) {
		if model == config.ModelInside {
			model = ""
		}
		return model, nil
	}
	path, err := modeldir.New(settings.ModelsDir).Path(model)
	switch {
	case errors.Is(err, modeldir.ErrNoFolder):
		return "", memoir.WithHint(err, "name a folder with MEMOIR_MODELS_DIR")
	case err != nil:
		return "", memoir.WithHint(fmt.Errorf("%w: %w", err, memoir.ErrInvalid), "memoir model list")
	}
	return path, nil
}

// openModel opens the file of a model. A path that a person set may lead through
// a link; the installed models are files of memoir's own.
func openModel(name, path string) (*modeldir.Model, error) {
	open := modeldir.Open
	if filepath.IsAbs(name) {
		open = modeldir.Follow
	}
	m, err := open(path)
	if err != nil {
		return nil, missingModel(name, path, err)
	}
	return m, nil
}

// missingModel adds the next command to why a model cannot be opened. To remove
// is advised of installed models alone: anything else is not memoir's.
func missingModel(name, path string, err error) error {
	foreign := errors.Is(err, modelfile.ErrForeign) || errors.Is(err, regular.ErrKind)
	switch {
	case errors.Is(err, fs.ErrNotExist) && filepath.IsAbs(name):
		return memoir.WithHint(fmt.Errorf("there is no model at %s: %w", name, memoir.ErrNotFound), "memoir model list, or memoir model use inside")
	case errors.Is(err, fs.ErrNotExist):
		return memoir.WithHint(fmt.Errorf("the model %s is not installed: %w", name, memoir.ErrNotFound), fmt.Sprintf("memoir model pull %s, or memoir model use inside", name))
	case filepath.IsAbs(name):
		return memoir.WithHint(fmt.Errorf("open the model %s: %w", name, syserr.Reason(err)), "memoir model list, or memoir model use inside")
	case foreign:
		return memoir.WithHint(fmt.Errorf("open the model %s: %w", name, err), fmt.Sprintf("move %s away, or memoir model use inside", path))
	case errors.Is(err, modelfile.ErrDamaged):
		return memoir.WithHint(fmt.Errorf("open the model %s: %w", name, err), fmt.Sprintf("memoir model remove --force %s, then memoir model pull it again", name))
	}
	return memoir.WithHint(fmt.Errorf("open the model %s: %w", name, err), "memoir model list")
}

// readModel returns the bytes of the model that a value of the setting model
// names, and where it was opened. They stay mapped for as long as the process lives: a computation that
// nobody waits for any more may still read them.
func readModel(settings *config.Loaded, model string) (file []byte, at *place, err error) {
	path, err := modelPath(settings, model)
	if err != nil {
		return nil, nil, err
	}
	if path == "" {
		return weights.File(), nil, nil
	}
	m, err := openModel(model, path)
	if err != nil {
		return nil, nil, err
	}
	return m.Bytes(), &place{modeldir.Place{Model: m, Path: path}, model}, nil
}

// place is where a model that is read in place was opened; nil: inside the program.
type place struct {
	modeldir.Place
	name string
}

func (p *place) changed() error {
	if p == nil {
		return nil
	}
	err := p.Model.Changed()
	if err == nil {
		return nil
	}
	return memoir.WithHint(fmt.Errorf("the model %s: %w", p.name, err), "end that process and start it again")
}

// Newer reports whether another whole model stands by now where that of an embedder was
// opened. The embedder goes on with its own.
func Newer(e memoir.Embedder) bool {
	own, ok := memoir.As[inPlace](e)
	return ok && own.at != nil && own.at.Newer()
}

// inPlace is an embedder that reads its model in place. It asks neither a file that was
// written to, which may end the process and is no longer the model, nor gives what it
// computed meanwhile.
type inPlace struct {
	memoir.Embedder
	at *place
}

// Embed implements [memoir.Embedder].
func (e inPlace) Embed(ctx context.Context, task memoir.Task, texts []string) ([][]float32, error) {
	if err := e.at.changed(); err != nil {
		return nil, err
	}
	vectors, err := e.Embedder.Embed(ctx, task, texts)
	if changed := e.at.changed(); changed != nil {
		return nil, changed
	}
	return vectors, err
}

// Unwrap implements [memoir.Wrapper].
func (e inPlace) Unwrap() any { return e.Embedder }

// scoresInPlace is the same of a reranker.
type scoresInPlace struct {
	memoir.Reranker
	at *place
}

// Rerank implements [memoir.Reranker].
func (r scoresInPlace) Rerank(ctx context.Context, query string, passages []string) ([]float64, error) {
	if err := r.at.changed(); err != nil {
		return nil, err
	}
	scores, err := r.Reranker.Rerank(ctx, query, passages)
	if changed := r.at.changed(); changed != nil {
		return nil, changed
	}
	return scores, err
}

// Unwrap implements [memoir.Wrapper].
func (r scoresInPlace) Unwrap() any { return r.Reranker }

// MayCome reports whether an error of [OpenEmbedder] is about a file that is missing or no
// whole model, which a person may put right while a process runs. To look again costs next to
// nothing.
func MayCome(err error) bool {
	return errors.Is(err, memoir.ErrNotFound) || errors.Is(err, modelfile.ErrDamaged) || errors.Is(err, modelfile.ErrForeign)
}

// OpenEmbedder opens the configured model.
func OpenEmbedder(ctx context.Context, settings *config.Loaded) (memoir.Embedder, error) {
	file, at, err := readModel(settings, settings.Model)
	if err != nil {
		return nil, err
	}
	e, err := local.New(file, local.Options{DocumentWorkers: settings.Embed.Threads})
	if err != nil {
		return nil, err
	}
	if err := testOnce(ctx, settings, settings.Model, file, e.Checksum()); err != nil {
		return nil, err
	}
	return inPlace{e, at}, nil
}

// OpenReranker opens the configured one.
func OpenReranker(ctx context.Context, settings *config.Loaded) (memoir.Reranker, error) {
	model := settings.Rerank.Model
	if model == "" {
		return nil, memoir.WithHint(fmt.Errorf("rerank.provider is local and rerank.model names none: %w", memoir.ErrInvalid), "memoir model list, then memoir model use NAME")
	}
	file, at, err := readModel(settings, model)
	if err != nil {
		return nil, err
	}
	r, err := crossencoder.New(file)
	if err != nil {
		return nil, err
	}
	if err := testOnce(ctx, settings, model, file, r.Checksum()); err != nil {
		return nil, err
	}
	return scoresInPlace{r, at}, nil
}

// testOnce makes the self-test of a model from a file before its first use on
// this processor; a mark remembers that it passed, so that later opens compute
// and read nothing.
func testOnce(ctx context.Context, settings *config.Loaded, model string, file []byte, checksum string) error {
	if model == config.ModelInside {
		return nil
	}
	kernels, err := vecmath.Best()
	if err != nil {
		return err
	}
	dir := modeldir.New(settings.ModelsDir)
	if dir.Tested(checksum, kernels.String()) {
		return nil
	}
	if _, err := local.Test(ctx, file); err != nil {
		return failedTest(model, err)
	}
	// Without a mark the test is made again, which only costs time.
	_ = dir.MarkTested(checksum, kernels.String())
	return nil
}

func failedTest(model string, err error) error {
	if !errors.Is(err, local.ErrSelfTest) || errors.Is(err, context.Canceled) {
		return err
	}
	hint := "memoir model use inside"
	if !filepath.IsAbs(model) {
		hint += ", or install the model again: memoir model remove, memoir model pull"
	}
	return memoir.WithHint(fmt.Errorf("the model %s is not used: %w", model, err), hint)
}

// Verify compares a model with its checksum and runs its self-test, also
// when it passed before. An empty name is the configured model.
func Verify(ctx context.Context, settings *config.Loaded, model string) (Model, SelfTest, error) {
	if model == "" {
		model = settings.Model
	}
	file, _, err := readModel(settings, model)
	if err != nil {
		return Model{}, SelfTest{}, err
	}
	found, err := local.Test(ctx, file)
	if err != nil {
		return Model{}, found, failedTest(model, err)
	}
	m := Describe(settings, model)
	_ = modeldir.New(settings.ModelsDir).MarkTested(m.Checksum, found.Kernels)
	return m, found, m.Err
}

// Remove deletes an installed model. The configured one is kept unless
// the removal is forced.
func Remove(settings *config.Loaded, name string, force bool) error {
	path, err := modelPath(settings, name)
	if err != nil {
		return err
	}
	if path == "" || filepath.IsAbs(name) {
		return memoir.WithHint(fmt.Errorf("only installed models can be removed: %w", memoir.ErrInvalid), "memoir model list")
	}
	if used, err := modelPath(settings, settings.Model); !force && (inUse(settings, path) || err == nil && used == path) {
		return memoir.WithHint(fmt.Errorf("the model %s is in use", name), "memoir model use inside, or memoir model remove --force "+name)
	}
	err = modeldir.New(settings.ModelsDir).Remove(name)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, modeldir.ErrMissing):
		return memoir.WithHint(fmt.Errorf("%w: %w", err, memoir.ErrNotFound), "memoir model list")
	case errors.Is(err, modelfile.ErrForeign), errors.Is(err, regular.ErrKind):
		return memoir.WithHint(fmt.Errorf("%s stays, for it is not memoir's: %w", path, err), "memoir model list; move it away yourself if it is in the way")
	}
	return fmt.Errorf("remove the model: %w", err)
}

// Use makes a model the one of later runs, in the settings file of a layer,
// and returns it: the line of the setting model changes, and that of provider when it names
// another than the local one; of a model that reranks those of rerank.model and
// rerank.provider. The model must be there.
func Use(settings *config.Loaded, file string, layer config.Layer, model string) (Model, error) {
	m := Describe(settings, model)
	if m.Err != nil {
		return m, m.Err
	}
	values := map[string]string{"model": model}
	switch {
	case m.Info.Reranks:
		values = map[string]string{"rerank.model": model, "rerank.provider": "local"}
	case settings.Provider != "auto" && settings.Provider != "local": // auto takes the model that is set
		values["provider"] = "local"
	}
	return m, config.Set(file, layer, values)
}
