package models

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/local"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/hub"
	"github.com/memoir-ai/memoir/internal/modeldir"
	"github.com/memoir-ai/memoir/internal/modelfile"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/statedir"
	"github.com/memoir-ai/memoir/internal/syserr"
)

// PullOptions say how a model is installed. The zero value takes the names and
// sizes that the model and its converter propose.
type PullOptions struct {
	// Name is what the model is installed as; "" is its own name. A folder is
	// taken for the model of that name.
	Name    string
	Convert modelfile.Options // Name and Origin are filled in
	Keep    bool              // leave the downloaded files
	Force   bool              // install again what is installed
	// Step is told what begins after the download, for people; nil is allowed.
	Step func(what string)
	// Progress is told of the bytes of a file; nil is allowed.
	Progress hub.Progress
	// Waiting is called once when another process pulls the same model; nil is allowed.
	Waiting func()
}

// Pulled is what [Pull] did.
type Pulled struct {
	Model   Model
	Already bool   // it was installed before, and nothing was done
	Files   string // folder of the downloaded files, when they were kept
	Test    SelfTest
}

// Pull installs a model: one of the catalogue by its name, one of the hub
// by OWNER/NAME or address, a folder as it was published, or a model file. A
// model that fails its self-test is not installed.
func Pull(ctx context.Context, settings *config.Loaded, what string, opts PullOptions) (Pulled, error) {
	p := &pull{settings: settings, dir: modeldir.New(settings.ModelsDir), what: what, opts: opts}
	done, err := p.run(ctx)
	if err != nil {
		return Pulled{}, memoir.WithHint(fmt.Errorf("pull %s: %w", what, err), p.hint(err))
	}
	return done, nil
}

type pull struct {
	settings *config.Loaded
	dir      modeldir.Dir
	what     string
	opts     PullOptions
}

func (p *pull) run(ctx context.Context) (Pulled, error) {
	path, err := p.local()
	if err != nil {
		return Pulled{}, err
	}
	if path != "" {
		return p.install(ctx, path)
	}
	ref, known, err := p.published()
	if err != nil {
		return Pulled{}, err
	}
	// What is known of a model goes by its published name, whatever its file is called.
	p.opts.Convert.Name = ref.Name
	p.opts.Name = cmp.Or(p.opts.Name, ref.Name)
	if done, err := p.already(); err != nil || done.Already {
		return done, err
	}
	return p.download(ctx, ref, known)
}

// local returns the path when what is meant is on this machine. A plain name
// never is: it could be both.
func (p *pull) local() (string, error) {
	path := p.what
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		if home, err := os.UserHomeDir(); err == nil {
			path = filepath.Join(home, rest)
		}
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	meant := filepath.IsAbs(path) || strings.HasPrefix(path, ".") || strings.HasSuffix(path, modeldir.Suffix) || strings.Contains(path, `\`)
	if _, err := os.Stat(abs); err != nil {
		if meant {
			return "", syserr.Reason(err) // the caller names what is pulled
		}
		return "", nil
	}
	if meant || strings.Contains(path, "/") {
		return abs, nil
	}
	return "", nil
}

// published returns which model of the hub is meant, and what the catalogue
// knows of it.
func (p *pull) published() (hub.Ref, hub.Published, error) {
	all := hub.Catalogue()
	if i := slices.IndexFunc(all, func(m hub.Published) bool { return strings.EqualFold(m.Name, p.what) }); i >= 0 {
		return all[i].Ref, all[i], nil
	}
	ref, err := hub.ParseRef(p.what, p.settings.Hub.BaseURL)
	if err != nil {
		return hub.Ref{}, hub.Published{}, err
	}
	// The catalogue's word counts for the moment that it names.
	if i := slices.IndexFunc(all, func(m hub.Published) bool { return m.Ref == ref }); i >= 0 {
		return ref, all[i], nil
	}
	return ref, hub.Published{}, nil
}

// already returns the installed model of the name that is wanted.
func (p *pull) already() (Pulled, error) {
	name := p.opts.Name
	path, err := p.dir.Path(name)
	if err != nil || p.opts.Force {
		return Pulled{}, err
	}
	if _, err := os.Lstat(path); err != nil {
		return Pulled{}, nil
	}
	m := Describe(p.settings, name)
	return Pulled{Model: m, Already: true}, m.Err
}

// download brings the files of a published model and installs them.
func (p *pull) download(ctx context.Context, ref hub.Ref, known hub.Published) (done Pulled, err error) {
	client, err := hub.New(hub.Options{BaseURL: p.settings.Hub.BaseURL, Token: p.settings.Hub.Token, MaxBytes: maxPublished})
	if err != nil {
		return Pulled{}, err
	}
	defer client.Close()
	if ref, err = client.Resolve(ctx, ref); err != nil {
		return Pulled{}, err
	}
	files, err := p.dir.Downloads(ref.Owner, ref.Name, ref.Revision)
	if err != nil {
		return Pulled{}, err
	}
	l, err := statedir.Acquire(ctx, files+".lock", p.opts.Waiting)
	if err != nil {
		return Pulled{}, memoir.WithHint(err, "name a folder that can be written to with MEMOIR_MODELS_DIR")
	}
	defer func() { err = errors.Join(err, l.Release()) }()
	for _, f := range hub.Files(known.Weights) {
		if !ref.Pinned() { // what an earlier run completed may be of another moment
			if err := os.RemoveAll(filepath.Join(files, filepath.FromSlash(f.Path))); err != nil {
				return Pulled{}, err
			}
		}
		if _, err := client.Download(ctx, ref, f, files, p.opts.Progress); err != nil {
			return Pulled{}, err
		}
	}
	p.opts.Convert.Origin = strings.TrimRight(p.settings.Hub.BaseURL, "/") + "/" + ref.String()
	if ref.Pinned() {
		p.opts.Convert.Origin += "/tree/" + ref.Revision
	}
	if done, err = p.install(ctx, files); err != nil {
		return Pulled{}, err
	}
	if p.opts.Keep {
		done.Files = files
		return done, nil
	}
	return done, os.RemoveAll(files)
}

// maxPublished bounds a published file, in bytes.
const maxPublished = 4 << 30

// install makes a model file of what is at the path, tests it and puts it into
// the folder of models.
func (p *pull) install(ctx context.Context, path string) (Pulled, error) {
	if p.opts.Name == "" {
		p.opts.Name = strings.TrimSuffix(filepath.Base(path), modeldir.Suffix)
	}
	if p.opts.Convert.Name == "" {
		p.opts.Convert.Name = p.opts.Name
	}
	if done, err := p.already(); err != nil || done.Already {
		return done, err
	}
	file, release, err := p.file(ctx, path)
	if err != nil {
		return Pulled{}, err
	}
	defer release()
	if err := ctx.Err(); err != nil {
		return Pulled{}, err
	}
	test, err := local.Test(ctx, file)
	if err != nil {
		return Pulled{}, err
	}
	if installed, err := p.dir.Install(p.opts.Name, file); err != nil {
		if errors.Is(err, modelfile.ErrForeign) || errors.Is(err, regular.ErrKind) {
			err = memoir.WithHint(err, fmt.Sprintf("move %s away, or memoir model pull %s --name NAME", installed, p.what))
		}
		return Pulled{}, err
	}
	m := Describe(p.settings, p.opts.Name)
	_ = p.dir.MarkTested(m.Checksum, test.Kernels)
	return Pulled{Model: m, Test: test}, m.Err
}

// file returns the model file that is, or is made of what is, at the path.
func (p *pull) file(ctx context.Context, path string) ([]byte, func(), error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, syserr.Reason(err)
	}
	if info.IsDir() {
		if p.opts.Step != nil {
			p.opts.Step("converting and testing " + p.opts.Name)
		}
		file, err := Convert(ctx, regular.DirFS(path), p.opts.Convert)
		if err != nil {
			return nil, nil, fmt.Errorf("convert: %w", err)
		}
		return file, func() {}, nil
	}
	m, err := modeldir.Follow(path)
	if err != nil {
		return nil, nil, syserr.Reason(err)
	}
	return m.Bytes(), func() { _ = m.Close() }, nil // nothing was written
}

// hint returns the next command after an error.
func (p *pull) hint(err error) string {
	again := "memoir model pull " + p.what
	switch {
	case memoir.Hint(err) != "" && !errors.Is(err, local.ErrSelfTest):
		return memoir.Hint(err)
	case errors.Is(err, context.Canceled): // what is done is kept
		return again + " goes on where it stopped"
	case syserr.DiskFull(err):
		return "free some space, then " + again + ", which goes on where it stopped"
	case errors.Is(err, hub.ErrDenied):
		return `check the name; for a model with terms, accept them on its page and set hub.token = "${HF_TOKEN}" in your own settings`
	case errors.Is(err, hub.ErrNotFound), errors.Is(err, hub.ErrInvalid):
		return "memoir model list"
	case errors.Is(err, hub.ErrBusy):
		return "wait some minutes, then " + again + ", which goes on where it stopped"
	case errors.Is(err, hub.ErrInterrupted):
		return again + " goes on where it stopped; without a network: memoir model pull FOLDER"
	case errors.Is(err, hub.ErrAnswer):
		return "memoir config shows hub.baseURL; is a proxy in between?"
	case errors.Is(err, hub.ErrDamaged):
		return again + " begins anew"
	case errors.Is(err, modeldir.ErrNoFolder):
		return "name a folder with MEMOIR_MODELS_DIR"
	case errors.Is(err, modeldir.ErrName):
		return again + " --name NAME"
	case errors.Is(err, fs.ErrNotExist):
		return "memoir help model pull"
	}
	return "memoir model list names models that memoir reads"
}
