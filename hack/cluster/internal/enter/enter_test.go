package enter

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mongobench/mongobench-operator/hack/cluster/internal/plan"
)

func TestProgramsTalkToThisClusterWhateverTheCallerUses(t *testing.T) {
	callers := []string{"HOME=/root", "KUBECONFIG=/somewhere/production", "PATH=/bin"}
	want := []string{"KUBECONFIG=/state/kubeconfig/admin.conf", "HOME=/root", "PATH=/cache/bin:/bin"}
	got := Environment(plan.Cluster{State: "/state"}, "/cache/bin", callers)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("environment differs (-want +got):\n%s", diff)
	}
}

func TestProgramIsLookedUpOnThePathItIsGiven(t *testing.T) {
	folder := t.TempDir()
	program := filepath.Join(folder, "tool")
	if err := os.WriteFile(program, nil, 0o700); err != nil {
		t.Fatalf("writing program: %v", err)
	}
	got, err := lookUp("tool", []string{"PATH=/nowhere:" + folder})
	if err != nil || got != program {
		t.Errorf("lookUp = %q, %v, want %q", got, err, program)
	}
	if _, err := lookUp("tool", []string{"PATH=/nowhere"}); err == nil {
		t.Error("a program that is not on the PATH was found")
	}
}
