package up

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mongobench/mongobench-operator/hack/cluster/internal/plan"
)

func TestEveryNodePullsFromTheMirror(t *testing.T) {
	c := plan.Cluster{State: t.TempDir(), NodeCount: 2}
	if err := Mirror(c, "docker.io", "http://198.18.0.1:5000"); err != nil {
		t.Fatal(err)
	}
	for _, node := range c.Nodes() {
		content, err := os.ReadFile(filepath.Join(c.Registries(node), "docker.io", "hosts.toml"))
		if err != nil || !strings.Contains(string(content), `[host."http://198.18.0.1:5000"]`) {
			t.Errorf("%s has %q (%v)", node.Name(), content, err)
		}
	}
}

func TestAMirrorNeedsAHostAndAServer(t *testing.T) {
	c := plan.Cluster{State: t.TempDir(), NodeCount: 1}
	for _, wrong := range [][2]string{
		{"../docker.io", "http://a:1"}, {"", "http://a:1"}, {"docker.io", "a:1"}, {"docker.io", "ftp://a"}, {"docker.io", ""},
	} {
		if err := Mirror(c, wrong[0], wrong[1]); err == nil {
			t.Errorf("%q: no error", wrong)
		}
	}
}
