package harness

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestProcessesAndNetworksOfPodsAreFound(t *testing.T) {
	folder := t.TempDir()
	write := func(path, content string) {
		t.Helper()
		path = filepath.Join(folder, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const uid = "0a1b2c3d-0000-1111-2222-333344445555"
	write("10/comm", "mongod\n")
	write("10/cgroup", "5:memory:/mongobench/kubepods/burstable/pod"+uid+"/0123\n0::/\n")
	write("11/comm", "loadgen\n")
	write("11/cgroup", "0::/kubepods.slice/kubepods-pod0a1b2c3d_0000_1111_2222_333344445556.slice/cri-0123.scope\n")
	write("12/comm", "containerd\n")
	write("12/cgroup", "0::/\n")
	write("12/root/run/netns/cni-1", "")
	write("12/root/run/netns/other", "")
	write("self/comm", "test\n")
	want := map[string]string{"10 mongod": uid, "11 loadgen": "0a1b2c3d-0000-1111-2222-333344445556"}
	if difference := cmp.Diff(want, podProcesses(folder)); difference != "" {
		t.Error(difference)
	}
	if got := podNetworks(folder); got != 1 {
		t.Errorf("%d network namespaces were found, want 1", got)
	}
}
