package recipe

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mongobench/mongobench-operator/hack/images/internal/cache"
	"github.com/mongobench/mongobench-operator/hack/images/internal/command"
)

// TestReleaseIsBuiltFromItsCommit has a repository whose working tree is not what was released.
func TestReleaseIsBuiltFromItsCommit(t *testing.T) {
	root := t.TempDir()
	git := func(arguments ...string) string {
		said, err := command.Command{Args: append([]string{"git", "-c", "user.name=a", "-c", "user.email=a@example.com"},
			arguments...), Folder: root}.Output(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(said)
	}
	git("init", "--quiet")
	writeSource(t, filepath.Join(root, "go.mod"), "module "+operatorModule+"\n\ngo 1.26\n")
	manager := filepath.Join(root, "cmd", "manager", "main.go")
	writeSource(t, manager, "package main\n\nfunc main() {}\n")
	writeSource(t, filepath.Join(root, "charts", "mongobench-operator", "Chart.yaml"), "version: 0.1.0\n")
	git("add", ".")
	git("commit", "--quiet", "--message", "release")
	releaseAt(t, git("rev-parse", "HEAD"))
	writeSource(t, manager, "this is no Go")

	workspace := Workspace{cache: cache.Root(t.TempDir()), root: root}
	archive, err := workspace.Build(t.Context(), "operator:0.1.0")
	if err != nil {
		t.Fatal(err)
	}
	if got := filepath.Base(archive.File); got != "operator-0.1.0.tar" {
		t.Errorf("the tarball is %s, and hack/make/with-cluster.sh looks for operator-0.1.0.tar", got)
	}
	chart := filepath.Join(workspace.cache.Release("0.1.0"), "charts", "mongobench-operator", "Chart.yaml")
	if _, err := os.Stat(chart); err != nil {
		t.Errorf("the release's chart is not in the cache: %v", err)
	}
	again, err := workspace.Build(t.Context(), "operator:0.1.0")
	if err != nil || !again.Unchanged {
		t.Errorf("a second build gave %+v (%v), want the first one unchanged", again, err)
	}
}

func TestMissingReleaseSaysHowToFetchIt(t *testing.T) {
	releaseAt(t, strings.Repeat("0", 40))
	workspace := Workspace{cache: cache.Root(t.TempDir()), root: t.TempDir()}
	_, err := workspace.Build(t.Context(), "loadgen:0.1.0")
	if err == nil || !strings.Contains(err.Error(), "git fetch --unshallow") {
		t.Errorf("error is %v", err)
	}
}

// releaseAt has release 0.1.0 be another commit while the test lasts.
func releaseAt(t *testing.T, commit string) {
	t.Helper()
	was := earlier["0.1.0"]
	earlier["0.1.0"] = commit
	t.Cleanup(func() { earlier["0.1.0"] = was })
}
