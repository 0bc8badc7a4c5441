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
	folder := filepath.Join(cache(t), "packages", strings.Join(names, "+"))
	if _, err := os.Stat(folder); err == nil {
		return folder
	}
	cluster := filepath.Join(Root(t), "hack", "cluster")
	output(t, cluster, "go", append([]string{"run", ".", "unpack", folder}, names...)...)
	return folder
}

// cache is where everything stays that is fetched or built once on a machine.
func cache(t *testing.T) string {
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
