package assets

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
)

// packages hold the tools of a node, under their names in Debian and its descendants.
var packages = []string{"containerd", "containernetworking-plugins", "nftables", "runc"}

// programsOfANode must be found, in the cache or on the machine, before a node can start.
var programsOfANode = []string{"containerd", "ctr", "containerd-shim-runc-v2", "runc", "nft"}

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
	for _, folder := range filepath.SplitList(t.Path) {
		path := filepath.Join(folder, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
			return path, nil
		}
	}
	return "", fmt.Errorf("finding %s: neither in the cache nor on the machine; run `cluster build --all`", name)
}

// Missing lists which of a node's tools are not there.
func (t Tools) Missing() []string {
	var missing []string
	for _, name := range programsOfANode {
		if _, err := t.Program(name); err != nil {
			missing = append(missing, name)
		}
	}
	if t.CNIPlugins == "" {
		missing = append(missing, "CNI plugins")
	}
	return missing
}

// FindTools looks for the tools, first in the cache and then on the machine.
func FindTools(cache string) Tools {
	root := toolsFolder(cache)
	tools := Tools{Path: filepath.Join(root, "bin") + ":" + Binaries(cache) + ":" + systemPath}
	for _, folder := range []string{
		filepath.Join(root, "root/usr/lib/cni"), "/opt/cni/bin", "/usr/lib/cni", "/usr/libexec/cni",
	} {
		if _, err := os.Stat(filepath.Join(folder, "ptp")); err == nil {
			tools.CNIPlugins = folder
			break
		}
	}
	return tools
}

// FetchTools makes sure that all tools are there: what is missing is downloaded as packages and unpacked.
func FetchTools(ctx context.Context, cache string, say func(format string, args ...any)) (Tools, error) {
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
	if err := unpackPackages(ctx, toolsFolder(cache)); err != nil {
		return Tools{}, err
	}
	tools = FindTools(cache)
	if missing := tools.Missing(); len(missing) > 0 {
		return Tools{}, fmt.Errorf("fetching tools: %s not in the packages %s; install them by hand, then try again",
			strings.Join(missing, ", "), strings.Join(packages, ", "))
	}
	return tools, nil
}

// toolsFolder is named by what is in it, so that another list of packages is fetched anew.
func toolsFolder(cache string) string {
	sum := sha256.Sum256([]byte(strings.Join(packages, " ")))
	return filepath.Join(cache, "node", hex.EncodeToString(sum[:4]))
}

// unpackPackages fills the folder: root/ with the packages' files, bin/ with a starter for each program.
func unpackPackages(ctx context.Context, folder string) error {
	work := folder + ".new"
	if err := os.RemoveAll(work); err != nil {
		return fmt.Errorf("clearing %s: %w", work, err)
	}
	for _, needed := range []string{"lists/partial", "archives/partial", "root", "bin"} {
		if err := os.MkdirAll(filepath.Join(work, needed), 0o755); err != nil {
			return fmt.Errorf("making %s: %w", work, err)
		}
	}
	if err := download(ctx, work); err != nil {
		return err
	}
	archives, err := filepath.Glob(filepath.Join(work, "archives", "*.deb"))
	if err != nil || len(archives) == 0 {
		return fmt.Errorf("unpacking packages: %d archives in %s: %w", len(archives), work, err)
	}
	for _, archive := range archives {
		if err := run(ctx, "dpkg-deb", "--extract", archive, filepath.Join(work, "root")); err != nil {
			return err
		}
	}
	if err := writeStarters(work, folder); err != nil {
		return err
	}
	for _, spent := range []string{"lists", "archives"} {
		if err := os.RemoveAll(filepath.Join(work, spent)); err != nil {
			return fmt.Errorf("removing %s: %w", spent, err)
		}
	}
	if err := os.RemoveAll(folder); err != nil {
		return fmt.Errorf("replacing %s: %w", folder, err)
	}
	if err := os.Rename(work, folder); err != nil {
		return fmt.Errorf("replacing %s: %w", folder, err)
	}
	return nil
}

// download gets the packages and what they need that the machine lacks. Lists and archives are our own, so that the
// machine's package manager notices nothing.
func download(ctx context.Context, work string) error {
	private := []string{
		"-q", "-y",
		"-o", "Dir::State::lists=" + filepath.Join(work, "lists"),
		"-o", "Dir::Cache::archives=" + filepath.Join(work, "archives"),
		"-o", "Dir::Cache::pkgcache=", "-o", "Dir::Cache::srcpkgcache=",
		"-o", "APT::Sandbox::User=root", "-o", "Debug::NoLocking=1",
		"-o", "APT::Update::Post-Invoke-Success::=", "-o", "DPkg::Post-Invoke::=",
	}
	if err := run(ctx, "apt-get", append(private, "update")...); err != nil {
		return err
	}
	arguments := append(private, "--no-install-recommends", "--download-only", "install")
	return run(ctx, "apt-get", append(arguments, packages...)...)
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
			path := filepath.Join(work, "bin", entry.Name())
			//nolint:gosec // A program that nobody may execute is of no use.
			if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
				return fmt.Errorf("writing starter: %w", err)
			}
		}
	}
	return nil
}

// libraryFolders lists the folders below root that hold shared libraries, relative to it.
func libraryFolders(root string) ([]string, error) {
	found := map[string]bool{}
	for _, pattern := range []string{"usr/lib/*-linux-*/*.so*", "lib/*-linux-*/*.so*"} {
		matches, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return nil, fmt.Errorf("looking for libraries: %w", err)
		}
		for _, match := range matches {
			relative, err := filepath.Rel(root, filepath.Dir(match))
			if err != nil {
				return nil, fmt.Errorf("looking for libraries: %w", err)
			}
			found[relative] = true
		}
	}
	folders := make([]string, 0, len(found))
	for folder := range found {
		folders = append(folders, folder)
	}
	sort.Strings(folders)
	return folders, nil
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
