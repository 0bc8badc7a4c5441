//go:build e2e

package kuberouter

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
	"github.com/mongobench/mongobench-operator/hack/e2e/neighbours/part"
)

const (
	module    = "github.com/cloudnativelabs/kube-router"
	account   = "kube-router"
	namespace = "kube-system"
	// startTime is how long an agent may take to have its rules in the kernel.
	startTime = 3 * time.Minute
)

// enforce runs the network policy agent on every node, for as long as the test lasts. With the test goes the agent, but
// not its rules, which the next agent takes over; a cluster without one, that is kept, has them for the last pods.
func enforce(t *testing.T) {
	t.Helper()
	if os.Getenv("CLUSTER") != "local" {
		t.Skip("needs local: a cluster made by hack/cluster, whose nodes are namespaces of this machine")
	}
	source := part.Source(t, "kuberouter", module)
	manifest := filepath.Join(source, "daemonset", "generic-kuberouter.yaml")
	part.User(t, cluster, namespace).Apply(t, accessRules(t, manifest))
	program, path := part.Program(t, "kuberouter", ""), netfilter(t)
	kubeconfig := accountOnNodes(t)

	nodes := &corev1.NodeList{}
	if err := cluster.List(t.Context(), nodes); err != nil {
		t.Fatal(err)
	}
	for i := range nodes.Items {
		name := nodes.Items[i].Name
		command := part.Command(t, clusterProgram(), "exec", "--node", name, "--",
			program, "--run-firewall=true", "--run-router=false", "--run-service-proxy=false", "--kubeconfig="+kubeconfig,
			"--hostname-override="+name, "--service-cluster-ip-range=198.19.0.0/16", "--v=1")
		command.Env = append(os.Environ(), path...)
		awaitRules(t, part.Start(t, command), name, path)
	}
}

// clusterProgram is the copy of the program that made the cluster.
func clusterProgram() string {
	return filepath.Join(filepath.Dir(filepath.Dir(os.Getenv("KUBECONFIG"))), "bin", "cluster")
}

// accessRules are the parts of kube-router's own manifest that are about what it may do.
func accessRules(t *testing.T, path string) string {
	t.Helper()
	manifest, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var rules []string
	for object := range strings.SplitSeq(string(manifest), "\n---\n") {
		isAccount := strings.Contains(object, "kind: ServiceAccount\nmetadata:")
		if isAccount || strings.Contains(object, "rbac.authorization.k8s.io/v1") {
			rules = append(rules, object)
		}
	}
	return strings.Join(rules, "\n---\n")
}

// netfilter is the environment in which the programs are found that change the rules of the kernel.
func netfilter(t *testing.T) []string {
	t.Helper()
	packages := part.Packages(t, "iptables", "ipset")
	for _, name := range []string{"iptables", "iptables-save", "iptables-restore"} {
		// Which of its two programs is meant by the name an installation would say.
		starter := strings.Replace(name, "iptables", "iptables-nft", 1)
		if err := os.Symlink(starter, filepath.Join(packages, "bin", name)); err != nil && !errors.Is(err, fs.ErrExist) {
			t.Fatal(err)
		}
	}
	extensions, err := filepath.Glob(filepath.Join(packages, "root/usr/lib/*/xtables"))
	if err != nil || len(extensions) != 1 {
		t.Fatalf("there are %d folders of extensions of iptables: %v", len(extensions), err)
	}
	return []string{
		"PATH=" + filepath.Join(packages, "bin") + ":" + os.Getenv("PATH"),
		"XTABLES_LIBDIR=" + extensions[0],
	}
}

// accountOnNodes is the kubeconfig of the agent's account, for where the nodes reach the API server.
func accountOnNodes(t *testing.T) string {
	t.Helper()
	slices := &discoveryv1.EndpointSliceList{}
	err := cluster.List(t.Context(), slices, client.InNamespace("default"),
		client.MatchingLabels{discoveryv1.LabelServiceName: "kubernetes"})
	if err != nil || len(slices.Items) != 1 {
		t.Fatalf("the service of the API server has %d slices of endpoints: %v", len(slices.Items), err)
	}
	slice := slices.Items[0]
	there := &harness.Cluster{Config: rest.CopyConfig(cluster.Config), Typed: cluster.Typed}
	port := strconv.Itoa(int(*slice.Ports[0].Port))
	there.Config.Host = "https://" + net.JoinHostPort(slice.Endpoints[0].Addresses[0], port)
	// The node sees no temporary folder of this machine.
	content, err := os.ReadFile(part.Account(t, there, namespace, account))
	path := filepath.Join(filepath.Dir(os.Getenv("KUBECONFIG")), account+".conf")
	if err == nil {
		err = os.WriteFile(path, content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Remove(path) })
	return path
}

// awaitRules waits until an agent has asked the kernel of its node for what it enforces.
func awaitRules(t *testing.T, agent *part.Process, node string, environment []string) {
	t.Helper()
	err := harness.Poll(t.Context(), startTime, func(ctx context.Context) (bool, string, error) {
		if err := agent.Err(); err != nil {
			t.Fatal(err)
		}
		command := exec.CommandContext(ctx, clusterProgram(), "exec", "--node", node, "--", "bash", "-c",
			"iptables-save -t filter")
		command.Env = append(os.Environ(), environment...)
		rules, err := command.CombinedOutput()
		return strings.Contains(string(rules), "KUBE-POD-FW-"), fmt.Sprintf("%v\n%s", err, rules), nil
	})
	if err != nil {
		t.Fatalf("waiting for the rules of %s: %v", node, err)
	}
}
