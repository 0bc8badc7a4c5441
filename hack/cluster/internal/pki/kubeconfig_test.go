package pki_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/mongobench/mongobench-operator/hack/cluster/internal/pki"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/plan"
)

// parsed is what the test looks at in a kubeconfig.
type parsed struct {
	Clusters []struct {
		Cluster struct {
			Server    string `json:"server"`
			Authority []byte `json:"certificate-authority-data"`
		} `json:"cluster"`
	} `json:"clusters"`
	CurrentContext string `json:"current-context"`
}

func TestEachUserReachesTheAPIServerItsOwnWay(t *testing.T) {
	c := plan.Cluster{State: t.TempDir(), NodeCount: 1, Port: 16443}
	if err := pki.Write(c); err != nil {
		t.Fatalf("writing keys: %v", err)
	}
	authority, err := os.ReadFile(filepath.Join(c.PKI(), "ca.crt"))
	if err != nil {
		t.Fatalf("reading authority: %v", err)
	}
	for user, server := range map[string]string{
		"admin":            "https://127.0.0.1:16443",
		"kube-scheduler":   "https://127.0.0.1:16443",
		"kubelet-node1":    "https://198.18.0.1:16443",
		"kube-proxy-node1": "https://198.18.0.1:16443",
	} {
		content, err := os.ReadFile(c.Kubeconfig(user))
		if err != nil {
			t.Fatalf("reading kubeconfig: %v", err)
		}
		var got parsed
		if err := json.Unmarshal(content, &got); err != nil {
			t.Fatalf("parsing kubeconfig of %s: %v", user, err)
		}
		cluster := got.Clusters[0].Cluster
		if cluster.Server != server || string(cluster.Authority) != string(authority) || got.CurrentContext == "" {
			t.Errorf("kubeconfig of %s names server %s in context %q, want %s, and the cluster's authority",
				user, cluster.Server, got.CurrentContext, server)
		}
	}
}
