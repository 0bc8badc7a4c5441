package component

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"text/template"
	"time"

	"github.com/mongobench/mongobench-operator/hack/cluster/internal/machine"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/pki"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/plan"
)

// Where etcd listens, inside the control plane's network namespace, where no pod gets to.
const (
	etcdClients = "https://127.0.0.1:2379"
	etcdPeers   = "http://127.0.0.1:2380"
)

// Etcd runs without syncing to disk: the cluster's state is worth nothing after a power cut, and benchmarks on the
// same disk are worth more undisturbed.
func Etcd(c plan.Cluster, binaries string) machine.Command {
	return machine.Command{Name: "etcd", Args: []string{
		filepath.Join(binaries, "etcd"),
		"--name=mongobench",
		"--data-dir=" + c.EtcdData(),
		"--unsafe-no-fsync",
		"--listen-client-urls=" + etcdClients,
		"--advertise-client-urls=" + etcdClients,
		"--listen-peer-urls=" + etcdPeers,
		"--initial-advertise-peer-urls=" + etcdPeers,
		"--initial-cluster=mongobench=" + etcdPeers,
		"--client-cert-auth",
		"--trusted-ca-file=" + c.Key(pki.EtcdAuthority+".crt"),
		"--cert-file=" + c.Key("etcd.crt"),
		"--key-file=" + c.Key("etcd.key"),
	}}
}

// APIServer authorises by the Node authorizer and RBAC only, and takes no anonymous request.
func APIServer(c plan.Cluster, binaries string) machine.Command {
	return machine.Command{Name: "kube-apiserver", Args: []string{
		filepath.Join(binaries, "kube-apiserver"),
		"--advertise-address=" + plan.ControlPlaneAddress,
		"--bind-address=0.0.0.0",
		"--secure-port=" + strconv.Itoa(c.Port),
		"--anonymous-auth=false",
		"--authorization-mode=Node,RBAC",
		"--enable-admission-plugins=NodeRestriction",
		"--allow-privileged=true",
		"--profiling=false",
		"--service-cluster-ip-range=" + plan.ServiceRange,
		// There is no proxy in the control plane, so webhooks are called at their pods and not at their service.
		"--enable-aggregator-routing=true",
		"--client-ca-file=" + c.Key(pki.ClusterAuthority+".crt"),
		"--tls-cert-file=" + c.Key("kube-apiserver.crt"),
		"--tls-private-key-file=" + c.Key("kube-apiserver.key"),
		"--etcd-servers=" + etcdClients,
		"--etcd-cafile=" + c.Key(pki.EtcdAuthority+".crt"),
		"--etcd-certfile=" + c.Key("kube-apiserver-etcd.crt"),
		"--etcd-keyfile=" + c.Key("kube-apiserver-etcd.key"),
		"--kubelet-certificate-authority=" + c.Key(pki.ClusterAuthority+".crt"),
		"--kubelet-client-certificate=" + c.Key("kube-apiserver-kubelet.crt"),
		"--kubelet-client-key=" + c.Key("kube-apiserver-kubelet.key"),
		// The nodes' names are in no DNS.
		"--kubelet-preferred-address-types=InternalIP",
		"--service-account-issuer=https://kubernetes.default.svc." + plan.Domain,
		"--service-account-key-file=" + c.Key(pki.ServiceAccountKey+".pub"),
		"--service-account-signing-key-file=" + c.Key(pki.ServiceAccountKey+".key"),
		"--requestheader-client-ca-file=" + c.Key(pki.FrontProxyAuthority+".crt"),
		"--requestheader-allowed-names=front-proxy",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--requestheader-group-headers=X-Remote-Group",
		"--requestheader-username-headers=X-Remote-User",
		"--proxy-client-cert-file=" + c.Key("front-proxy.crt"),
		"--proxy-client-key-file=" + c.Key("front-proxy.key"),
	}}
}

// ControllerManager gives no pod ranges to nodes: the plan has given them already.
func ControllerManager(c plan.Cluster, binaries string) machine.Command {
	return controller(c, binaries, "kube-controller-manager",
		"--use-service-account-credentials=true",
		"--service-account-private-key-file="+c.Key(pki.ServiceAccountKey+".key"),
		"--root-ca-file="+c.Key(pki.ClusterAuthority+".crt"),
		"--cluster-signing-cert-file="+c.Key(pki.ClusterAuthority+".crt"),
		"--cluster-signing-key-file="+c.Key(pki.ClusterAuthority+".key"),
		// Its controllers fetch a token each when they start; at the default rate that takes five seconds.
		"--kube-api-qps=100",
		"--kube-api-burst=200",
		"--allocate-node-cidrs=false",
		// It would make this folder at a place of the host's.
		"--flex-volume-plugin-dir="+filepath.Join(c.Machine(plan.ControlPlane), "volumeplugins"))
}

// Scheduler is the default scheduler.
func Scheduler(c plan.Cluster, binaries string) machine.Command {
	return controller(c, binaries, "kube-scheduler")
}

// controller is a component that works through the API server alone. There is one of each, so nothing to elect.
func controller(c plan.Cluster, binaries, name string, more ...string) machine.Command {
	kubeconfig := c.Kubeconfig(name)
	return machine.Command{Name: name, Args: slices.Concat([]string{
		filepath.Join(binaries, name),
		"--bind-address=127.0.0.1",
		"--kubeconfig=" + kubeconfig,
		"--authentication-kubeconfig=" + kubeconfig,
		"--authorization-kubeconfig=" + kubeconfig,
		"--tls-cert-file=" + c.Key(name+".crt"),
		"--tls-private-key-file=" + c.Key(name+".key"),
	}, more, []string{"--leader-elect=false", "--profiling=false"})}
}

// Provisioner serves the default StorageClass.
func Provisioner(c plan.Cluster, binaries string) machine.Command {
	return machine.Command{Name: "provisioner", Args: []string{
		filepath.Join(binaries, "provisioner"), "--kubeconfig=" + c.Kubeconfig("provisioner"), "--root=" + c.Volumes(),
	}}
}

// Forwarder accepts on the host's 127.0.0.1, by a socket that `up` opened there, and connects inside.
func Forwarder(c plan.Cluster) machine.Command {
	return machine.Command{
		Name:    "forwarder",
		Args:    []string{c.Program(), "forward", "127.0.0.1:" + strconv.Itoa(c.Port)},
		Inherit: true,
	}
}

// Forward accepts connections on the inherited socket (descriptor 3) and joins each to the one address in its
// arguments, until it is ended.
func Forward(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return errors.New("forward: only `cluster up` starts the forwarder")
	}
	listener, err := net.FileListener(os.NewFile(3, "listener"))
	if err != nil {
		return fmt.Errorf("taking over the listening socket: %w", err)
	}
	for {
		outer, err := listener.Accept()
		if err != nil {
			return fmt.Errorf("accepting: %w", err)
		}
		go join(ctx, outer, args[0])
	}
}

// join copies both ways until both sides have ended.
func join(ctx context.Context, outer net.Conn, address string) {
	defer func() { _ = outer.Close() }()
	dialer := net.Dialer{Timeout: 5 * time.Second}
	inner, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		fmt.Fprintf(os.Stderr, "connecting to %s: %v\n", address, err)
		return
	}
	defer func() { _ = inner.Close() }()
	done := make(chan struct{})
	go func() {
		copyOneWay(inner, outer)
		close(done)
	}()
	copyOneWay(outer, inner)
	<-done
}

// copyOneWay passes the end of the stream on, too: a half-closed connection stays one.
func copyOneWay(to, from net.Conn) {
	_, _ = io.Copy(to, from)
	if half, ok := to.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
}

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
	ProxyKubeconfig, ResolvConf, CNIConfig, Registries     string
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
		Registries:      c.Registries(n),
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
