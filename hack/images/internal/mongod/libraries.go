package mongod

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/mongobench/mongobench-operator/hack/images/internal/command"
)

// provider is a Debian package that brings shared libraries.
type provider struct {
	name string
	// suite is the Debian release to take it from; empty means the one of this machine.
	suite string
}

// providers names the package for each library that a usual Debian may lack. What a library of this machine's release
// needs in turn comes with the package's dependencies.
var providers = map[string]provider{
	// OpenSSL 1.1 was last part of bullseye; servers built before OpenSSL 3 need it.
	"libssl.so.1.1":    {name: "libssl1.1", suite: "bullseye"},
	"libcrypto.so.1.1": {name: "libssl1.1", suite: "bullseye"},
	"libcurl.so.4":     {name: "libcurl4"},
	"liblzma.so.5":     {name: "liblzma5"},
}

// Linked is what the loader resolves for a program on this machine.
type Linked struct {
	// Found are the files that would be loaded, the loader itself among them.
	Found []string
	// Missing are the names for which there is no file.
	Missing []string
}

// Link asks the loader which libraries a program would be given when the folder is searched first.
func Link(ctx context.Context, binary, libraryFolder string) (Linked, error) {
	ldd := command.Command{Args: []string{"ldd", binary}, Env: []string{"LD_LIBRARY_PATH=" + libraryFolder}}
	output, err := ldd.Output(ctx)
	if err != nil {
		return Linked{}, fmt.Errorf("listing the libraries of %s: %w", binary, err)
	}
	return parseLdd(output), nil
}

// parseLdd reads lines of three forms: "name => /path (address)", "name => not found" and "/path/loader (address)".
// The kernel's own library has no path and is left out.
func parseLdd(output string) Linked {
	var linked Linked
	for line := range strings.Lines(output) {
		name, target, arrow := strings.Cut(strings.TrimSpace(line), " => ")
		if !arrow {
			target = name
		}
		path, _, _ := strings.Cut(target, " (")
		switch {
		case arrow && path == "not found":
			linked.Missing = append(linked.Missing, name)
		case filepath.IsAbs(path):
			linked.Found = append(linked.Found, path)
		}
	}
	return linked
}

// supply puts every library that the server lacks on this machine into the folder.
func supply(ctx context.Context, binary, libraryFolder, scratch string) error {
	asked := map[provider]string{}
	for {
		linked, err := Link(ctx, binary, libraryFolder)
		if err != nil {
			return err
		}
		if len(linked.Missing) == 0 {
			return nil
		}
		if err := supplyRound(ctx, linked.Missing, libraryFolder, scratch, asked); err != nil {
			return err
		}
	}
}

// supplyRound places the missing libraries that packages already fetched hold, else fetches the package of one that is
// missing. It ends with an error when it can do neither, so that rounds come to an end.
func supplyRound(ctx context.Context, missing []string, folder, scratch string, asked map[provider]string) error {
	placed := 0
	for _, name := range missing {
		for _, unpacked := range asked {
			ok, err := placeLibrary(name, unpacked, folder)
			if err != nil {
				return err
			}
			if ok {
				placed++
				break
			}
		}
	}
	if placed > 0 {
		return nil
	}
	for _, name := range missing {
		source, known := providers[name]
		if _, again := asked[source]; !known || again {
			continue
		}
		unpacked := filepath.Join(scratch, source.name)
		if err := fetchPackage(ctx, source, unpacked); err != nil {
			return err
		}
		asked[source] = unpacked
		return nil
	}
	return fmt.Errorf("this machine lacks %s: install the packages that bring them", strings.Join(missing, ", "))
}

// placeLibrary copies a library out of unpacked packages, and says whether it was there.
func placeLibrary(name, unpacked, folder string) (bool, error) {
	var found string
	err := filepath.WalkDir(unpacked, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Name() == name {
			found = path
			return fs.SkipAll
		}
		return err
	})
	if err != nil || found == "" {
		return false, err
	}
	source, err := os.Open(found)
	if err != nil {
		return false, fmt.Errorf("opening a library: %w", err)
	}
	defer source.Close()
	return true, writeFile(filepath.Join(folder, name), source, 0o644)
}
