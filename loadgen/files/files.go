package files

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
)

// Files are those that can be opened.
type Files struct {
	// Folder of all files; empty: there is none.
	Folder string
	// ConfigMaps that are at hand without a folder: their data, by their names and keys.
	ConfigMaps map[string]map[string]string
}

// Open opens a file to be read once, from its start on.
func (f Files) Open(file planv1.File) (io.ReadCloser, error) {
	if content, ok := f.ConfigMaps[file.ConfigMap][file.Path]; ok {
		return io.NopCloser(strings.NewReader(content)), nil
	}
	opened, err := f.open(file)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", file, err)
	}
	return opened, nil
}

func (f Files) open(file planv1.File) (*os.File, error) {
	if f.Folder == "" {
		return nil, errors.New("this load generator was not told in which folder files are")
	}
	// A name with a slash would lead elsewhere; the API lets none through.
	if name := file.ConfigMap + file.Claim; name == "" || path.Base(name) != name || name == ".." {
		return nil, fmt.Errorf("%q is no name of a ConfigMap or volume", name)
	}
	root, err := os.OpenRoot(filepath.Join(f.Folder, filepath.FromSlash(file.Folder())))
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	// A pipe is opened at once, to be refused.
	opened, err := root.OpenFile(filepath.FromSlash(file.Path), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err := opened.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(errors.New("it is no regular file"), err, opened.Close())
	}
	return opened, nil
}
