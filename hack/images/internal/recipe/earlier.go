package recipe

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mongobench/mongobench-operator/hack/images/internal/command"
	"github.com/mongobench/mongobench-operator/hack/images/internal/image"
)

// earlier are the commits of earlier releases by their versions. A scenario installs one and upgrades it.
var earlier = map[string]string{"0.1.0": "6cc725ea40bfd9e62c105310001aad3522818669"}

// earlierImage is built from the release's own files, once on this machine, and today's versions of the modules of
// others: scenarios look at what is ours, and for theirs all of Kubernetes' client would be compiled once more.
func (w Workspace) earlierImage(ctx context.Context, name string) (image.Image, error) {
	program, version, _ := strings.Cut(name, ":")
	files, err := w.release(ctx, version)
	if err != nil {
		return image.Image{}, err
	}
	then := Workspace{cache: w.cache, root: files}
	recipe := programImages[program]
	recipe.binary += "-" + version
	recipe.pins = filepath.Join(w.root, "go.mod")
	return imageOf(ctx, registry+name, recipe, then.buildIfMissing)
}

// buildIfMissing is for sources that do not change.
func (w Workspace) buildIfMissing(ctx context.Context, p program) (string, error) {
	built := filepath.Join(w.cache.Programs(), p.binary)
	if _, err := os.Stat(built); err == nil {
		return built, nil
	}
	return w.build(ctx, p)
}

// release puts the files of a release into the cache, its chart among them, and returns their folder.
func (w Workspace) release(ctx context.Context, version string) (string, error) {
	folder, commit := w.cache.Release(version), earlier[version]
	if _, err := os.Stat(folder); err == nil {
		return folder, nil
	}
	exists := command.Command{Args: []string{"git", "cat-file", "-e", commit + "^{commit}"}, Folder: w.root}
	if _, err := exists.Output(ctx); err != nil {
		return "", fmt.Errorf("release %s is commit %s, which is not here; of a shallow clone, fetch the rest "+
			"by `git fetch --unshallow`: %w", version, commit, err)
	}
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		return "", fmt.Errorf("making the folder of releases: %w", err)
	}
	beside, err := os.MkdirTemp(filepath.Dir(folder), version+".*")
	if err != nil {
		return "", fmt.Errorf("making the folder of release %s: %w", version, err)
	}
	defer func() { _ = os.RemoveAll(beside) }() // Renamed by then, unless something failed.
	archive, unpacked := filepath.Join(beside, "files.tar"), filepath.Join(beside, "files")
	for _, step := range []command.Command{
		{Args: []string{"mkdir", unpacked}},
		{Args: []string{"git", "archive", "--output", archive, commit}, Folder: w.root},
		{Args: []string{"tar", "-xf", archive, "-C", unpacked}},
	} {
		if _, err := step.Output(ctx); err != nil {
			return "", fmt.Errorf("unpacking release %s: %w", version, err)
		}
	}
	if err := os.Rename(unpacked, folder); err != nil {
		return "", fmt.Errorf("placing release %s: %w", version, err)
	}
	return folder, nil
}

// Earlier are the names of the images of earlier releases.
func Earlier() []string {
	names := make([]string, 0, 2*len(earlier))
	for _, version := range slices.Sorted(maps.Keys(earlier)) {
		names = append(names, "operator:"+version, "loadgen:"+version)
	}
	return names
}
