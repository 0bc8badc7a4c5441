package part

import (
	"net/http/cgi" //nolint:gosec // What it was vulnerable to is mended since Go 1.6.3.
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Git is a repository that this machine serves by HTTP, on loopback, for as long as the test lasts.
type Git struct {
	// URL is where it is cloned from.
	URL string

	tree string
}

// branch is the one branch of a repository.
const branch = "main"

// NewGit makes an empty repository.
func NewGit(t *testing.T) *Git {
	t.Helper()
	root := t.TempDir()
	g := &Git{tree: filepath.Join(root, "tree")}
	bare := filepath.Join(root, "served", "benchmarks.git")
	g.git(t, root, "init", "--quiet", "--bare", "--initial-branch="+branch, bare)
	g.git(t, root, "init", "--quiet", "--initial-branch="+branch, g.tree)
	g.git(t, g.tree, "remote", "add", "origin", bare)
	programs := strings.TrimSpace(g.git(t, root, "--exec-path"))
	server := httptest.NewServer(&cgi.Handler{
		Path: filepath.Join(programs, "git-http-backend"),
		Env:  []string{"GIT_PROJECT_ROOT=" + filepath.Dir(bare), "GIT_HTTP_EXPORT_ALL=1"},
	})
	t.Cleanup(server.Close)
	g.URL = server.URL + "/benchmarks.git"
	return g
}

// Commit has the repository hold these files and no others, by their paths, and returns the commit.
func (g *Git) Commit(t *testing.T, message string, files map[string]string) string {
	t.Helper()
	g.git(t, g.tree, "rm", "-r", "--quiet", "--ignore-unmatch", ".")
	for path, content := range files {
		path = filepath.Join(g.tree, path)
		err := os.MkdirAll(filepath.Dir(path), 0o750)
		if err == nil {
			err = os.WriteFile(path, []byte(content), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	g.git(t, g.tree, "add", "--all")
	g.git(t, g.tree, "-c", "user.name=test", "-c", "user.email=test@example.org", "commit", "--quiet",
		"--message", message)
	g.git(t, g.tree, "push", "--quiet", "origin", branch)
	return strings.TrimSpace(g.git(t, g.tree, "rev-parse", "HEAD"))
}

func (g *Git) git(t *testing.T, folder string, arguments ...string) string {
	t.Helper()
	return output(t, folder, Need(t, "git", "git"), arguments...)
}
