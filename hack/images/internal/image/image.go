package image

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// keyLabel carries the key of the image's inputs, so that a tarball itself tells whether it is still the right one.
const keyLabel = "dev.mongobench.image-key"

// formatVersion is part of every key: raise it when this package starts to pack the same inputs in another way.
const formatVersion = "1"

// Image says all that makes an image.
type Image struct {
	// Reference is the name and tag under which a runtime knows it.
	Reference string
	// Entries are its files, in any order.
	Entries []Entry
	// Config says how a container of it runs.
	Config v1.Config
}

// Key is a digest over all inputs: two images have the same one when they would come out the same.
func (i Image) Key() (string, error) {
	entries, err := complete(i.Entries)
	if err != nil {
		return "", err
	}
	digest := sha256.New()
	lines := json.NewEncoder(digest)
	if err := lines.Encode([]any{formatVersion, runtime.GOARCH, i.Reference, i.Config}); err != nil {
		return "", fmt.Errorf("computing the key of %s: %w", i.Reference, err)
	}
	for _, entry := range entries {
		content, err := entry.content()
		if err != nil {
			return "", err
		}
		line := []any{entry.Path, entry.Mode, entry.Owner, entry.folder, sha256.Sum256(content)}
		if err := lines.Encode(line); err != nil {
			return "", fmt.Errorf("computing the key of %s: %w", i.Reference, err)
		}
	}
	return hex.EncodeToString(digest.Sum(nil)), nil
}

// assemble makes the image, labelled with its key.
func (i Image) assemble(key string) (v1.Image, error) {
	entries, err := complete(i.Entries)
	if err != nil {
		return nil, err
	}
	files, err := layer(entries)
	if err != nil {
		return nil, err
	}
	config := i.Config
	config.Labels = maps.Clone(config.Labels)
	if config.Labels == nil {
		config.Labels = map[string]string{}
	}
	config.Labels[keyLabel] = key
	base, err := mutate.ConfigFile(empty.Image, &v1.ConfigFile{
		OS: "linux", Architecture: runtime.GOARCH, Created: v1.Time{Time: fixedTime}, Config: config,
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
