package recipe

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/mongobench/mongobench-operator/hack/images/internal/cache"
)

// TestProgramsOfTheWorkingTreeBecomeImages builds a repository of two empty programs.
func TestProgramsOfTheWorkingTreeBecomeImages(t *testing.T) {
	if _, err := os.Stat(certificates); err != nil {
		t.Skipf("this machine has no authorities to put into an image: %v", err)
	}
	root := t.TempDir()
	writeSource(t, filepath.Join(root, "go.mod"), "module "+operatorModule+"\n\ngo 1.26\n")
	for _, name := range []string{"manager", "loadgen"} {
		writeSource(t, filepath.Join(root, "cmd", name, "main.go"), "package main\n\nfunc main() {}\n")
	}
	workspace := Workspace{cache: cache.Root(t.TempDir()), root: root}
	for name, entrypoint := range map[string]string{"operator": "/manager", "loadgen": "/loadgen"} {
		t.Run(name, func(t *testing.T) {
			archive, err := workspace.Build(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			made, err := tarball.ImageFromPath(archive.File, nil)
			if err != nil {
				t.Fatal(err)
			}
			config, err := made.ConfigFile()
			if err != nil {
				t.Fatal(err)
			}
			type started struct {
				User       string
				Entrypoint []string
				Env        []string
			}
			got := started{config.Config.User, config.Config.Entrypoint, config.Config.Env}
			want := started{nonRoot, []string{entrypoint}, []string{searchPath}}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("configuration (-want +got):\n%s", diff)
			}
			if again, err := workspace.Build(t.Context(), name); err != nil || !again.Unchanged || again.ID != archive.ID {
				t.Errorf("a second build gave %+v (%v), want the first one unchanged: %+v", again, err, archive)
			}
		})
	}
}

func writeSource(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
