package assets

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// unpackPackages fills the folder: root/ with the packages' files, bin/ with a starter for each program.
func unpackPackages(ctx context.Context, folder string, packages []string) error {
	work := folder + ".new"
	if err := os.RemoveAll(work); err != nil {
		return fmt.Errorf("clearing %s: %w", work, err)
	}
	for _, needed := range []string{"lists/partial", "archives/partial", "root", "bin"} {
		if err := os.MkdirAll(filepath.Join(work, needed), 0o755); err != nil {
			return fmt.Errorf("making %s: %w", work, err)
		}
	}
	if err := download(ctx, work, packages); err != nil {
		return err
	}
	if err := extract(ctx, work); err != nil {
		return err
	}
	if err := writeStarters(work, folder); err != nil {
		return err
	}
	for _, spent := range []string{filepath.Join(work, "lists"), filepath.Join(work, "archives"), folder} {
		if err := os.RemoveAll(spent); err != nil {
			return fmt.Errorf("replacing %s: %w", folder, err)
		}
	}
	if err := os.Rename(work, folder); err != nil {
		return fmt.Errorf("replacing %s: %w", folder, err)
	}
	return nil
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
	private := []string{
		"-q", "-y",
		"-o", "Dir::State::lists=" + filepath.Join(work, "lists"),
		"-o", "Dir::Cache::archives=" + filepath.Join(work, "archives"),
		"-o", "Dir::Cache::pkgcache=", "-o", "Dir::Cache::srcpkgcache=",
		"-o", "APT::Sandbox::User=root", "-o", "Debug::NoLocking=1",
		"-o", "APT::Update::Post-Invoke-Success::=", "-o", "DPkg::Post-Invoke::=",
	}
	if err := run(ctx, "apt-get", slices.Concat(private, []string{"update"})...); err != nil {
		return err
	}
	arguments := slices.Concat(private, []string{"--no-install-recommends", "--download-only", "install"}, packages)
	return run(ctx, "apt-get", arguments...)
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
