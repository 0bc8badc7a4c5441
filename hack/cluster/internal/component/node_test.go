package component_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mongobench/mongobench-operator/hack/cluster/internal/component"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/plan"
)

var (
	cluster = plan.Cluster{State: "/state", NodeCount: 2, Port: 16443}
	second  = plan.Node{Index: 2}
	facts   = component.Facts{
		Kubernetes: "/cache/kubernetes", Containerd: "/cache/bin/containerd", CNIPlugins: "/cache/cni",
		PauseImage: "mongobench.local/pause:dev", RestrictOOMScore: true,
	}
)

func TestConfigurationOfANodeIsAsPinned(t *testing.T) {
	files, err := component.Render(cluster, second, facts)
	if err != nil {
		t.Fatalf("Render: %v", err)
	}
	for name, got := range files {
		golden := filepath.Join("testdata", filepath.Base(name))
		if *update {
			if err := os.WriteFile(golden, got, 0o600); err != nil {
				t.Fatalf("writing golden file: %v", err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatalf("reading golden file: %v; write it with -update", err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s differs (-want +got):\n%s", name, diff)
		}
	}
}

func TestKubeletNeverServesAnonymousRequests(t *testing.T) {
	files, err := component.Render(cluster, second, facts)
	if err != nil {
		t.Fatalf("Render: %v", err)
	}
	for _, want := range []string{"anonymous:\n    enabled: false", "mode: Webhook", "readOnlyPort: 0"} {
		if !strings.Contains(string(files["kubelet.yaml"]), want) {
			t.Errorf("kubelet.yaml lacks %q", want)
		}
	}
}

func TestCommandsOfANodeReadItsOwnFiles(t *testing.T) {
	want := map[string][]string{
		"containerd": {"/cache/bin/containerd", "--config", "/state/machines/node2/etc/containerd.toml"},
		"kubelet": {
			"/cache/kubernetes/kubelet", "--config=/state/machines/node2/etc/kubelet.yaml",
			"--kubeconfig=/state/kubeconfig/kubelet-node2.conf", "--hostname-override=node2",
			"--node-ip=198.18.0.12", "--root-dir=/var/lib/kubelet",
		},
		"kube-proxy": {"/cache/kubernetes/kube-proxy", "--config=/state/machines/node2/etc/kube-proxy.yaml"},
	}
	got := map[string][]string{}
	for _, command := range component.Agents(cluster, second, facts) {
		got[command.Name] = command.Args
	}
	containerd := component.Containerd(cluster, second, facts)
	got[containerd.Name] = containerd.Args
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("commands differ (-want +got):\n%s", diff)
	}
}
