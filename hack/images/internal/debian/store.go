package debian

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/mongobench/mongobench-operator/hack/images/internal/command"
)

// Package is a package of Debian.
type Package struct {
	Name string
	// Suite is the Debian release to take it from; empty means the one of this machine.
	Suite string
}

// Store fetches packages, each once, and unpacks each into a folder of its own. It uses apt with a state of its own, so
// that the settings, lists and packages of this machine stay as they are.
type Store struct {
	folder   string
	archives map[string]archive
	unpacked map[Package]string
}

// NewStore keeps everything below a folder that the caller removes.
func NewStore(folder string) *Store {
	return &Store{folder: folder, archives: map[string]archive{}, unpacked: map[Package]string{}}
}

// Unpack gives the folder with what is in a package, and in its dependencies when it is of this machine's own release:
// those of another release would not fit the C library here.
func (s *Store) Unpack(ctx context.Context, wanted Package) (string, error) {
	if folder, there := s.unpacked[wanted]; there {
		return folder, nil
	}
	from, opened := s.archives[wanted.Suite]
	if !opened {
		var err error
		if from, err = openArchive(ctx, wanted.Suite, filepath.Join(s.folder, ".apt-"+wanted.Suite)); err != nil {
			return "", fmt.Errorf("fetching package %s: %w", wanted.Name, err)
		}
		s.archives[wanted.Suite] = from
	}
	files, err := from.download(ctx, wanted)
	if err != nil {
		return "", fmt.Errorf("fetching package %s: %w", wanted.Name, err)
	}
	folder := filepath.Join(s.folder, wanted.Name+"-"+wanted.Suite)
	for _, file := range files {
		unpack := command.Command{Args: []string{"dpkg-deb", "--extract", file, folder}}
		if _, err := unpack.Output(ctx); err != nil {
			return "", fmt.Errorf("unpacking %s: %w", filepath.Base(file), err)
		}
	}
	s.unpacked[wanted] = folder
	return folder, nil
}
