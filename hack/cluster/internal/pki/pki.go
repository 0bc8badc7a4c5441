package pki

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

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

// lifetime outlasts any local cluster; none is meant to be renewed.
const lifetime = 365 * 24 * time.Hour

// holder has a certificate and its key; an authority signs with it.
type holder struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// Request is what a certificate says about its holder.
type Request struct {
	// Name becomes the common name: the user, when the certificate is a client's.
	Name string
	// Groups become the organisations: the user's groups.
	Groups []string
	// Hosts are the names and addresses that a server is reached by; without any it is a client only.
	Hosts []string
	// Client makes it a client certificate; a server may be both.
	Client bool
}

// newAuthority makes a self-signed authority and writes PATH.crt and PATH.key.
func newAuthority(path, name string) (*holder, error) {
	return sign(nil, path, &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	})
}

// issue signs a certificate and writes PATH.crt and PATH.key.
func (h *holder) issue(path string, request Request) error {
	template := &x509.Certificate{
		Subject:  pkix.Name{CommonName: request.Name, Organization: request.Groups},
		KeyUsage: x509.KeyUsageDigitalSignature,
	}
	if request.Client {
		template.ExtKeyUsage = append(template.ExtKeyUsage, x509.ExtKeyUsageClientAuth)
	}
	if len(request.Hosts) > 0 {
		template.ExtKeyUsage = append(template.ExtKeyUsage, x509.ExtKeyUsageServerAuth)
	}
	for _, host := range request.Hosts {
		if address := net.ParseIP(host); address != nil {
			template.IPAddresses = append(template.IPAddresses, address)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	_, err := sign(h, path, template)
	return err
}

// sign makes a key, and has the authority sign a certificate for it; with none it is self-signed.
func sign(authority *holder, path string, template *x509.Certificate) (*holder, error) {
	key, err := newKey(path)
	if err != nil {
		return nil, err
	}
	template.SerialNumber, err = rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, fmt.Errorf("drawing serial number: %w", err)
	}
	// A little in the past, for a clock that is set back while the cluster is up.
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(lifetime)
	signed := &holder{certificate: template, key: key}
	if authority == nil {
		authority = signed
	}
	der, err := x509.CreateCertificate(rand.Reader, template, authority.certificate, key.Public(), authority.key)
	if err != nil {
		return nil, fmt.Errorf("signing %s: %w", filepath.Base(path), err)
	}
	if signed.certificate, err = x509.ParseCertificate(der); err != nil {
		return nil, fmt.Errorf("reading back %s: %w", filepath.Base(path), err)
	}
	return signed, writePEM(path+".crt", "CERTIFICATE", der)
}

// writeSigningKey writes PATH.key and PATH.pub: a key that signs tokens and needs no certificate.
func writeSigningKey(path string) error {
	key, err := newKey(path)
	if err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return fmt.Errorf("encoding public key %s: %w", filepath.Base(path), err)
	}
	return writePEM(path+".pub", "PUBLIC KEY", public)
}

// newKey makes a key and writes it into PATH.key.
func newKey(path string) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making key %s: %w", filepath.Base(path), err)
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("encoding key %s: %w", filepath.Base(path), err)
	}
	return key, writePEM(path+".key", "EC PRIVATE KEY", der)
}

func writePEM(path, kind string, der []byte) error {
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		return fmt.Errorf("writing %s: %w", filepath.Base(path), err)
	}
	return nil
}
