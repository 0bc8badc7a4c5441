package fleet_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/mongobench/mongobench-operator/hack/perf/fleet"
)

const repository = "../../.."

// assets is the folder with etcd and kube-apiserver: what `make test` says, or its cache.
func assets() string {
	if folder := os.Getenv("KUBEBUILDER_ASSETS"); folder != "" {
		return folder
	}
	home, _ := os.UserHomeDir()
	return filepath.Join(home, ".cache", "mongobench", "kubernetes", "v1.36.3", "bin")
}

func TestFleetComesToItsEndAndNothingIsWrittenAfterwards(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	program := filepath.Join(folder, "manager")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./cmd/manager")
	build.Dir = repository
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the manager: %v: %s", err, output)
	}
	const runs = 5
	seen, err := fleet.Measure(t.Context(), fleet.Options{
		Runs: runs, Manager: program, Assets: assets(), Definitions: filepath.Join(repository, "config", "crd"),
		Folder: folder, Idle: time.Second, Log: t.Output(),
	})
	if err != nil {
		t.Fatal(err)
	}
	checkWrites(t, seen)
	objects, _ := seen.Writes.Count()
	if seen.Reconciles.Total() < runs || seen.Requests < objects || seen.CPU <= 0 || seen.AtOnce < 1 {
		t.Errorf("%v reconciles, %d requests, CPU %s, %d Jobs at once", seen.Reconciles.Total(), seen.Requests, seen.CPU,
			seen.AtOnce)
	}
	if seen.End < 1<<20 || seen.Peak < seen.End {
		t.Errorf("%d bytes of memory in the end, and %d at most", seen.End, seen.Peak)
	}
}

func checkWrites(t *testing.T, seen fleet.Seen) {
	t.Helper()
	objects, events := seen.Writes.Count()
	// A run has a plan, a gate, a pod's ConfigMap, a ServiceAccount, a Role, a RoleBinding, a Job and a report.
	if objects < 8*seen.Runs || events == 0 {
		t.Errorf("%d writes and %d events of %d runs: %v", objects, events, seen.Runs, seen.Writes)
	}
	// One that the cache does not have yet is created again, which the API server refuses.
	job := fleet.Write{Verb: "create", Resource: "jobs"}
	if got := seen.Writes[job] - seen.Refused[job]; got != seen.Runs {
		t.Errorf("%d Jobs were made, want %d: %v, refused %v", got, seen.Runs, seen.Writes, seen.Refused)
	}
	for when, writes := range map[string]fleet.Writes{"while idle": seen.Idle, "by another manager": seen.Restart} {
		if len(writes) > 0 {
			t.Errorf("written %s: %v", when, writes)
		}
	}
}
