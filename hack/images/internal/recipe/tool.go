package recipe

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/mongobench/mongobench-operator/hack/images/internal/command"
	"github.com/mongobench/mongobench-operator/hack/images/internal/image"
)

// OnDemand are the names of images that a local cluster does without: programs of others that scenarios run in it. They
// are built when they are named. Each is pinned by the folder of its name in hack/tools.
func OnDemand() []string {
	return []string{"prometheus", "prometheus-operator", "prometheus-config-reloader"}
}

// toolImage holds one program of hack/tools, at the place where images of its own project have it. Building it takes
// minutes once; from then on the program lies in the cache.
func (w Workspace) toolImage(ctx context.Context, name string) (image.Image, error) {
	find := command.Command{Args: []string{filepath.Join(w.root, "hack", "tools", "tool.sh"), name}, Folder: w.root}
	path, err := find.Output(ctx)
	if err != nil {
		return image.Image{}, fmt.Errorf("building %s: %w", name, err)
	}
	return image.Image{
		Reference: registry + name + ":" + pinnedTag,
		Entries:   append(smallSystem(), image.File("/bin/"+name, strings.TrimSpace(path), 0o755)),
		Config:    v1.Config{User: nonRoot, Entrypoint: []string{"/bin/" + name}, WorkingDir: "/"},
	}, nil
}
