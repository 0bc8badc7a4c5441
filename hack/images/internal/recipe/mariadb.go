package recipe

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/mongobench/mongobench-operator/hack/images/internal/debian"
	"github.com/mongobench/mongobench-operator/hack/images/internal/image"
	"github.com/mongobench/mongobench-operator/hack/images/internal/mariadb"
)

// mariadbUser has the name and number that MariaDB's own images use, so that a pod template fits both.
var mariadbUser = account{name: "mysql", id: 999, home: "/var/lib/mysql"}

// Where MariaDB's own images have what a server needs; they are compiled into the server.
const (
	mariadbBinary  = "/usr/sbin/mariadbd"
	mariadbPlugins = "/usr/lib/mysql/plugin"
	mariadbShare   = "/usr/share/mysql"
)

// mariadbImage holds a server, two plugins, and the libraries that they are linked with on this machine; there is no
// shell in it, and nobody makes its system tables before it starts. The version may be a series, and is the tag as it
// is.
func (w Workspace) mariadbImage(ctx context.Context, version string) (image.Image, error) {
	server, err := mariadb.Fetch(ctx, w.cache, version)
	if err != nil {
		return image.Image{}, err
	}
	user := mariadbUser
	entries := append(system(user),
		image.File(mariadbBinary, server.Binary, 0o755),
		image.Folder("/var/lib/mysql", 0o755, user.id),
		image.Folder("/run/mysqld", 0o755, user.id))
	var linked []string
	for _, program := range append(server.PluginFiles(), server.Binary) {
		found, err := debian.Link(ctx, program, server.Libraries)
		if err != nil {
			return image.Image{}, err
		}
		linked = append(linked, found.Found...)
	}
	slices.Sort(linked)
	libraries, err := libraryEntries(slices.Compact(linked), server.Libraries)
	if err != nil {
		return image.Image{}, fmt.Errorf("placing the libraries of mariadb %s: %w", version, err)
	}
	for _, plugin := range server.PluginFiles() {
		entries = append(entries, image.File(path.Join(mariadbPlugins, filepath.Base(plugin)), plugin, 0o644))
	}
	shared, err := folderEntries(server.Share, mariadbShare)
	if err != nil {
		return image.Image{}, fmt.Errorf("placing the shared files of mariadb %s: %w", version, err)
	}
	return image.Image{
		Reference: registry + "mariadb:" + version,
		Entries:   slices.Concat(entries, libraries, shared),
		Config: v1.Config{
			User:         fmt.Sprintf("%d:%d", user.id, user.id),
			Cmd:          []string{"mariadbd"},
			ExposedPorts: map[string]struct{}{"3306/tcp": {}},
		},
	}, nil
}

// folderEntries puts the files of a folder of this machine below a place in the image.
func folderEntries(folder, place string) ([]image.Entry, error) {
	var entries []image.Entry
	err := filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		below, err := filepath.Rel(folder, file)
		if err != nil {
			return err
		}
		entries = append(entries, image.File(path.Join(place, filepath.ToSlash(below)), file, 0o644))
		return nil
	})
	return entries, err
}
