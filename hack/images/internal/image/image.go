package image

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"runtime"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
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
