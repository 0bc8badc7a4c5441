package debian

import (
	"context"
	"errors"
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

// Package is a package of Debian.
type Package struct {
	Name string
	// Suite is the Debian release to take it from; empty means the one of this machine.
	Suite string
}

// Store fetches packages, each once, and unpacks each into a folder of its own. It uses apt with a state of its own, so
// that the settings, lists and packages of this machine stay as they are.
type Store struct {
	folder   string
	archives map[string]archive
	unpacked map[Package]string
}

// NewStore keeps everything below a folder that the caller removes.
func NewStore(folder string) *Store {
	return &Store{folder: folder, archives: map[string]archive{}, unpacked: map[Package]string{}}
}

// Unpack gives the folder with what is in a package, and in its dependencies when it is of this machine's own release:
// those of another release would not fit the C library here.
func (s *Store) Unpack(ctx context.Context, wanted Package) (string, error) {
	if folder, there := s.unpacked[wanted]; there {
		return folder, nil
	}
	from, opened := s.archives[wanted.Suite]
	if !opened {
		var err error
		if from, err = openArchive(ctx, wanted.Suite, filepath.Join(s.folder, ".apt-"+wanted.Suite)); err != nil {
			return "", fmt.Errorf("fetching package %s: %w", wanted.Name, err)
		}
		s.archives[wanted.Suite] = from
	}
	files, err := from.download(ctx, wanted)
	if err != nil {
		return "", fmt.Errorf("fetching package %s: %w", wanted.Name, err)
	}
	folder := filepath.Join(s.folder, wanted.Name+"-"+wanted.Suite)
	for _, file := range files {
		unpack := command.Command{Args: []string{"dpkg-deb", "--extract", file, folder}}
		if _, err := unpack.Output(ctx); err != nil {
			return "", fmt.Errorf("unpacking %s: %w", filepath.Base(file), err)
		}
	}
	s.unpacked[wanted] = folder
	return folder, nil
}

// debianKeyring holds the keys of all Debian releases; apt refuses a package that they do not vouch for.
const debianKeyring = "/usr/share/keyrings/debian-archive-keyring.gpg"

// archive is an apt that knows one suite of one mirror and keeps everything below one folder.
type archive struct{ folder string }

func openArchive(ctx context.Context, suite, folder string) (archive, error) {
	if _, err := os.Stat(debianKeyring); err != nil {
		return archive{}, fmt.Errorf("signatures cannot be checked (install debian-archive-keyring): %w", err)
	}
	if suite == "" {
		suite = ownSuite()
	}
	mirror, err := debianMirror(ctx)
	if err != nil {
		return archive{}, err
	}
	opened := archive{folder: folder}
	for _, needed := range []string{"lists/partial", "cache"} {
		if err := os.MkdirAll(filepath.Join(folder, needed), 0o755); err != nil {
			return archive{}, fmt.Errorf("making apt's folders: %w", err)
		}
	}
	source := fmt.Sprintf("deb [arch=amd64 target=Packages signed-by=%s] %s %s main\n", debianKeyring, mirror, suite)
	for name, content := range map[string]string{"sources.list": source, "status": ""} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644); err != nil {
			return archive{}, fmt.Errorf("writing apt's files: %w", err)
		}
	}
	if _, err := opened.command("update").Output(ctx); err != nil {
		return archive{}, fmt.Errorf("reading %s of %s (MONGOBENCH_DEBIAN_MIRROR names another mirror): %w",
			suite, mirror, err)
	}
	return opened, nil
}

// download gets the files of a package into a folder of its own. The status file is empty, so apt takes no dependency
// for installed.
func (a archive) download(ctx context.Context, wanted Package) ([]string, error) {
	folder := filepath.Join(a.folder, "packages", wanted.Name)
	if err := os.MkdirAll(filepath.Join(folder, "partial"), 0o755); err != nil {
		return nil, fmt.Errorf("making a package's folder: %w", err)
	}
	get := a.command("--option", "Dir::Cache::archives="+folder,
		"install", "--download-only", "--yes", "--no-install-recommends", wanted.Name)
	if wanted.Suite != "" {
		get = a.command("download", wanted.Name)
	}
	get.Folder = folder
	if _, err := get.Output(ctx); err != nil {
		return nil, err
	}
	return filepath.Glob(filepath.Join(folder, "*.deb"))
}

func (a archive) command(args ...string) command.Command {
	settings := []string{
		"Dir::Etc::sourcelist=" + filepath.Join(a.folder, "sources.list"),
		"Dir::Etc::sourceparts=/dev/null",
		"Dir::Etc::preferences=/dev/null",
		"Dir::Etc::preferencesparts=/dev/null",
		"Dir::State=" + a.folder,
		"Dir::State::lists=" + filepath.Join(a.folder, "lists"),
		"Dir::State::status=" + filepath.Join(a.folder, "status"),
		"Dir::Cache=" + filepath.Join(a.folder, "cache"),
		"Dir::Log=" + a.folder,
		// The private folders need not be open to the account that apt would switch to.
		"APT::Sandbox::User=root",
		"APT::Get::AllowUnauthenticated=false",
		"Acquire::AllowInsecureRepositories=false",
		"Acquire::Languages=none",
		// An unprivileged user cannot take the machine-wide lock, and nothing is installed.
		"Debug::NoLocking=true",
	}
	full := []string{"apt-get", "--quiet", "--quiet"}
	for _, setting := range settings {
		full = append(full, "--option", setting)
	}
	return command.Command{Args: append(full, args...), Env: []string{"DEBIAN_FRONTEND=noninteractive", "LC_ALL=C"}}
}

// debianMirror is the mirror that this machine already trusts with its packages.
func debianMirror(ctx context.Context) (string, error) {
	if mirror := os.Getenv("MONGOBENCH_DEBIAN_MIRROR"); mirror != "" {
		return mirror, nil
	}
	list := command.Command{Args: []string{"apt-get", "--print-uris", "update"}}
	output, err := list.Output(ctx)
	if err != nil {
		return "", fmt.Errorf("asking apt for a mirror: %w", err)
	}
	if mirror := mirrorIn(output); mirror != "" {
		return mirror, nil
	}
	return "", errors.New("apt on this machine names no Debian mirror: set MONGOBENCH_DEBIAN_MIRROR to one")
}

// mirrorIn finds the first main archive (not the security one) in apt's list of quoted addresses.
func mirrorIn(output string) string {
	for line := range strings.Lines(output) {
		address, _, _ := strings.Cut(strings.TrimPrefix(line, "'"), "'")
		mirror, _, found := strings.Cut(address, "/dists/")
		if found && strings.HasSuffix(mirror, "/debian") {
			return mirror
		}
	}
	return ""
}

// ownSuite is this machine's Debian release, since a library must fit the machine's C library.
func ownSuite() string {
	content, err := os.ReadFile("/etc/os-release")
	if err != nil {
		return "stable"
	}
	for line := range strings.Lines(string(content)) {
		if codename, ok := strings.CutPrefix(line, "VERSION_CODENAME="); ok {
			return strings.Trim(strings.TrimSpace(codename), `"`)
		}
	}
	return "stable"
}
