package recipe

import (
	"context"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/mongobench/mongobench-operator/hack/images/internal/image"
)

// pauseImage holds a pod's namespaces; it is the sandbox image of the container runtime.
func (w Workspace) pauseImage(ctx context.Context) (image.Image, error) {
	binary, err := w.build(ctx, program{module: "hack/images", pkg: "pause", binary: "pause"})
	if err != nil {
		return image.Image{}, err
	}
	return image.Image{
		Reference: registry + "pause:" + devTag,
		Entries:   []image.Entry{image.File("/pause", binary, 0o755)},
		Config:    v1.Config{User: nonRoot, Entrypoint: []string{"/pause"}},
	}, nil
}
