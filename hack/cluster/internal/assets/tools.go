package assets

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// packages hold the tools of a node, under their names in Debian and its descendants.
var packages = map[string]string{
	"containerd":              "containerd",
	"ctr":                     "containerd",
	"containerd-shim-runc-v2": "containerd",
	"runc":                    "runc",
	"nft":                     "nftables",
	cniPlugins:                "containernetworking-plugins",
}

// cniPlugins stands for the network plugins, which are a folder and not a program.
const cniPlugins = "CNI plugins"

// systemPath is where the machine's own programs are looked for, whatever the caller's PATH is.
const systemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// Tools are the programs of a node that Kubernetes does not bring.
type Tools struct {
	// Path is a PATH on which all of them are.
	Path string
	// CNIPlugins is the folder of the network plugins.
	CNIPlugins string
}

// Program is the path of one of the programs.
func (t Tools) Program(name string) (string, error) {
	path, err := LookUp(name, t.Path)
	if err != nil {
		return "", fmt.Errorf("%w: neither in the cache nor on the machine; run `cluster build --all`", err)
	}
	return path, nil
}

// LookUp finds a program on a PATH, which need not be the one of this process.
func LookUp(name, path string) (string, error) {
	for _, folder := range filepath.SplitList(path) {
		candidate := filepath.Join(folder, name)
		if info, err := os.Stat(candidate); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
			return candidate, nil
		}
	}
	return "", fmt.Errorf("finding %s: %w", name, exec.ErrNotFound)
}

// Missing lists which of a node's tools are not there, in the cache or on the machine.
func (t Tools) Missing() []string {
	var missing []string
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		if name == cniPlugins {
			continue
		}
		if _, err := t.Program(name); err != nil {
			missing = append(missing, name)
		}
	}
	if t.CNIPlugins == "" {
		missing = append(missing, cniPlugins)
	}
	return missing
}

// FindTools looks for the tools, first in the cache and then on the machine.
func FindTools(cache string) Tools {
	root := toolsFolder(cache)
	tools := findOnMachine()
	tools.Path = filepath.Join(root, "bin") + ":" + Binaries(cache) + ":" + tools.Path
	cached := filepath.Join(root, "root/usr/lib/cni")
	if _, err := os.Stat(cached); err == nil {
		tools.CNIPlugins = cached
	}
	return tools
}

// findOnMachine looks for the tools that the machine has of its own.
func findOnMachine() Tools {
	tools := Tools{Path: systemPath}
	for _, folder := range []string{"/opt/cni/bin", "/usr/lib/cni", "/usr/libexec/cni"} {
		if _, err := os.Stat(filepath.Join(folder, "ptp")); err == nil {
			tools.CNIPlugins = folder
			break
		}
	}
	return tools
}

// FetchTools makes sure that all tools are there: what is missing is downloaded as packages and unpacked.
func FetchTools(ctx context.Context, cache string, say Say) (Tools, error) {
	tools := FindTools(cache)
	missing := tools.Missing()
	if len(missing) == 0 {
		return tools, nil
	}
	say("fetching %s from the distribution's packages", strings.Join(missing, ", "))
	if _, err := exec.LookPath("apt-get"); err != nil {
		return Tools{}, fmt.Errorf("fetching %s: this machine has no apt-get; install them by hand, then try again",
			strings.Join(missing, ", "))
	}
	// Not only what is missing now: the folder is replaced as a whole, and what it held may be in use.
	wanted := packagesFor(findOnMachine().Missing())
	if err := Unpack(ctx, toolsFolder(cache), wanted); err != nil {
		return Tools{}, err
	}
	tools = FindTools(cache)
	if missing := tools.Missing(); len(missing) > 0 {
		return Tools{}, fmt.Errorf("fetching tools: %s not in the packages %s; install them by hand, then try again",
			strings.Join(missing, ", "), strings.Join(wanted, ", "))
	}
	return tools, nil
}

// packagesFor lists the packages that hold the tools, each once.
func packagesFor(tools []string) []string {
	wanted := make([]string, 0, len(tools))
	for _, tool := range tools {
		wanted = append(wanted, packages[tool])
	}
	slices.Sort(wanted)
	return slices.Compact(wanted)
}

// toolsFolder holds what was unpacked.
func toolsFolder(cache string) string { return filepath.Join(cache, "node", "tools") }

// Images are the two that a cluster cannot do without.
type Images struct {
	// Pause is the name of the image that every pod's sandbox runs, CoreDNS of the DNS server.
	Pause, CoreDNS string
	// Archives are the files that hold them.
	Archives []string
}

// imagePrefix is the registry that does not exist: images with it are only ever imported.
const imagePrefix = "mongobench.local/"

// FetchImages finds the two images in the cache, and has hack/images build them when they are not there.
func FetchImages(ctx context.Context, source, cache string, say Say) (Images, error) {
	folder := filepath.Join(cache, "images")
	images, err := findImages(folder)
	if err == nil {
		return images, nil
	}
	say("building the images pause and coredns")
	command := exec.CommandContext(ctx, "go", "run", ".", "build", "pause", "coredns")
	command.Dir = filepath.Join(filepath.Dir(source), "images")
	command.Env = append(os.Environ(), "GOWORK=off")
	if output, err := command.CombinedOutput(); err != nil {
		return Images{}, fmt.Errorf("building images: %w\n%s", err, output)
	}
	return findImages(folder)
}

// findImages reads the names of the images off the names of their archives: NAME-VERSION.tar.
func findImages(folder string) (Images, error) {
	var images Images
	for name, image := range map[string]*string{"pause": &images.Pause, "coredns": &images.CoreDNS} {
		archive, err := newest(filepath.Join(folder, name+"-*.tar"))
		if err != nil {
			return Images{}, err
		}
		version := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(archive), name+"-"), ".tar")
		*image = imagePrefix + name + ":" + version
		images.Archives = append(images.Archives, archive)
	}
	return images, nil
}

// newest is the file that was written last among those that match.
func newest(pattern string) (string, error) {
	matches, err := filepath.Glob(pattern)
	if err != nil {
		return "", fmt.Errorf("looking for %s: %w", pattern, err)
	}
	var found string
	var written time.Time
	for _, match := range matches {
		if info, err := os.Stat(match); err == nil && info.ModTime().After(written) {
			found, written = match, info.ModTime()
		}
	}
	if found == "" {
		return "", fmt.Errorf("looking for %s: %w", pattern, os.ErrNotExist)
	}
	return found, nil
}

// Unpack fills the folder: root/ with the packages' files, bin/ with a starter for each program.
func Unpack(ctx context.Context, folder string, packages []string) error {
	work, err := workFolder(folder)
	if err != nil {
		return err
	}
	if err := download(ctx, work, packages); err != nil {
		return err
	}
	return place(ctx, work, folder)
}

// debianKeys are what Debian signs its lists with.
const debianKeys = "/usr/share/keyrings/debian-archive-keyring.gpg"

// UnpackOf is Unpack for packages of another release of Debian, such as testing, without what they need: that would be
// another system.
func UnpackOf(ctx context.Context, release, folder string, packages []string) error {
	work, err := workFolder(folder)
	if err != nil {
		return err
	}
	source := fmt.Sprintf("deb [signed-by=%s] http://deb.debian.org/debian %s main\n", debianKeys, release)
	sources := filepath.Join(work, "archives", "sources.list") // Among the lists it would be cleaned away.
	if err := os.WriteFile(sources, []byte(source), 0o600); err != nil {
		return fmt.Errorf("naming the release: %w", err)
	}
	private := append(privately(work), "-o", "Dir::Etc::sourcelist="+sources, "-o", "Dir::Etc::sourceparts=/dev/null")
	if err := run(ctx, "apt-get", append(private, "update")...); err != nil {
		return err
	}
	command := exec.CommandContext(ctx, "apt-get", slices.Concat(private, []string{"download"}, packages)...)
	command.Dir = filepath.Join(work, "archives") // It has no option for where to.
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("downloading packages of %s: %w\n%s", release, err, bytes.TrimSpace(output))
	}
	return place(ctx, work, folder)
}

// place unpacks what was downloaded, and puts it where the folder is to be.
func place(ctx context.Context, work, folder string) error {
	if err := extract(ctx, work); err != nil {
		return err
	}
	if err := writeStarters(work, folder); err != nil {
		return err
	}
	err := errors.Join(
		os.RemoveAll(filepath.Join(work, "lists")), os.RemoveAll(filepath.Join(work, "archives")),
		os.RemoveAll(folder), os.Rename(work, folder))
	if err != nil {
		return fmt.Errorf("replacing %s: %w", folder, err)
	}
	return nil
}

// workFolder is empty, and becomes the folder when all is in it.
func workFolder(folder string) (string, error) {
	work := folder + ".new"
	err := os.RemoveAll(work)
	for _, needed := range []string{"lists/partial", "archives/partial", "root", "bin"} {
		err = errors.Join(err, os.MkdirAll(filepath.Join(work, needed), 0o755))
	}
	if err != nil {
		return "", fmt.Errorf("making %s: %w", work, err)
	}
	return work, nil
}

// extract unpacks the archives that were downloaded.
func extract(ctx context.Context, work string) error {
	archives, err := filepath.Glob(filepath.Join(work, "archives", "*.deb"))
	if err != nil || len(archives) == 0 {
		return fmt.Errorf("unpacking packages: %d archives in %s: %w", len(archives), work, err)
	}
	for _, archive := range archives {
		if err := run(ctx, "dpkg-deb", "--extract", archive, filepath.Join(work, "root")); err != nil {
			return err
		}
	}
	return nil
}

// download gets the packages and what they need that the machine lacks. Lists and archives are our own, so that the
// machine's package manager notices nothing.
func download(ctx context.Context, work string, packages []string) error {
	private := privately(work)
	if err := run(ctx, "apt-get", slices.Concat(private, []string{"update"})...); err != nil {
		return err
	}
	arguments := slices.Concat(private, []string{"--no-install-recommends", "--download-only", "install"}, packages)
	return run(ctx, "apt-get", arguments...)
}

// privately are the options by which a work folder has lists and archives of its own.
func privately(work string) []string {
	return []string{
		"-q", "-y",
		"-o", "Dir::State::lists=" + filepath.Join(work, "lists"),
		"-o", "Dir::Cache::archives=" + filepath.Join(work, "archives"),
		"-o", "Dir::Cache::pkgcache=", "-o", "Dir::Cache::srcpkgcache=",
		"-o", "APT::Sandbox::User=root", "-o", "Debug::NoLocking=1",
		"-o", "APT::Update::Post-Invoke-Success::=", "-o", "DPkg::Post-Invoke::=",
	}
}

// writeStarters makes one small script per program, which finds the libraries that came with it.
func writeStarters(work, folder string) error {
	libraries, err := libraryFolders(filepath.Join(work, "root"))
	if err != nil {
		return err
	}
	for index, library := range libraries {
		libraries[index] = filepath.Join(folder, "root", library)
	}
	for _, place := range []string{"usr/sbin", "usr/bin", "sbin", "bin"} {
		entries, err := os.ReadDir(filepath.Join(work, "root", place))
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("listing programs: %w", err)
		}
		for _, entry := range entries {
			script := fmt.Sprintf("#!/bin/sh\nexport LD_LIBRARY_PATH=%s\nexec %s \"$@\"\n",
				strings.Join(libraries, ":"), filepath.Join(folder, "root", place, entry.Name()))
			starter := filepath.Join(work, "bin", entry.Name())
			if err := os.WriteFile(starter, []byte(script), 0o755); err != nil {
				return fmt.Errorf("writing starter: %w", err)
			}
		}
	}
	return nil
}

// libraryFolders lists the folders below root that hold shared libraries, relative to it.
func libraryFolders(root string) ([]string, error) {
	var folders []string
	for _, pattern := range []string{"usr/lib/*-linux-*/*.so*", "lib/*-linux-*/*.so*"} {
		matches, err := fs.Glob(os.DirFS(root), pattern)
		if err != nil {
			return nil, fmt.Errorf("looking for libraries: %w", err)
		}
		for _, match := range matches {
			folders = append(folders, path.Dir(match))
		}
	}
	slices.Sort(folders)
	return slices.Compact(folders), nil
}

// run runs a program to its end; what it said is part of the error.
func run(ctx context.Context, name string, args ...string) error {
	command := exec.CommandContext(ctx, name, args...)
	command.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C")
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("running %s: %w\n%s", name, err, bytes.TrimSpace(output))
	}
	return nil
}
