package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ProtonMail/go-crypto/openpgp"
)

// checksums writes checksums.txt, which sha256sum -c reads, for every file of
// the release. With a key it also writes a signature of it.
func (r *release) checksums() error {
	var b strings.Builder
	err := filepath.WalkDir(r.out, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		sum, err := sumFile(file)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(r.out, file)
		fmt.Fprintf(&b, "%s  %s\n", sum, filepath.ToSlash(rel))
		return err
	})
	if err != nil {
		return err
	}
	file := filepath.Join(r.out, "checksums.txt")
	if err := writeData(file, []byte(b.String())); err != nil {
		return err
	}
	if r.key == "" {
		return nil
	}
	signer, err := readKey(r.key, os.Getenv("MEMOIR_RELEASE_PASSPHRASE"))
	if err != nil {
		return fmt.Errorf("key %s: %w", r.key, err)
	}
	return writeFile(file+".asc", func(w io.Writer) error {
		return openpgp.ArmoredDetachSign(w, signer, strings.NewReader(b.String()), nil)
	})
}

// readKey reads an armoured secret key.
func readKey(file, passphrase string) (*openpgp.Entity, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	keys, err := openpgp.ReadArmoredKeyRing(f)
	if err != nil {
		return nil, err
	}
	if len(keys) != 1 || keys[0].PrivateKey == nil {
		return nil, fmt.Errorf("%d keys, want one secret key", len(keys))
	}
	if passphrase != "" {
		if err := keys[0].DecryptPrivateKeys([]byte(passphrase)); err != nil {
			return nil, err
		}
	}
	return keys[0], nil
}
