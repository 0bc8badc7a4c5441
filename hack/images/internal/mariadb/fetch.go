package mariadb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"time"

	"github.com/mongobench/mongobench-operator/hack/images/internal/cache"
	"github.com/mongobench/mongobench-operator/hack/images/internal/command"
	"github.com/mongobench/mongobench-operator/hack/images/internal/debian"
)

// fetchTimeout bounds one server: some 20 MB of packages and the list of all, on a slow line.
const fetchTimeout = 10 * time.Minute

// saysVersion finds the version in what mariadbd says of itself.
var saysVersion = regexp.MustCompile(`\bVer ([0-9]+\.[0-9]+\.[0-9]+)-MariaDB\b`)

// Server is a MariaDB server in the cache. It runs with LD_LIBRARY_PATH set to its libraries.
type Server struct {
	// Version has three parts.
	Version string
	// Folder holds all the others.
	Folder string
	// Binary is the path of mariadbd.
	Binary string
	// Libraries is the folder of what this machine lacked; it is there even when nothing was.
	Libraries string
	// Plugins is the folder of the plugins.
	Plugins string
	// Share is the folder of the messages, the character sets and the statements that make the system tables.
	Share string
	// OwnLibraries is the number of files among the libraries.
	OwnLibraries int
}

func at(folder string) Server {
	return Server{
		Folder:    folder,
		Binary:    filepath.Join(folder, "bin", "mariadbd"),
		Libraries: filepath.Join(folder, "lib"),
		Plugins:   filepath.Join(folder, "plugin"),
		Share:     filepath.Join(folder, "share"),
	}
}

// PluginFiles are the paths of the plugins.
func (s Server) PluginFiles() []string {
	files := make([]string, 0, len(plugins))
	for _, name := range plugins {
		files = append(files, filepath.Join(s.Plugins, name))
	}
	return files
}

// Fetch gives a server of that version, or of that series, downloading it when the cache has none that runs.
func Fetch(ctx context.Context, root cache.Root, version string) (Server, error) {
	suite, err := suiteOf(version)
	if err != nil {
		return Server{}, err
	}
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return Server{}, fmt.Errorf("mariadb %s: packages are for linux/amd64 only, this is %s/%s",
			version, runtime.GOOS, runtime.GOARCH)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, fetchTimeout, errors.New("fetching took over 10 minutes"))
	defer cancel()
	if server, found := cached(ctx, root, version); found {
		return server, nil
	}
	server, err := fetch(ctx, root, suite, version)
	if err != nil {
		return Server{}, fmt.Errorf("fetching mariadb %s: %w", version, err)
	}
	return server, nil
}

// cached finds the newest server of the version or series that is there and runs.
func cached(ctx context.Context, root cache.Root, version string) (Server, bool) {
	folders, err := filepath.Glob(filepath.Join(root.MariaDBs(), "[0-9]*"))
	if err != nil {
		return Server{}, false
	}
	folders = slices.DeleteFunc(folders, func(folder string) bool { return !matches(filepath.Base(folder), version) })
	slices.SortFunc(folders, func(a, b string) int { return newerFirst(filepath.Base(a), filepath.Base(b)) })
	for _, folder := range folders {
		if server, err := open(ctx, folder); err == nil && matches(server.Version, version) {
			return server, true
		}
	}
	return Server{}, false
}

// fetch works beside the final folder and moves the proven result there, so that nobody sees half a server.
func fetch(ctx context.Context, root cache.Root, suite, version string) (Server, error) {
	if err := os.MkdirAll(root.MariaDBs(), 0o755); err != nil {
		return Server{}, fmt.Errorf("making the cache folder: %w", err)
	}
	scratch, err := os.MkdirTemp(root.MariaDBs(), ".fetch-")
	if err != nil {
		return Server{}, fmt.Errorf("making a working folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	fresh := at(filepath.Join(scratch, "server"))
	store := debian.NewStore(scratch)
	if err := fresh.fill(ctx, store, suite); err != nil {
		return Server{}, err
	}
	supplier := debian.Supplier{Store: store, Providers: providers(suite), Folder: fresh.Libraries}
	for _, program := range append(fresh.PluginFiles(), fresh.Binary) {
		if err := supplier.Supply(ctx, program); err != nil {
			return Server{}, err
		}
	}
	proven, err := open(ctx, fresh.Folder)
	if err != nil {
		return Server{}, err
	}
	if !matches(proven.Version, version) {
		return Server{}, fmt.Errorf("debian %s has %s now, and no other", suite, proven.Version)
	}
	final := root.MariaDB(proven.Version)
	if err := os.RemoveAll(final); err != nil {
		return Server{}, fmt.Errorf("removing a server that does not run: %w", err)
	}
	if err := os.Rename(fresh.Folder, final); err != nil {
		return Server{}, fmt.Errorf("moving the server into the cache: %w", err)
	}
	return open(ctx, final)
}

// open accepts a folder whose server runs here.
func open(ctx context.Context, folder string) (Server, error) {
	server := at(folder)
	files, err := os.ReadDir(server.Libraries)
	if err != nil {
		return Server{}, fmt.Errorf("opening a server: %w", err)
	}
	server.OwnLibraries = len(files)
	ask := command.Command{
		Args: []string{server.Binary, "--no-defaults", "--version"}, Env: []string{"LD_LIBRARY_PATH=" + server.Libraries},
	}
	output, err := ask.Output(ctx)
	if err != nil {
		return Server{}, fmt.Errorf("opening a server: %w", err)
	}
	said := saysVersion.FindStringSubmatch(output)
	if said == nil {
		return Server{}, fmt.Errorf("opening a server: it says %q", output)
	}
	server.Version = said[1]
	return server, nil
}
