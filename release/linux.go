package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/apk" // packager
	_ "github.com/goreleaser/nfpm/v2/deb" // packager
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm" // packager
)

// These texts are what packages and manifests say about memoir.
const (
	summary  = "Long-term memory for AI agents that people can read"
	homepage = "https://github.com/memoir-ai/memoir"
	licence  = "Apache-2.0"
	vendor   = "The memoir authors"
	mail     = "memoir-ai@users.noreply.github.com"
)

// linuxPackages writes deb, rpm and apk.
func (r *release) linuxPackages() error {
	for _, t := range r.targets {
		if t.os != "linux" {
			continue
		}
		for _, format := range []string{"deb", "rpm", "apk"} {
			contents, err := r.installed(t, format)
			if err != nil {
				return err
			}
			info := nfpm.WithDefaults(&nfpm.Info{
				Name: "memoir", Arch: t.arch, Platform: "linux", Version: r.version, Section: "utils", Priority: "optional",
				Maintainer: vendor + " <" + mail + ">", Vendor: vendor, Description: summary, Homepage: homepage, License: licence,
				MTime: r.time, DisableGlobbing: true,
				Overridables: nfpm.Overridables{Contents: contents},
			})
			info.RPM.BuildHost = "localhost" // the name of this machine is nobody's business
			if r.key != "" {
				signature := nfpm.PackageSignature{KeyFile: r.key, KeyPassphrase: os.Getenv("MEMOIR_RELEASE_PASSPHRASE")}
				info.Deb.Signature.PackageSignature = signature
				info.RPM.Signature.PackageSignature = signature
			}
			if err := writePackage(info, format, r.file("memoir", t, "."+format)); err != nil {
				return fmt.Errorf("%s for %v: %w", format, t, err)
			}
		}
	}
	return nil
}

func writePackage(info *nfpm.Info, format, file string) error {
	if err := nfpm.PrepareForPackager(info, format); err != nil {
		return err
	}
	packager, err := nfpm.Get(format)
	if err != nil {
		return err
	}
	return writeFile(file, func(w io.Writer) error { return packager.Package(info, w) })
}

// installed lists the files that a package puts into a system.
func (r *release) installed(t target, format string) (files.Contents, error) {
	zsh := "/usr/share/zsh/site-functions"
	if format == "deb" {
		zsh = "/usr/share/zsh/vendor-completions"
	}
	var contents files.Contents
	add := func(from, to string, mode fs.FileMode) {
		contents = append(contents, &files.Content{Source: from, Destination: to, FileInfo: &files.ContentFileInfo{
			Owner: "root", Group: "root", Mode: mode, MTime: r.time,
		}})
	}
	add(r.program(t, "memoir"), "/usr/bin/memoir", 0o755)
	// rpm leaves a folder that no package has.
	contents = append(contents, &files.Content{Type: files.TypeDir, Destination: "/usr/share/doc/memoir", FileInfo: &files.ContentFileInfo{
		Owner: "root", Group: "root", Mode: 0o755, MTime: r.time,
	}})
	add(filepath.Join(r.source, "LICENSE"), "/usr/share/doc/memoir/copyright", 0o644)
	add(filepath.Join(r.source, "NOTICE"), "/usr/share/doc/memoir/NOTICE", 0o644)
	for name, to := range map[string]string{
		"memoir.bash": "/usr/share/bash-completion/completions/memoir",
		"_memoir":     zsh + "/_memoir",
		"memoir.fish": "/usr/share/fish/vendor_completions.d/memoir.fish",
	} {
		add(filepath.Join(r.completions(), name), to, 0o644)
	}
	pages, err := under(r.man(), "/usr/share/man/man1")
	if err != nil {
		return nil, err
	}
	for _, page := range pages {
		file := filepath.Join(r.tmp, "man.gz", path.Base(page.name)+".gz")
		if _, err := os.Stat(file); err != nil {
			data, err := zipped(page.from)
			if err != nil {
				return nil, err
			}
			if err := writeData(file, data); err != nil {
				return nil, err
			}
		}
		add(file, page.name+".gz", 0o644)
	}
	return contents, nil
}
