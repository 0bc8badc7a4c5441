package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mongobench/mongobench-operator/hack/images/internal/cache"
	"github.com/mongobench/mongobench-operator/hack/images/internal/command"
	"github.com/mongobench/mongobench-operator/hack/images/internal/debian"
)

// fetchTimeout bounds one server: some 40 MB and a few packages, on a slow line.
const fetchTimeout = 10 * time.Minute

// Kind is a kind of database server.
type Kind struct {
	// Name is its folder in the cache, and what its images are called.
	Name string
	// Defaults are the versions, or series of versions, that tests and local clusters use.
	Defaults []string

	at func(folder string) Server
	// ask has the server print its version, which says finds.
	ask  []string
	says *regexp.Regexp
	// from finds where a version comes from.
	from func(version string) (source, error)
	// prepare does what is left to do once the server has all that it needs; nil for nothing.
	prepare func(ctx context.Context, fresh Server) error
}

// source is where a version of a server comes from.
type source interface {
	// fill puts the server into its folder.
	fill(ctx context.Context, fresh Server, store *debian.Store) error
	// providers names the package for each library that a machine may lack.
	providers() map[string]debian.Package
}

// Server is a server in the cache. It runs with LD_LIBRARY_PATH set to its libraries.
type Server struct {
	Version string
	// Folder holds all the others.
	Folder string
	// Binary is the path of the server's program.
	Binary string
	// Libraries is the folder of what this machine lacked; it is there even when nothing was.
	Libraries string
	// Plugins are the paths of MariaDB's plugins.
	Plugins []string
	// Share is the folder of MariaDB's or MySQL's messages, character sets and statements that make the system tables.
	Share string
	// Data is the folder of what MySQL starts with: its system tables.
	Data string
	// OwnLibraries is the number of files among the libraries.
	OwnLibraries int
}

// Programs are all files that are linked with libraries.
func (s Server) Programs() []string { return append(slices.Clone(s.Plugins), s.Binary) }

// Fetch returns a server of that version, or of that series, and downloads it when the cache has none that runs.
func (k Kind) Fetch(ctx context.Context, root cache.Root, version string) (Server, error) {
	from, err := k.from(version)
	if err != nil {
		return Server{}, err
	}
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return Server{}, fmt.Errorf("%s %s: it can be had for linux/amd64 only, this is %s/%s",
			k.Name, version, runtime.GOOS, runtime.GOARCH)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, fetchTimeout, errors.New("fetching took over 10 minutes"))
	defer cancel()
	if server, found := k.cached(ctx, root, version); found {
		return server, nil
	}
	server, err := k.download(ctx, root, from, version)
	if err != nil {
		return Server{}, fmt.Errorf("fetching %s %s: %w", k.Name, version, err)
	}
	return server, nil
}

// cached finds the newest server of the version or series that is there and runs.
func (k Kind) cached(ctx context.Context, root cache.Root, version string) (Server, bool) {
	folders, _ := filepath.Glob(root.Server(k.Name, "[0-9]*"))
	folders = slices.DeleteFunc(folders, func(folder string) bool { return !matches(filepath.Base(folder), version) })
	slices.SortFunc(folders, func(a, b string) int { return newerFirst(filepath.Base(a), filepath.Base(b)) })
	for _, folder := range folders {
		if server, err := k.open(ctx, folder); err == nil && matches(server.Version, version) {
			return server, true
		}
	}
	return Server{}, false
}

// download works beside the final folder and moves the proven result there, so that a server is there whole or not at
// all.
func (k Kind) download(ctx context.Context, root cache.Root, from source, version string) (Server, error) {
	if err := os.MkdirAll(root.Servers(k.Name), 0o755); err != nil {
		return Server{}, fmt.Errorf("making the cache folder: %w", err)
	}
	scratch, err := os.MkdirTemp(root.Servers(k.Name), ".fetch-")
	if err != nil {
		return Server{}, fmt.Errorf("making a working folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	fresh, store := k.at(filepath.Join(scratch, "server")), debian.NewStore(scratch)
	if err := os.MkdirAll(fresh.Libraries, 0o755); err != nil {
		return Server{}, fmt.Errorf("making the server's folder: %w", err)
	}
	if err := from.fill(ctx, fresh, store); err != nil {
		return Server{}, err
	}
	supplier := debian.Supplier{Store: store, Providers: from.providers(), Folder: fresh.Libraries}
	for _, program := range fresh.Programs() {
		if err := supplier.Supply(ctx, program); err != nil {
			return Server{}, err
		}
	}
	proven, err := k.prove(ctx, fresh)
	if err != nil {
		return Server{}, err
	}
	if !matches(proven.Version, version) {
		return Server{}, fmt.Errorf("what can be had now is %s, and no other", proven.Version)
	}
	final := root.Server(k.Name, proven.Version)
	if err := os.RemoveAll(final); err != nil {
		return Server{}, fmt.Errorf("removing a server that does not run: %w", err)
	}
	if err := os.Rename(fresh.Folder, final); err != nil {
		return Server{}, fmt.Errorf("moving the server into the cache: %w", err)
	}
	return k.open(ctx, final)
}

// prove does what is left to do with a server that has all that it needs, and accepts it when it runs.
func (k Kind) prove(ctx context.Context, fresh Server) (Server, error) {
	if k.prepare != nil {
		if err := k.prepare(ctx, fresh); err != nil {
			return Server{}, err
		}
	}
	return k.open(ctx, fresh.Folder)
}

// open accepts a folder whose server runs here.
func (k Kind) open(ctx context.Context, folder string) (Server, error) {
	server := k.at(folder)
	files, err := os.ReadDir(server.Libraries)
	if err != nil {
		return Server{}, fmt.Errorf("opening a server: %w", err)
	}
	server.OwnLibraries = len(files)
	ask := command.Command{
		Args: append([]string{server.Binary}, k.ask...), Env: []string{"LD_LIBRARY_PATH=" + server.Libraries},
	}
	output, err := ask.Output(ctx)
	if err != nil {
		return Server{}, fmt.Errorf("opening a server: %w", err)
	}
	said := k.says.FindStringSubmatch(output)
	if said == nil {
		return Server{}, fmt.Errorf("opening a server: it says %q", output)
	}
	server.Version = said[1]
	return server, nil
}

// matches says whether a version is the wanted one, or one of the wanted series.
func matches(version, wanted string) bool {
	return version == wanted || strings.HasPrefix(version, wanted+".")
}

// newerFirst orders versions by their numbers.
func newerFirst(a, b string) int { return slices.Compare(numbers(b), numbers(a)) }

func numbers(version string) []int {
	var all []int
	for part := range strings.SplitSeq(version, ".") {
		number, _ := strconv.Atoi(part)
		all = append(all, number)
	}
	return all
}
