package pki

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

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

// writeKubeconfigs writes the files with which holders of a client certificate of the cluster's authority reach the API
// server: the control plane's own by way of 127.0.0.1, which serves the admin on the host too, and the nodes' by way of
// their network.
func writeKubeconfigs(c plan.Cluster) error {
	users := map[string]string{
		"admin":                   c.HostURL(),
		"provisioner":             c.HostURL(),
		"kube-controller-manager": c.HostURL(),
		"kube-scheduler":          c.HostURL(),
	}
	for _, node := range c.Nodes() {
		users["kubelet-"+node.Name()] = c.NodeURL()
		users["kube-proxy-"+node.Name()] = c.NodeURL()
	}
	if err := os.MkdirAll(filepath.Dir(c.AdminKubeconfig()), 0o700); err != nil {
		return fmt.Errorf("making the kubeconfig folder: %w", err)
	}
	for name, server := range users {
		if err := writeKubeconfig(c, name, server); err != nil {
			return fmt.Errorf("writing kubeconfig of %s: %w", name, err)
		}
	}
	return nil
}

// writeKubeconfig writes JSON, which clients read as well as YAML. Byte slices become base64, as the format wants.
func writeKubeconfig(c plan.Cluster, name, server string) error {
	var contents [3][]byte
	for index, file := range []string{ClusterAuthority + ".crt", name + ".crt", name + ".key"} {
		content, err := os.ReadFile(c.Key(file))
		if err != nil {
			return err
		}
		contents[index] = content
	}
	const cluster = "mongobench"
	type object = map[string]any
	encoded, err := json.MarshalIndent(object{
		"apiVersion": "v1",
		"kind":       "Config",
		"clusters": []object{{
			"name": cluster, "cluster": object{"server": server, "certificate-authority-data": contents[0]},
		}},
		"users": []object{{
			"name": name, "user": object{"client-certificate-data": contents[1], "client-key-data": contents[2]},
		}},
		"contexts":        []object{{"name": cluster, "context": object{"cluster": cluster, "user": name}}},
		"current-context": cluster,
	}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(c.Kubeconfig(name), append(encoded, '\n'), 0o600)
}
