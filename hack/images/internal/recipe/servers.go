package recipe

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/mongobench/mongobench-operator/hack/images/internal/debian"
	"github.com/mongobench/mongobench-operator/hack/images/internal/image"
	"github.com/mongobench/mongobench-operator/hack/images/internal/server"
)

// serverImage is an image of a database server: its files and the libraries that they are linked with on this machine.
// There is no shell in it. The version is the tag as it is, also when it is a series.
type serverImage struct {
	kind server.Kind
	// user has the name and number that the project's own images use, so that a pod template fits both.
	user account
	// binary, plugins and share are where the project's own images have what a server needs; MariaDB's are compiled into
	// the server.
	binary, plugins, share string
	// folders belong to the user.
	folders []string
	// command rather than an entry point, so that a pod may name the server itself as with other images.
	command []string
	port    string
}

var (
	mongodImage = serverImage{
		kind: server.Mongod, user: account{name: "mongodb", id: 999, home: "/data/db"},
		binary: "/usr/bin/mongod", folders: []string{"/data/db", "/data/configdb"},
		command: []string{"mongod", "--bind_ip_all"}, port: "27017/tcp",
	}
	// Its system tables are not there before it starts.
	mariadbImage = serverImage{
		kind: server.MariaDB, user: account{name: "mysql", id: 999, home: "/var/lib/mysql"},
		binary: "/usr/sbin/mariadbd", plugins: "/usr/lib/mysql/plugin", share: "/usr/share/mysql",
		folders: []string{"/var/lib/mysql", "/run/mysqld"},
		command: []string{"mariadbd"}, port: "3306/tcp",
	}
)

func (w Workspace) serverImage(ctx context.Context, recipe serverImage, version string) (image.Image, error) {
	fetched, err := recipe.kind.Fetch(ctx, w.cache, version)
	if err != nil {
		return image.Image{}, err
	}
	entries := append(system(recipe.user), image.File(recipe.binary, fetched.Binary, 0o755))
	for _, folder := range recipe.folders {
		entries = append(entries, image.Folder(folder, 0o755, recipe.user.id))
	}
	for _, plugin := range fetched.Plugins {
		entries = append(entries, image.File(path.Join(recipe.plugins, filepath.Base(plugin)), plugin, 0o644))
	}
	libraries, err := libraryEntries(ctx, fetched)
	if err != nil {
		return image.Image{}, fmt.Errorf("placing the libraries of %s %s: %w", recipe.kind.Name, version, err)
	}
	shared, err := folderEntries(fetched.Share, recipe.share)
	if err != nil {
		return image.Image{}, fmt.Errorf("placing the shared files of %s %s: %w", recipe.kind.Name, version, err)
	}
	return image.Image{
		Reference: registry + recipe.kind.Name + ":" + version,
		Entries:   slices.Concat(entries, libraries, shared),
		Config: v1.Config{
			User:         fmt.Sprintf("%d:%d", recipe.user.id, recipe.user.id),
			Cmd:          recipe.command,
			ExposedPorts: map[string]struct{}{recipe.port: {}},
		},
	}, nil
}

// libraryEntries are the libraries that the server's programs are linked with.
func libraryEntries(ctx context.Context, fetched server.Server) ([]image.Entry, error) {
	var linked []string
	for _, program := range fetched.Programs() {
		found, err := debian.Link(ctx, program, fetched.Libraries)
		if err != nil {
			return nil, err
		}
		linked = append(linked, found.Found...)
	}
	slices.Sort(linked)
	return placeLibraries(slices.Compact(linked), fetched.Libraries)
}

// placeLibraries puts each library where it lies on this machine, for there the loader looks for it. Those of the cache
// join the C library's folder, which is searched without any setting.
func placeLibraries(files []string, libraryFolder string) ([]image.Entry, error) {
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

// folderEntries puts the files of a folder of this machine, if any, below a place in the image.
func folderEntries(folder, place string) ([]image.Entry, error) {
	if folder == "" {
		return nil, nil
	}
	var entries []image.Entry
	err := filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		below, err := filepath.Rel(folder, file)
		entries = append(entries, image.File(path.Join(place, filepath.ToSlash(below)), file, 0o644))
		return err
	})
	return entries, err
}
