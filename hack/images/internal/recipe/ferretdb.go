package recipe

import (
	"context"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/mongobench/mongobench-operator/hack/images/internal/image"
)

// ferretdbImage is the server of targets of kind FerretDB, in the version that hack/images/ferretdb pins.
func (w Workspace) ferretdbImage(ctx context.Context) (image.Image, error) {
	const module = "hack/images/ferretdb"
	version, err := requiredVersion(filepath.Join(w.root, module, "go.mod"), "github.com/FerretDB/FerretDB")
	if err != nil {
		return image.Image{}, err
	}
	binary, err := w.buildOnce(ctx, program{module: module, pkg: ".", binary: "ferretdb-" + version})
	if err != nil {
		return image.Image{}, err
	}
	return image.Image{
		Reference: registry + "ferretdb:" + version,
		Entries:   append(smallSystem(), image.File("/usr/bin/ferretdb", binary, 0o755)),
		Config:    v1.Config{User: nonRoot, Cmd: []string{"ferretdb"}},
	}, nil
}
