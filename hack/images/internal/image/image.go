package image

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// Image says all that makes an image.
type Image struct {
	// Reference is the name and tag under which a runtime knows it.
	Reference string
	// Entries are its files, in any order.
	Entries []Entry
	// Config says how a container of it runs.
	Config v1.Config
}

// assemble makes the image. The same inputs give the same one, to the byte.
func (i Image) assemble() (v1.Image, error) {
	entries, err := complete(i.Entries)
	if err != nil {
		return nil, err
	}
	files, err := layer(entries)
	if err != nil {
		return nil, err
	}
	base, err := mutate.ConfigFile(empty.Image, &v1.ConfigFile{
		OS: "linux", Architecture: runtime.GOARCH, Created: v1.Time{Time: fixedTime}, Config: i.Config,
		RootFS: v1.RootFS{Type: "layers"},
	})
	if err != nil {
		return nil, fmt.Errorf("configuring %s: %w", i.Reference, err)
	}
	made, err := mutate.Append(base, mutate.Addendum{
		Layer:   files,
		History: v1.History{Created: v1.Time{Time: fixedTime}, CreatedBy: "hack/images"},
	})
	if err != nil {
		return nil, fmt.Errorf("assembling %s: %w", i.Reference, err)
	}
	return made, nil
}

// Archive is an image in a tarball on this machine.
type Archive struct {
	// File is the path of the tarball.
	File string
	// ID is the digest of the image's configuration, which runtimes show as the image's id.
	ID string
	// Bytes is the length of the tarball.
	Bytes int64
	// Unchanged says that the tarball was there already, made from the same inputs.
	Unchanged bool
}

// WriteArchive brings the tarball up to date: it is written only when it holds another image, or cannot be read.
func (i Image) WriteArchive(file string) (Archive, error) {
	tag, err := name.NewTag(i.Reference, name.StrictValidation)
	if err != nil {
		return Archive{}, fmt.Errorf("naming an image: %w", err)
	}
	made, err := i.assemble()
	if err != nil {
		return Archive{}, err
	}
	id, err := made.ConfigName()
	if err != nil {
		return Archive{}, fmt.Errorf("computing the id of %s: %w", i.Reference, err)
	}
	unchanged := holds(file, tag, id)
	if !unchanged {
		if err := write(file, tag, made); err != nil {
			return Archive{}, err
		}
	}
	info, err := os.Stat(file)
	if err != nil {
		return Archive{}, fmt.Errorf("reading %s: %w", file, err)
	}
	return Archive{File: file, ID: id.String(), Bytes: info.Size(), Unchanged: unchanged}, nil
}

// holds tells whether a tarball has this image under this name.
func holds(file string, tag name.Tag, id v1.Hash) bool {
	old, err := tarball.ImageFromPath(file, &tag)
	if err != nil {
		return false
	}
	held, err := old.ConfigName()
	return err == nil && held == id
}

// write goes through a file beside it, so that an import at the same time reads the old tarball or the new one.
func write(file string, tag name.Tag, made v1.Image) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("making the folder of images: %w", err)
	}
	beside := fmt.Sprintf("%s.%d", file, os.Getpid())
	err := tarball.WriteToFile(beside, tag, made)
	if err == nil {
		err = os.Rename(beside, file)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", file, errors.Join(err, os.RemoveAll(beside)))
	}
	return nil
}
