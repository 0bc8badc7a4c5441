package debian

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/mongobench/mongobench-operator/hack/images/internal/command"
)

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

// Supplier gives programs the libraries that this machine lacks.
type Supplier struct {
	Store *Store
	// Providers names the package for each library that may be missing. What a library needs in turn is looked for as
	// well, unless it came with the package's dependencies.
	Providers map[string]Package
	// Folder takes the libraries.
	Folder string
}

// Supply puts every library that a program, or a plugin of one, lacks on this machine into the folder.
func (s Supplier) Supply(ctx context.Context, program string) error {
	for {
		linked, err := Link(ctx, program, s.Folder)
		if err != nil {
			return err
		}
		if len(linked.Missing) == 0 {
			return nil
		}
		placed, err := s.place(linked.Missing)
		if err != nil {
			return err
		}
		if placed > 0 {
			continue
		}
		// A library may need others that ldd names only once it is there, hence one package, then another look.
		if err := s.fetchFor(ctx, linked.Missing); err != nil {
			return err
		}
	}
}

// place copies those of the libraries that the packages hold, and counts them.
func (s Supplier) place(names []string) (int, error) {
	placed := 0
	for _, name := range names {
		for _, unpacked := range s.Store.unpacked {
			found, err := placeLibrary(name, unpacked, s.Folder)
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
func (s Supplier) fetchFor(ctx context.Context, names []string) error {
	for _, name := range names {
		source, known := s.Providers[name]
		if _, fetched := s.Store.unpacked[source]; !known || fetched {
			continue
		}
		_, err := s.Store.Unpack(ctx, source)
		return err
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
