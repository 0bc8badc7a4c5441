package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
)

// licence has to be in every archive.
const licence = "LICENSE"

// checkArchive wants the archive of a platform to have its sum, and to hold the program and the licence.
func (p platform) checkArchive(folder fs.FS) error {
	name := path.Base(p.URI)
	content, err := fs.ReadFile(folder, name)
	if err != nil {
		return fmt.Errorf("reading the archive: %w", err)
	}
	digest := sha256.Sum256(content)
	if got := hex.EncodeToString(digest[:]); got != p.SHA256 {
		return fmt.Errorf("%s has the sum %s, and the manifest says %s", name, got, p.SHA256)
	}
	modes, err := modesOf(content)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if mode, there := modes[p.Bin]; !there || mode&0o111 != 0o111 {
		return fmt.Errorf("%s holds no program %s: %v", name, p.Bin, modes)
	}
	if _, there := modes[licence]; !there {
		return fmt.Errorf("%s holds no %s", name, licence)
	}
	return nil
}

// modesOf are the modes of the files in an archive, by their paths.
func modesOf(archive []byte) (map[string]fs.FileMode, error) {
	unpacked, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return nil, err
	}
	modes := map[string]fs.FileMode{}
	reader := tar.NewReader(unpacked)
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return modes, nil
		}
		if err != nil {
			return nil, err
		}
		if header.Typeflag == tar.TypeReg {
			modes[path.Clean(header.Name)] = header.FileInfo().Mode()
		}
	}
}
