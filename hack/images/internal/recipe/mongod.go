package recipe

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/mongobench/mongobench-operator/hack/images/internal/debian"
	"github.com/mongobench/mongobench-operator/hack/images/internal/image"
	"github.com/mongobench/mongobench-operator/hack/images/internal/mongod"
)

// mongodUser has the name and number that MongoDB's own images use, so that a pod template fits both.
var mongodUser = account{name: "mongodb", id: 999, home: "/data/db"}

// mongodImage holds a server and the libraries that it is linked with on this machine; there is no shell in it.
func (w Workspace) mongodImage(ctx context.Context, version string) (image.Image, error) {
	server, err := mongod.Fetch(ctx, w.cache, version)
	if err != nil {
		return image.Image{}, err
	}
	linked, err := debian.Link(ctx, server.Binary, server.LibraryFolder)
	if err != nil {
		return image.Image{}, err
	}
	libraries, err := libraryEntries(linked.Found, server.LibraryFolder)
	if err != nil {
		return image.Image{}, fmt.Errorf("placing the libraries of mongod %s: %w", version, err)
	}
	user := mongodUser
	entries := append(system(user),
		image.File("/usr/bin/mongod", server.Binary, 0o755),
		image.Folder("/data/db", 0o755, user.id),
		image.Folder("/data/configdb", 0o755, user.id))
	return image.Image{
		Reference: registry + "mongod:" + version,
		Entries:   append(entries, libraries...),
		Config: v1.Config{
			User: fmt.Sprintf("%d:%d", user.id, user.id),
			// A command rather than an entry point, so that a pod may name "mongod" itself as with other images.
			Cmd:          []string{"mongod", "--bind_ip_all"},
			ExposedPorts: map[string]struct{}{"27017/tcp": {}},
		},
	}, nil
}

// libraryEntries puts each library where it lies on this machine, for there the loader looks for it. Those of the cache
// join the C library's folder, which is searched without any setting.
func libraryEntries(files []string, libraryFolder string) ([]image.Entry, error) {
	var standard string
	for _, file := range files {
		if strings.HasPrefix(filepath.Base(file), "libc.so.") {
			standard = filepath.Dir(file)
		}
	}
	if standard == "" {
		return nil, errors.New("the C library is not among those that ldd names")
	}
	entries := make([]image.Entry, 0, len(files))
	for _, file := range files {
		place := file
		if filepath.Dir(file) == libraryFolder {
			place = filepath.Join(standard, filepath.Base(file))
		}
		entries = append(entries, image.File(place, file, 0o755))
	}
	return entries, nil
}
