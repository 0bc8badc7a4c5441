package part

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Need is the path of a program of the machine, after installing the Debian package that it comes in where it is
// missing.
func Need(t *testing.T, program, debianPackage string) string {
	t.Helper()
	if path, err := exec.LookPath(program); err == nil {
		return path
	}
	output(t, ".", filepath.Join(Root(t), "hack", "make", "prerequisites.sh"), debianPackage)
	path, err := exec.LookPath(program)
	if err != nil {
		t.Fatalf("%s is not there after installing %s: %v", program, debianPackage, err)
	}
	return path
}

// Jars fetches the pinned files of Maven Central that a neighbour's file `jars` lists, each with its sum before it, and
// returns their paths as Java wants a class path.
func Jars(t *testing.T, name string) string {
	t.Helper()
	list, err := os.ReadFile(filepath.Join(Root(t), "hack", "e2e", "neighbours", name, "jars"))
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for line := range strings.Lines(string(list)) {
		fetched := output(t, ".", filepath.Join(Root(t), "hack", "tools", "maven.sh"), strings.Fields(line)...)
		paths = append(paths, strings.TrimSpace(fetched))
	}
	return strings.Join(paths, string(filepath.ListSeparator))
}
