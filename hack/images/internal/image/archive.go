package image

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

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

// WriteArchive brings the tarball up to date: it is written only when it was made from other inputs.
func (i Image) WriteArchive(file string) (Archive, error) {
	key, err := i.Key()
	if err != nil {
		return Archive{}, err
	}
	tag, err := name.NewTag(i.Reference, name.StrictValidation)
	if err != nil {
		return Archive{}, fmt.Errorf("naming an image: %w", err)
	}
	// A tarball that cannot be read is like none: it is written again.
	if old, err := tarball.ImageFromPath(file, &tag); err == nil && keyOf(old) == key {
		return describe(file, old, true)
	}
	made, err := i.assemble(key)
	if err != nil {
		return Archive{}, err
	}
	if err := write(file, tag, made); err != nil {
		return Archive{}, err
	}
	return describe(file, made, false)
}

func keyOf(made v1.Image) string {
	config, err := made.ConfigFile()
	if err != nil {
		return ""
	}
	return config.Config.Labels[keyLabel]
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

func describe(file string, made v1.Image, unchanged bool) (Archive, error) {
	id, err := made.ConfigName()
	if err != nil {
		return Archive{}, fmt.Errorf("reading the id of %s: %w", file, err)
	}
	info, err := os.Stat(file)
	if err != nil {
		return Archive{}, fmt.Errorf("reading %s: %w", file, err)
	}
	return Archive{File: file, ID: id.String(), Bytes: info.Size(), Unchanged: unchanged}, nil
}
