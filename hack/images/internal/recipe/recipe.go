package recipe

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/mongobench/mongobench-operator/hack/images/internal/cache"
	"github.com/mongobench/mongobench-operator/hack/images/internal/image"
)

const (
	// registry stands in names for a registry that does not exist: these images are imported, never pulled.
	registry = "mongobench.local/"
	// devTag marks what is built from the working tree.
	devTag = "dev"
	// pinnedTag marks what hack/tools pins the version of.
	pinnedTag = "pinned"
	// searchPath is PATH in every image, so that a command without a folder finds its program.
	searchPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
	// nonRoot is the account of our own programs; it needs no name, since it owns no file.
	nonRoot = "65532:65532"
)

// Workspace is where images come from and go to.
type Workspace struct {
	cache cache.Root
	// root is the folder of the operator's module.
	root string
}

// OpenWorkspace finds the repository from the current folder.
func OpenWorkspace(root cache.Root) (Workspace, error) {
	folder, err := repositoryRoot()
	if err != nil {
		return Workspace{}, err
	}
	return Workspace{cache: root, root: folder}, nil
}

// Build brings the tarball of the named image up to date.
func (w Workspace) Build(ctx context.Context, name string) (image.Archive, error) {
	made, err := w.compose(ctx, name)
	if err != nil {
		return image.Archive{}, err
	}
	made.Config.Env = append(made.Config.Env, searchPath)
	made.Config.Labels = map[string]string{"org.opencontainers.image.title": "mongobench " + name}
	return made.WriteArchive(filepath.Join(w.cache.Images(), tarballName(made.Reference)))
}

// tarballName turns "mongobench.local/mongod:6.0.5" into "mongod-6.0.5.tar".
func tarballName(reference string) string {
	return strings.ReplaceAll(strings.TrimPrefix(reference, registry), ":", "-") + ".tar"
}
