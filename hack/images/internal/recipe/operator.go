package recipe

import (
	"context"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/mongobench/mongobench-operator/hack/images/internal/image"
)

// operatorImage is the manager of the working tree.
func (w Workspace) operatorImage(ctx context.Context) (image.Image, error) {
	binary, err := w.build(ctx, program{pkg: "cmd/manager", binary: "manager"})
	if err != nil {
		return image.Image{}, err
	}
	return image.Image{
		Reference: registry + "operator:" + devTag,
		Entries:   append(smallSystem(), image.File("/manager", binary, 0o755)),
		Config:    v1.Config{User: nonRoot, Entrypoint: []string{"/manager"}, WorkingDir: "/"},
	}, nil
}
