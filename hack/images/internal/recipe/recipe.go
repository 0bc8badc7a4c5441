package recipe

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/mongobench/mongobench-operator/hack/images/internal/cache"
	"github.com/mongobench/mongobench-operator/hack/images/internal/command"
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
	made.Config.Env = []string{searchPath}
	made.Config.Labels = map[string]string{"org.opencontainers.image.title": "mongobench " + name}
	return made.WriteArchive(filepath.Join(w.cache.Images(), tarballName(made.Reference)))
}

// tarballName turns "mongobench.local/mongod:6.0.5" into "mongod-6.0.5.tar".
func tarballName(reference string) string {
	return strings.NewReplacer(":", "-", "/", "-").Replace(strings.TrimPrefix(reference, registry)) + ".tar"
}

const (
	operatorModule = "github.com/mongobench/mongobench-operator"
	// buildTimeout is several times what a cold build of the largest program takes on two cores.
	buildTimeout = 30 * time.Minute
)

// program is a Go program that goes into an image.
type program struct {
	// module is the folder of its module, below the repository's root.
	module string
	// pkg is its package, relative to the module.
	pkg string
	// binary is the name of the file that is built.
	binary string
	// pins is the go.mod to go by, unless it is the module's own.
	pins string
}

// build makes a static binary, always at the same place: the go command then does nothing when it is up to date.
func (w Workspace) build(ctx context.Context, p program) (string, error) {
	folder := filepath.Join(w.root, p.module)
	if _, err := os.Stat(filepath.Join(folder, p.pkg)); err != nil {
		return "", fmt.Errorf("building %s: no such program: %w", p.binary, err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, buildTimeout, errors.New("building took over 30 minutes"))
	defer cancel()
	destination := filepath.Join(w.cache.Programs(), p.binary)
	compile := command.Command{
		Args: []string{
			"go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", destination, "./" + p.pkg,
		},
		Folder: folder,
		Env:    []string{"CGO_ENABLED=0", "GOOS=linux", "GOWORK=off"},
	}
	if p.pins != "" {
		compile.Args = slices.Insert(compile.Args, 2, "-modfile", p.pins)
	}
	if _, err := compile.Output(ctx); err != nil {
		return "", fmt.Errorf("building %s: %w", p.binary, err)
	}
	return destination, nil
}

// buildOnce is for programs of other projects: their binary stays as long as the files of their module here do, and
// with it the tarball, even when the compiler's own cache is gone.
func (w Workspace) buildOnce(ctx context.Context, p program) (string, error) {
	key, err := folderKey(filepath.Join(w.root, p.module))
	if err != nil {
		return "", fmt.Errorf("building %s: %w", p.binary, err)
	}
	p.binary += "-" + key[:12]
	built := filepath.Join(w.cache.Programs(), p.binary)
	if _, err := os.Stat(built); err == nil {
		return built, nil
	}
	return w.build(ctx, p)
}

// folderKey is a digest over the compiler's version and the files directly in a folder.
func folderKey(folder string) (string, error) {
	files, err := os.ReadDir(folder)
	if err != nil {
		return "", fmt.Errorf("reading a module: %w", err)
	}
	digest := sha256.New()
	digest.Write(fmt.Appendln(nil, runtime.Version(), runtime.GOARCH))
	for _, file := range files {
		if file.IsDir() {
			continue
		}
		content, err := os.ReadFile(filepath.Join(folder, file.Name()))
		if err != nil {
			return "", fmt.Errorf("reading a module: %w", err)
		}
		digest.Write(fmt.Appendf(nil, "%s %d\n%s", file.Name(), len(content), content))
	}
	return hex.EncodeToString(digest.Sum(nil)), nil
}

// requiredVersion reads from a go.mod which version of a module is pinned there, without the leading v.
func requiredVersion(goMod, module string) (string, error) {
	content, err := os.ReadFile(goMod)
	if err != nil {
		return "", fmt.Errorf("reading a pinned version: %w", err)
	}
	for line := range strings.Lines(string(content)) {
		fields := strings.Fields(strings.TrimPrefix(line, "require "))
		if len(fields) >= 2 && fields[0] == module {
			return strings.TrimPrefix(fields[1], "v"), nil
		}
	}
	return "", fmt.Errorf("reading a pinned version: %s does not require %s", goMod, module)
}

// repositoryRoot is the nearest folder, from the current one upwards, that holds the operator's module.
func repositoryRoot() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("finding the repository: %w", err)
	}
	for {
		content, err := os.ReadFile(filepath.Join(folder, "go.mod"))
		if err == nil && strings.HasPrefix(string(content), "module "+operatorModule+"\n") {
			return folder, nil
		}
		above := filepath.Dir(folder)
		if above == folder {
			return "", errors.New("finding the repository: run this inside a checkout of " + operatorModule)
		}
		folder = above
	}
}
