package recipe

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mongobench/mongobench-operator/hack/images/internal/cache"
	"github.com/mongobench/mongobench-operator/hack/images/internal/image"
	"github.com/mongobench/mongobench-operator/hack/images/internal/mariadb"
	"github.com/mongobench/mongobench-operator/hack/images/internal/mongod"
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

// Defaults are the names of all images of a local cluster, the quick ones first.
func Defaults() []string {
	servers := mongod.Defaults()
	for i, version := range servers {
		servers[i] = "mongod:" + version
	}
	for _, version := range mariadb.Defaults() {
		servers = append(servers, "mariadb:"+version)
	}
	return append([]string{"pause", "coredns", "operator", "loadgen", "ferretdb"}, servers...)
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

func (w Workspace) compose(ctx context.Context, name string) (image.Image, error) {
	kind, version, _ := strings.Cut(name, ":")
	switch {
	case kind == "mongod":
		return w.mongodImage(ctx, version)
	case kind == "mariadb":
		return w.mariadbImage(ctx, version)
	case name == "pause":
		return w.pauseImage(ctx)
	case name == "coredns":
		return w.corednsImage(ctx)
	case name == "ferretdb":
		return w.ferretdbImage(ctx)
	case name == "operator":
		return w.operatorImage(ctx)
	case name == "loadgen":
		return w.loadgenImage(ctx)
	case slices.Contains(OnDemand(), name):
		return w.toolImage(ctx, name)
	default:
		return image.Image{}, fmt.Errorf("unknown image: choose of %s", strings.Join(append(Defaults(), OnDemand()...), " "))
	}
}

// tarballName turns "mongobench.local/mongod:6.0.5" into "mongod-6.0.5.tar".
func tarballName(reference string) string {
	return strings.ReplaceAll(strings.TrimPrefix(reference, registry), ":", "-") + ".tar"
}
