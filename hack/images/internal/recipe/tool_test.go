package recipe

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/mongobench/mongobench-operator/hack/images/internal/cache"
)

// TestToolBecomesAnImage has a script in place of the one that builds tools.
func TestToolBecomesAnImage(t *testing.T) {
	root := t.TempDir()
	program := filepath.Join(t.TempDir(), "program-v1")
	writeSource(t, program, "not a program")
	script := filepath.Join(root, "hack", "tools", "tool.sh")
	writeSource(t, script,
		"#!/bin/sh\n[ \"$*\" = prometheus ] || [ \"$*\" = \"kueue manager\" ] || exit 2\necho '"+program+"'\n")
	if err := os.Chmod(script, 0o700); err != nil {
		t.Fatal(err)
	}
	workspace := Workspace{cache: cache.Root(t.TempDir()), root: root}
	for name, want := range map[string]struct{ tarball, entry string }{
		"prometheus":    {tarball: "prometheus-pinned.tar", entry: "/bin/prometheus"},
		"kueue/manager": {tarball: "kueue-manager-pinned.tar", entry: "/bin/manager"},
	} {
		archive, err := workspace.Build(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if got := filepath.Base(archive.File); got != want.tarball {
			t.Errorf("the tarball is %s, and hack/make/with-cluster.sh looks for %s", got, want.tarball)
		}
		want := v1.Config{User: nonRoot, Entrypoint: []string{want.entry}, Env: []string{searchPath}, WorkingDir: "/"}
		if diff := cmp.Diff(want, configIn(t, archive.File)); diff != "" {
			t.Errorf("configuration (-want +got):\n%s", diff)
		}
	}
}
