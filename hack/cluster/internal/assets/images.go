package assets

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Images are the two that a cluster cannot do without.
type Images struct {
	// Pause is the name of the image that every pod's sandbox runs, CoreDNS of the DNS server.
	Pause, CoreDNS string
	// Archives are the files that hold them.
	Archives []string
}

// imagePrefix is the registry that does not exist: images with it are only ever imported.
const imagePrefix = "mongobench.local/"

// FetchImages finds the two images in the cache, and has hack/images build them when they are not there.
func FetchImages(
	ctx context.Context, source, cache string, say func(format string, args ...any),
) (Images, error) {
	folder := filepath.Join(cache, "images")
	images, err := findImages(folder)
	if err == nil {
		return images, nil
	}
	say("building the images pause and coredns")
	command := exec.CommandContext(ctx, "go", "run", ".", "build", "pause", "coredns")
	command.Dir = filepath.Join(filepath.Dir(source), "images")
	command.Env = append(os.Environ(), "GOWORK=off")
	if output, err := command.CombinedOutput(); err != nil {
		return Images{}, fmt.Errorf("building images: %w\n%s", err, output)
	}
	return findImages(folder)
}

// findImages reads the names of the images off the names of their archives: NAME-VERSION.tar.
func findImages(folder string) (Images, error) {
	var images Images
	for name, image := range map[string]*string{"pause": &images.Pause, "coredns": &images.CoreDNS} {
		archive, err := newest(filepath.Join(folder, name+"-*.tar"))
		if err != nil {
			return Images{}, err
		}
		version := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(archive), name+"-"), ".tar")
		*image = imagePrefix + name + ":" + version
		images.Archives = append(images.Archives, archive)
	}
	return images, nil
}

// newest is the file that was written last among those that match.
func newest(pattern string) (string, error) {
	matches, err := filepath.Glob(pattern)
	if err != nil {
		return "", fmt.Errorf("looking for %s: %w", pattern, err)
	}
	var found string
	var written time.Time
	for _, match := range matches {
		if info, err := os.Stat(match); err == nil && info.ModTime().After(written) {
			found, written = match, info.ModTime()
		}
	}
	if found == "" {
		return "", fmt.Errorf("looking for %s: %w", pattern, os.ErrNotExist)
	}
	return found, nil
}
