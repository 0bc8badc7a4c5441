package part

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Packages unpacks packages of the distribution and what they need, if this machine has not got them yet, and tells the
// folder: in root are their files, in bin a starter for each program. Nothing is installed.
func Packages(t *testing.T, names ...string) string {
	t.Helper()
	return unpack(t, filepath.Join("packages", strings.Join(names, "+")), names)
}

// PackagesOf are packages of another release of Debian, without what they need.
func PackagesOf(t *testing.T, release string, names ...string) string {
	t.Helper()
	return unpack(t, filepath.Join("packages", release+"-"+strings.Join(names, "+")), names, "--of", release)
}

func unpack(t *testing.T, name string, packages []string, flags ...string) string {
	t.Helper()
	folder := filepath.Join(Cache(t), name)
	if _, err := os.Stat(folder); err == nil {
		return folder
	}
	arguments := append([]string{"run", ".", "unpack"}, append(flags, folder)...)
	output(t, filepath.Join(Root(t), "hack", "cluster"), "go", append(arguments, packages...)...)
	return folder
}

// Cache is where everything stays that is fetched or built once on a machine.
func Cache(t *testing.T) string {
	t.Helper()
	if folder := os.Getenv("MONGOBENCH_CACHE"); folder != "" {
		return folder
	}
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatalf("finding the cache: %v", err)
	}
	return filepath.Join(home, ".cache", "mongobench")
}
