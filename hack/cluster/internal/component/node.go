package component

import (
	"bytes"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"text/template"

	"github.com/mongobench/mongobench-operator/hack/cluster/internal/machine"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/pki"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/plan"
)

//go:embed templates
var templates embed.FS

// Facts are what a node's configuration depends on besides the plan.
type Facts struct {
	// Kubernetes is the folder of kubelet and kube-proxy.
	Kubernetes string
	// Containerd is the program.
	Containerd string
	// CNIPlugins is the folder of the network plugins.
	CNIPlugins string
	// PauseImage is what every pod's sandbox runs.
	PauseImage string
	// RestrictOOMScore is for a root without CAP_SYS_RESOURCE: asking the kernel for a lower score would fail, and
	// with it every pod.
	RestrictOOMScore bool
}

// values is what the templates see.
type values struct {
	Facts

	Name, Address, PodRange, PodRanges, DNSAddress, Domain string
	Cgroup, Authority, Certificate, Key                    string
	ProxyKubeconfig, ResolvConf, CNIConfig                 string
}

// Cgroup is the cgroup below which the node's pods are.
func Cgroup(c plan.Cluster, n plan.Node) string {
	return plan.CgroupName(c.State) + "/" + n.Name()
}

// Configure writes the node's configuration files.
func Configure(c plan.Cluster, n plan.Node, facts Facts) error {
	files, err := Render(c, n, facts)
	if err != nil {
		return err
	}
	for name, content := range files {
		path := c.Config(n.Name(), name)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			return fmt.Errorf("configuring %s: %w", n.Name(), err)
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return fmt.Errorf("configuring %s: %w", n.Name(), err)
		}
	}
	return nil
}

// Render makes the node's configuration files, by their names below the node's configuration folder.
func Render(c plan.Cluster, n plan.Node, facts Facts) (map[string][]byte, error) {
	parsed, err := template.New("").Option("missingkey=error").ParseFS(templates, "templates/*")
	if err != nil {
		return nil, fmt.Errorf("parsing templates: %w", err)
	}
	name := n.Name()
	v := values{
		Facts: facts,
		Name:  name, Address: n.Address(), PodRange: n.PodRange(), PodRanges: plan.PodRanges,
		DNSAddress: plan.DNSAddress, Domain: plan.Domain,
		Cgroup:          Cgroup(c, n),
		Authority:       c.Key(pki.ClusterAuthority + ".crt"),
		Certificate:     c.Key("kubelet-server-" + name + ".crt"),
		Key:             c.Key("kubelet-server-" + name + ".key"),
		ProxyKubeconfig: c.Kubeconfig("kube-proxy-" + name),
		ResolvConf:      c.Config(name, "resolv.conf"),
		CNIConfig:       c.Config(name, "cni"),
	}
	files := map[string][]byte{
		// Pods with the node's DNS get none: there is nothing outside to be resolved.
		"resolv.conf": []byte("# There is no name server outside the cluster.\n"),
	}
	for file, source := range map[string]string{
		"containerd.toml":            "containerd.toml",
		"cni/10-mongobench.conflist": "cni.conflist",
		"kubelet.yaml":               "kubelet.yaml",
		"kube-proxy.yaml":            "kube-proxy.yaml",
	} {
		var rendered bytes.Buffer
		if err := parsed.ExecuteTemplate(&rendered, source, v); err != nil {
			return nil, fmt.Errorf("rendering %s: %w", file, err)
		}
		files[file] = rendered.Bytes()
	}
	return files, nil
}

// Containerd is the node's container runtime.
func Containerd(c plan.Cluster, n plan.Node, facts Facts) machine.Command {
	return machine.Command{Name: "containerd", Args: []string{
		facts.Containerd, "--config", c.Config(n.Name(), "containerd.toml"),
	}}
}

// Agents are the kubelet, which registers the node itself as far as NodeRestriction lets it, and kube-proxy, which
// makes services reachable from the node and its pods.
func Agents(c plan.Cluster, n plan.Node, facts Facts) []machine.Command {
	return []machine.Command{
		{Name: "kubelet", Args: []string{
			filepath.Join(facts.Kubernetes, "kubelet"),
			"--config=" + c.Config(n.Name(), "kubelet.yaml"),
			"--kubeconfig=" + c.Kubeconfig("kubelet-"+n.Name()),
			"--hostname-override=" + n.Name(),
			"--node-ip=" + n.Address(),
			"--root-dir=/var/lib/kubelet",
		}},
		{Name: "kube-proxy", Args: []string{
			filepath.Join(facts.Kubernetes, "kube-proxy"), "--config=" + c.Config(n.Name(), "kube-proxy.yaml"),
		}},
	}
}
