package controlplane

import (
	"path/filepath"
	"strconv"

	"github.com/mongobench/mongobench-operator/hack/cluster/internal/machine"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/pki"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/plan"
)

// Binaries is the folder that holds the components.
type Binaries string

func (b Binaries) path(name string) string { return filepath.Join(string(b), name) }

// Where etcd listens, inside the control plane's network namespace, where no pod gets to.
const (
	etcdClients = "https://127.0.0.1:2379"
	etcdPeers   = "http://127.0.0.1:2380"
)

// Etcd runs without syncing to disk: the cluster's state is worth nothing after a power cut, and benchmarks on the
// same disk are worth more undisturbed.
func Etcd(b Binaries, c plan.Cluster) machine.Command {
	key := keyFiles(c)
	return machine.Command{Name: "etcd", Args: []string{
		b.path("etcd"),
		"--name=mongobench",
		"--data-dir=" + c.EtcdData(),
		"--unsafe-no-fsync",
		"--listen-client-urls=" + etcdClients,
		"--advertise-client-urls=" + etcdClients,
		"--listen-peer-urls=" + etcdPeers,
		"--initial-advertise-peer-urls=" + etcdPeers,
		"--initial-cluster=mongobench=" + etcdPeers,
		"--client-cert-auth",
		"--trusted-ca-file=" + key(pki.EtcdAuthority+".crt"),
		"--cert-file=" + key("etcd.crt"),
		"--key-file=" + key("etcd.key"),
	}}
}

// APIServer authorises by the Node authorizer and RBAC only, and takes no anonymous request.
func APIServer(b Binaries, c plan.Cluster) machine.Command {
	key := keyFiles(c)
	return machine.Command{Name: "kube-apiserver", Args: []string{
		b.path("kube-apiserver"),
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
		"--client-ca-file=" + key(pki.ClusterAuthority+".crt"),
		"--tls-cert-file=" + key("kube-apiserver.crt"),
		"--tls-private-key-file=" + key("kube-apiserver.key"),
		"--etcd-servers=" + etcdClients,
		"--etcd-cafile=" + key(pki.EtcdAuthority+".crt"),
		"--etcd-certfile=" + key("kube-apiserver-etcd.crt"),
		"--etcd-keyfile=" + key("kube-apiserver-etcd.key"),
		"--kubelet-certificate-authority=" + key(pki.ClusterAuthority+".crt"),
		"--kubelet-client-certificate=" + key("kube-apiserver-kubelet.crt"),
		"--kubelet-client-key=" + key("kube-apiserver-kubelet.key"),
		// Nobody resolves the nodes' names.
		"--kubelet-preferred-address-types=InternalIP",
		"--service-account-issuer=https://kubernetes.default.svc." + plan.Domain,
		"--service-account-key-file=" + key(pki.ServiceAccountKey+".pub"),
		"--service-account-signing-key-file=" + key(pki.ServiceAccountKey+".key"),
		"--requestheader-client-ca-file=" + key(pki.FrontProxyAuthority+".crt"),
		"--requestheader-allowed-names=front-proxy",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--requestheader-group-headers=X-Remote-Group",
		"--requestheader-username-headers=X-Remote-User",
		"--proxy-client-cert-file=" + key("front-proxy.crt"),
		"--proxy-client-key-file=" + key("front-proxy.key"),
	}}
}

// ControllerManager gives no pod ranges to nodes: the plan has given them already.
func ControllerManager(b Binaries, c plan.Cluster) machine.Command {
	key := keyFiles(c)
	kubeconfig := c.Kubeconfig("kube-controller-manager")
	return machine.Command{Name: "kube-controller-manager", Args: []string{
		b.path("kube-controller-manager"),
		"--bind-address=127.0.0.1",
		"--kubeconfig=" + kubeconfig,
		"--authentication-kubeconfig=" + kubeconfig,
		"--authorization-kubeconfig=" + kubeconfig,
		"--tls-cert-file=" + key("kube-controller-manager.crt"),
		"--tls-private-key-file=" + key("kube-controller-manager.key"),
		"--use-service-account-credentials=true",
		"--service-account-private-key-file=" + key(pki.ServiceAccountKey+".key"),
		"--root-ca-file=" + key(pki.ClusterAuthority+".crt"),
		"--cluster-signing-cert-file=" + key(pki.ClusterAuthority+".crt"),
		"--cluster-signing-key-file=" + key(pki.ClusterAuthority+".key"),
		// Its controllers fetch a token each when they start; at the default rate that takes five seconds.
		"--kube-api-qps=100",
		"--kube-api-burst=200",
		"--allocate-node-cidrs=false",
		// It would make this folder at a place of the host's.
		"--flex-volume-plugin-dir=" + filepath.Join(c.Machine(plan.ControlPlane), "volumeplugins"),
		"--leader-elect=false",
		"--profiling=false",
	}}
}

// Scheduler is the default scheduler.
func Scheduler(b Binaries, c plan.Cluster) machine.Command {
	key := keyFiles(c)
	kubeconfig := c.Kubeconfig("kube-scheduler")
	return machine.Command{Name: "kube-scheduler", Args: []string{
		b.path("kube-scheduler"),
		"--bind-address=127.0.0.1",
		"--kubeconfig=" + kubeconfig,
		"--authentication-kubeconfig=" + kubeconfig,
		"--authorization-kubeconfig=" + kubeconfig,
		"--tls-cert-file=" + key("kube-scheduler.crt"),
		"--tls-private-key-file=" + key("kube-scheduler.key"),
		"--leader-elect=false",
		"--profiling=false",
	}}
}

// Provisioner serves the default StorageClass.
func Provisioner(b Binaries, c plan.Cluster) machine.Command {
	return machine.Command{Name: "provisioner", Args: []string{
		b.path("provisioner"), "--kubeconfig=" + c.Kubeconfig("provisioner"), "--root=" + c.Volumes(),
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

// keyFiles answers with a function from the name of a key or certificate to its path.
func keyFiles(c plan.Cluster) func(file string) string {
	return func(file string) string { return filepath.Join(c.PKI(), file) }
}
