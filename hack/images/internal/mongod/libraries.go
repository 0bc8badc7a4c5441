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
	packages := &packages{scratch: scratch, folders: map[provider]string{}}
	for {
		linked, err := Link(ctx, binary, libraryFolder)
		if err != nil {
			return err
		}
		if len(linked.Missing) == 0 {
			return nil
		}
		placed, err := packages.place(linked.Missing, libraryFolder)
		if err != nil {
			return err
		}
		if placed > 0 {
			continue
		}
		// A library may need others that ldd names only once it is there, hence one package, then another look.
		if err := packages.fetchFor(ctx, linked.Missing); err != nil {
			return err
		}
	}
}

// packages are those fetched so far, each unpacked into a folder below the scratch folder.
type packages struct {
	scratch string
	folders map[provider]string
}

// place copies those of the libraries that the packages hold, and counts them.
func (p *packages) place(names []string, libraryFolder string) (int, error) {
	placed := 0
	for _, name := range names {
		for _, unpacked := range p.folders {
			found, err := placeLibrary(name, unpacked, libraryFolder)
			if err != nil {
				return placed, fmt.Errorf("placing %s: %w", name, err)
			}
			if found {
				placed++
				break
			}
		}
	}
	return placed, nil
}

// fetchFor fetches the package of the first library whose package is known and not there yet.
func (p *packages) fetchFor(ctx context.Context, names []string) error {
	for _, name := range names {
		source, known := providers[name]
		if _, fetched := p.folders[source]; !known || fetched {
			continue
		}
		unpacked := filepath.Join(p.scratch, source.name)
		p.folders[source] = unpacked
		return fetchPackage(ctx, source, unpacked)
	}
	return fmt.Errorf("this machine lacks %s: install the packages that bring them", strings.Join(names, ", "))
}

// placeLibrary copies a library out of an unpacked package, and says whether it was there.
func placeLibrary(name, unpacked, libraryFolder string) (bool, error) {
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
	content, err := os.ReadFile(found)
	if err != nil {
		return false, err
	}
	return true, os.WriteFile(filepath.Join(libraryFolder, name), content, 0o644)
}
