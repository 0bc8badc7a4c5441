package pki_test

import (
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mongobench/mongobench-operator/hack/cluster/internal/pki"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/plan"
)

// written makes the whole PKI of a cluster of two nodes.
func written(t *testing.T) plan.Cluster {
	t.Helper()
	c := plan.Cluster{State: t.TempDir(), NodeCount: 2, Port: 16443}
	if err := pki.Write(c); err != nil {
		t.Fatalf("Write: %v", err)
	}
	return c
}

// certificate reads one certificate back.
func certificate(t *testing.T, c plan.Cluster, file string) *x509.Certificate {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(c.PKI(), file+".crt"))
	if err != nil {
		t.Fatalf("reading certificate: %v", err)
	}
	block, _ := pem.Decode(content)
	parsed, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatalf("parsing certificate %s: %v", file, err)
	}
	return parsed
}

func TestEveryCertificateVerifiesAgainstItsAuthorityAndNoOther(t *testing.T) {
	c := written(t)
	for _, entry := range pki.Certificates(c) {
		for _, authority := range []string{pki.ClusterAuthority, pki.EtcdAuthority, pki.FrontProxyAuthority} {
			roots := x509.NewCertPool()
			roots.AddCert(certificate(t, c, authority))
			_, err := certificate(t, c, entry.File).Verify(x509.VerifyOptions{
				Roots: roots, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny},
			})
			if (err == nil) != (authority == entry.Authority) {
				t.Errorf("%s against %s: %v, signed by %s", entry.File, authority, err, entry.Authority)
			}
		}
	}
}

func TestServersAreReachedByEveryNameInUse(t *testing.T) {
	c := written(t)
	cases := map[string]struct {
		file  string
		hosts []string
	}{
		"the API server from host, nodes and pods": {"kube-apiserver", []string{
			"127.0.0.1", plan.ControlPlaneAddress, plan.APIServiceAddress, "kubernetes.default.svc",
		}},
		"etcd from the control plane":  {"etcd", []string{"127.0.0.1"}},
		"the kubelet by its address":   {"kubelet-server-node2", []string{"198.18.0.12"}},
		"the scheduler's health check": {"kube-scheduler", []string{"localhost"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for _, host := range tc.hosts {
				if err := certificate(t, c, tc.file).VerifyHostname(host); err != nil {
					t.Errorf("%s is not valid for %s: %v", tc.file, host, err)
				}
			}
		})
	}
}

func TestNodesAreKnownToTheNodeAuthorizer(t *testing.T) {
	subject := certificate(t, written(t), "kubelet-node2").Subject
	if subject.CommonName != "system:node:node2" {
		t.Errorf("common name = %q, want system:node:node2", subject.CommonName)
	}
	if diff := cmp.Diff([]string{"system:nodes"}, subject.Organization); diff != "" {
		t.Errorf("groups differ (-want +got):\n%s", diff)
	}
}

func TestKeysAreReadableByTheirOwnerOnly(t *testing.T) {
	c := written(t)
	keys, err := filepath.Glob(filepath.Join(c.PKI(), "*.key"))
	if err != nil || len(keys) == 0 {
		t.Fatalf("listing keys: %v, %d found", err, len(keys))
	}
	for _, key := range keys {
		info, err := os.Stat(key)
		if err != nil {
			t.Fatalf("reading mode: %v", err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, want 0600", filepath.Base(key), info.Mode().Perm())
		}
	}
}
