package teardown

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mongobench/mongobench-operator/hack/cluster/internal/machine"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/plan"
)

func TestMembersAreFoundByMarkByNamespaceAndByCgroup(t *testing.T) {
	self := os.Getpid()
	processes := []machine.Process{
		{PID: 1, NetworkNamespace: "net:[1]"},
		{PID: 10, Parent: 1, NetworkNamespace: "net:[1]"},
		{PID: 11, Parent: 1, NetworkNamespace: "net:[1]", Marker: "/state"},
		{PID: 12, Parent: 1, NetworkNamespace: "net:[1]", Marker: "/other"},
		{PID: 13, Parent: 1, NetworkNamespace: "net:[7]"},
		{PID: 14, Parent: 1, NetworkNamespace: "net:[8]"},
		{PID: 15, Parent: 1, Marker: "/state", Zombie: true},
		// Down may be called from inside, by `cluster exec`.
		{PID: self, Parent: 16, NetworkNamespace: "net:[7]"},
		{PID: 16, Parent: 1, NetworkNamespace: "net:[7]"},
	}
	got := selectMembers(processes, []int{14}, map[string]bool{"net:[7]": true}, "/state")
	if diff := cmp.Diff([]int{11, 13, 14}, got); diff != "" {
		t.Errorf("members differ (-want +got):\n%s", diff)
	}
}

func TestNamespaceOfTheHostIsNeverACluster(t *testing.T) {
	state := t.TempDir()
	own, err := machine.ReadProcess(os.Getpid())
	if err != nil {
		t.Fatalf("reading own process: %v", err)
	}
	folder := filepath.Join(state, "machines", "node1")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatalf("making folder: %v", err)
	}
	record := `{"name":"node1","pid":1,"networkNamespace":"` + own.NetworkNamespace + `"}`
	if err := os.WriteFile(filepath.Join(folder, "machine.json"), []byte(record), 0o600); err != nil {
		t.Fatalf("writing record: %v", err)
	}
	if got := recordedNamespaces(state, nil); len(got) > 0 {
		t.Errorf("namespaces = %v, want none: every process of the host is in it", got)
	}
}

func TestMountsBelowTheStateFolderAreFoundAndNoOthers(t *testing.T) {
	table := strings.Join([]string{
		`1 0 8:1 / / rw - ext4 /dev/sda rw`,
		`2 1 0:5 / /state/a rw - tmpfs none rw`,
		`3 1 0:6 / /state/with\040space rw - tmpfs none rw`,
		`4 1 0:7 / /statement rw - tmpfs none rw`,
		`5 1 0:8 / /state rw - tmpfs none rw`,
		`garbage`,
	}, "\n")
	want := []string{"/state/a", "/state/with space", "/state"}
	if diff := cmp.Diff(want, mountsBelow(table, "/state")); diff != "" {
		t.Errorf("mounts differ (-want +got):\n%s", diff)
	}
}

func TestForeignFolderIsNotRemoved(t *testing.T) {
	folder := t.TempDir()
	precious := filepath.Join(folder, "precious")
	if err := os.WriteFile(precious, nil, 0o600); err != nil {
		t.Fatalf("writing file: %v", err)
	}
	if err := removeState(folder); err == nil || !strings.Contains(err.Error(), "MONGOBENCH_STATE") {
		t.Errorf("error = %v, want a refusal that names MONGOBENCH_STATE", err)
	}
	if _, err := os.Stat(precious); err != nil {
		t.Errorf("the file is gone: %v", err)
	}
}

func TestStateIsRemovedWheneverUpWasKilled(t *testing.T) {
	cases := map[string][]string{
		"before its first file": nil,
		"in its first file":     {"cluster.json.new"},
		"later":                 {"cluster.json", "pki/ca.key", "machines/node1/machine.json"},
	}
	for name, files := range cases {
		t.Run(name, func(t *testing.T) {
			state := filepath.Join(t.TempDir(), "state")
			writeAll(t, state, files)
			if err := removeState(state); err != nil {
				t.Fatalf("removeState: %v", err)
			}
			if _, err := os.Stat(plan.Marker(state)); !os.IsNotExist(err) {
				t.Errorf("state is still there: %v", err)
			}
		})
	}
}

// writeAll makes the folder with empty files in it.
func writeAll(t *testing.T, folder string, files []string) {
	t.Helper()
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatalf("making folder: %v", err)
	}
	for _, file := range files {
		path := filepath.Join(folder, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatalf("making folder: %v", err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatalf("writing file: %v", err)
		}
	}
}
