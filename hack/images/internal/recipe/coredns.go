package recipe

import (
	"context"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/mongobench/mongobench-operator/hack/images/internal/image"
)

// corednsImage is the cluster's DNS, in the version that hack/images/coredns pins.
func (w Workspace) corednsImage(ctx context.Context) (image.Image, error) {
	const module = "hack/images/coredns"
	version, err := requiredVersion(filepath.Join(w.root, module, "go.mod"), "github.com/coredns/coredns")
	if err != nil {
		return image.Image{}, err
	}
	binary, err := w.buildOnce(ctx, program{module: module, pkg: ".", binary: "coredns-" + version})
	if err != nil {
		return image.Image{}, err
	}
	return image.Image{
		Reference: registry + "coredns:" + version,
		Entries:   append(smallSystem(), image.File("/coredns", binary, 0o755)),
		Config:    v1.Config{User: nonRoot, Entrypoint: []string{"/coredns"}},
	}, nil
}
