package pki

import (
	"fmt"
	"os"

	"github.com/mongobench/mongobench-operator/hack/cluster/internal/plan"
)

// The names of the authorities and of the signing key, as files without their ending.
const (
	ClusterAuthority    = "ca"
	EtcdAuthority       = "etcd-ca"
	FrontProxyAuthority = "front-proxy-ca"
	ServiceAccountKey   = "service-account"
)

// Certificate is one line of the table of who holds what.
type Certificate struct {
	// File is the name of the files, without ending.
	File string
	// Authority is who signs.
	Authority string
	Request
}

// Certificates lists every certificate of the cluster. The names and groups of clients are those that Kubernetes'
// own RBAC rules are written for; only the provisioner's and the kubelet client's have rules of ours.
func Certificates(c plan.Cluster) []Certificate {
	table := controlPlaneCertificates()
	for _, node := range c.Nodes() {
		table = append(table, nodeCertificates(node)...)
	}
	return table
}

// controlPlaneCertificates are those of all but the nodes.
func controlPlaneCertificates() []Certificate {
	apiHosts := []string{
		"kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc." + plan.Domain,
		"localhost", "127.0.0.1", plan.ControlPlaneAddress, plan.APIServiceAddress,
	}
	local := []string{"localhost", "127.0.0.1"}
	return []Certificate{
		{"etcd", EtcdAuthority, Request{Name: "etcd", Hosts: local, Client: true}},
		{"kube-apiserver-etcd", EtcdAuthority, client("kube-apiserver")},
		{"front-proxy", FrontProxyAuthority, client("front-proxy")},
		{"kube-apiserver", ClusterAuthority, Request{Name: "kube-apiserver", Hosts: apiHosts}},
		{"kube-apiserver-kubelet", ClusterAuthority, client("kube-apiserver-kubelet")},
		{
			"kube-controller-manager", ClusterAuthority,
			Request{Name: "system:kube-controller-manager", Hosts: local, Client: true},
		},
		{"kube-scheduler", ClusterAuthority, Request{Name: "system:kube-scheduler", Hosts: local, Client: true}},
		{"provisioner", ClusterAuthority, client("mongobench:provisioner")},
		{"admin", ClusterAuthority, client("mongobench:admin", "system:masters")},
	}
}

// nodeCertificates are those of one node.
func nodeCertificates(node plan.Node) []Certificate {
	name := node.Name()
	return []Certificate{
		{"kubelet-" + name, ClusterAuthority, client("system:node:"+name, "system:nodes")},
		{"kubelet-server-" + name, ClusterAuthority, Request{
			Name: "system:node:" + name, Groups: []string{"system:nodes"}, Hosts: []string{name, node.Address()},
		}},
		{"kube-proxy-" + name, ClusterAuthority, client("system:kube-proxy")},
	}
}

// Write makes all keys and certificates of the cluster in its PKI folder, and the kubeconfigs.
func Write(c plan.Cluster) error {
	if err := os.MkdirAll(c.PKI(), 0o700); err != nil {
		return fmt.Errorf("making the PKI folder: %w", err)
	}
	authorities := map[string]*holder{}
	for _, name := range []string{ClusterAuthority, EtcdAuthority, FrontProxyAuthority} {
		authority, err := newAuthority(c.Key(name), "mongobench "+name)
		if err != nil {
			return err
		}
		authorities[name] = authority
	}
	for _, certificate := range Certificates(c) {
		err := authorities[certificate.Authority].issue(c.Key(certificate.File), certificate.Request)
		if err != nil {
			return err
		}
	}
	if err := writeSigningKey(c.Key(ServiceAccountKey)); err != nil {
		return err
	}
	return writeKubeconfigs(c)
}

// client is the request of one that only calls.
func client(name string, groups ...string) Request {
	return Request{Name: name, Groups: groups, Client: true}
}
