package recipe

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/mongobench/mongobench-operator/hack/images/internal/image"
)

// homepage is where people find the project, and its source.
const homepage = "https://" + operatorModule

// Release is what the images of a release have in common.
type Release struct {
	// Version of the release, without the leading v.
	Version string
	// Commit and Created are the commit that it was built from, and the time of that.
	Commit  string
	Created time.Time
	// Programs is a folder of folders OS_ARCHITECTURE with the programs that go into the images: the very files that the
	// release's archives hold.
	Programs string
}

// Released are the names of the images that a release has: all that the chart names by default and is our own.
func Released() []string { return []string{"operator", "loadgen", "ferretdb"} }

// architectures are those that a release's images are for.
var architectures = []string{"amd64", "arm64"}

// WriteLayout writes the named image as an OCI layout into a folder, for all architectures.
func (r Release) WriteLayout(name, folder string) (image.Layout, error) {
	recipe, known := programImages[name]
	if !known || !slices.Contains(Released(), name) {
		return image.Layout{}, fmt.Errorf("no release has an image %q: choose of %q", name, Released())
	}
	version := r.Version
	if recipe.pinned != "" {
		root, err := repositoryRoot()
		if err != nil {
			return image.Layout{}, err
		}
		if version, err = requiredVersion(filepath.Join(root, recipe.module, "go.mod"), recipe.pinned); err != nil {
			return image.Layout{}, err
		}
	}
	annotations := r.annotations(name, version)
	images := make([]image.Image, 0, len(architectures))
	for _, architecture := range architectures {
		made := recipe.around(filepath.Join(r.Programs, "linux_"+architecture, recipe.binary))
		made.Architecture, made.Created = architecture, r.Created
		made.Config.Labels = maps.Clone(annotations)
		images = append(images, made)
	}
	return image.WriteLayout(folder, images, annotations)
}

// annotations are those of https://github.com/opencontainers/image-spec/blob/main/annotations.md.
func (r Release) annotations(name, version string) map[string]string {
	const prefix = "org.opencontainers.image."
	return map[string]string{
		prefix + "title":    "mongobench " + name,
		prefix + "version":  version,
		prefix + "revision": r.Commit,
		prefix + "created":  r.Created.UTC().Format(time.RFC3339),
		prefix + "source":   homepage,
		prefix + "url":      homepage,
		prefix + "licenses": "Apache-2.0",
	}
}

// WriteChartLayout writes a packaged chart, whose Chart.yaml is metadata as JSON, as an OCI layout into a folder.
func (r Release) WriteChartLayout(archive, metadata []byte, folder string) (image.Layout, error) {
	return image.WriteChartLayout(folder, archive, metadata, r.annotations("chart", r.Version))
}
