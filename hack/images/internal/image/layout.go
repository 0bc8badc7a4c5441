package image

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Layout is what was written to a folder.
type Layout struct {
	// Digest is what a registry knows it by.
	Digest string
}

// WriteLayout writes one image for several architectures into a folder of its own, by the OCI image layout
// (https://github.com/opencontainers/image-spec/blob/main/image-layout.md). What the folder held is gone. The
// annotations say what it is, in the index as in each image.
func WriteLayout(folder string, images []Image, annotations map[string]string) (Layout, error) {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, each := range images {
		made, err := each.assemble(compressedLayer)
		if err != nil {
			return Layout{}, err
		}
		made = mutate.ConfigMediaType(mutate.MediaType(made, types.OCIManifestSchema1), types.OCIConfigJSON)
		annotated, ok := mutate.Annotations(made, annotations).(v1.Image)
		if !ok {
			return Layout{}, errors.New("annotating an image gave something else")
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add:        annotated,
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: each.Architecture}},
		})
	}
	annotated, ok := mutate.Annotations(index, annotations).(v1.ImageIndex)
	if !ok {
		return Layout{}, errors.New("annotating an index gave something else")
	}
	return writeLayout(folder, annotated, func(to layout.Path) error { return to.AppendIndex(annotated) })
}

// digested is an image or an index.
type digested interface{ Digest() (v1.Hash, error) }

func writeLayout(folder string, made digested, add func(layout.Path) error) (Layout, error) {
	if err := os.RemoveAll(folder); err != nil {
		return Layout{}, fmt.Errorf("clearing %s: %w", folder, err)
	}
	to, err := layout.Write(folder, empty.Index)
	if err == nil {
		err = add(to)
	}
	if err != nil {
		return Layout{}, fmt.Errorf("writing %s: %w", folder, err)
	}
	digest, err := made.Digest()
	if err != nil {
		return Layout{}, fmt.Errorf("computing the digest of %s: %w", folder, err)
	}
	return Layout{Digest: digest.String()}, nil
}

// compressedLayer is for registries, which everybody pulls from.
func compressedLayer(entries []Entry) (v1.Layer, error) {
	packed, err := packAll(entries)
	if err != nil {
		return nil, err
	}
	made, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(packed)), nil
	}, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, fmt.Errorf("compressing a layer: %w", err)
	}
	return made, nil
}
