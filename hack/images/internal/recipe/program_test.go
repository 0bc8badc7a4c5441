package recipe

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/mongobench/mongobench-operator/hack/images/internal/cache"
)

// TestProgramsOfTheWorkingTreeBecomeImages builds a repository of two empty programs.
func TestProgramsOfTheWorkingTreeBecomeImages(t *testing.T) {
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
			want := v1.Config{
				User: nonRoot, Entrypoint: []string{entrypoint}, Env: []string{searchPath}, WorkingDir: "/",
			}
			if diff := cmp.Diff(want, configIn(t, archive.File)); diff != "" {
				t.Errorf("configuration (-want +got):\n%s", diff)
			}
			if again, err := workspace.Build(t.Context(), name); err != nil || !again.Unchanged || again.ID != archive.ID {
				t.Errorf("a second build gave %+v (%v), want the first one unchanged: %+v", again, err, archive)
			}
		})
	}
}

// configIn reads how a container of the image in a tarball runs. Labels are left out.
func configIn(t *testing.T, file string) v1.Config {
	t.Helper()
	made, err := tarball.ImageFromPath(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	config, err := made.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	config.Config.Labels = nil
	return config.Config
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
