package target

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/target/decide"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

func TestCertificateIsGoodForEveryMemberAsServerAndAsClient(t *testing.T) {
	now := time.Date(2026, time.November, 21, 10, 0, 0, 0, time.UTC)
	pair, err := freshCertificate(decide.CertificateNames(targettest.ReplicaSet("bench", "set", 3)), now)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tls.X509KeyPair(pair.Certificate, pair.Key); err != nil {
		t.Fatalf("the key is not the certificate's: %v", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pair.Authority) {
		t.Fatal("the authority is no certificate")
	}
	block, _ := pem.Decode(pair.Certificate)
	member, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	for name, good := range map[string]bool{
		"set-mongod-0.set-members.bench.svc":               true,
		"set-mongod-2.set-members.bench.svc.cluster.local": true,
		"localhost":                              true,
		"127.0.0.1":                              true,
		"other-mongod-0.other-members.bench.svc": false,
		"set-mongod-0.set-members.elsewhere.svc": false,
	} {
		for _, usage := range []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth} {
			for at, valid := range map[time.Time]bool{now: true, now.AddDate(1, 0, 0): true, now.AddDate(6, 0, 0): false} {
				_, err := member.Verify(x509.VerifyOptions{
					Roots: roots, DNSName: name, CurrentTime: at, KeyUsages: []x509.ExtKeyUsage{usage},
				})
				if (err == nil) != (good && valid) {
					t.Errorf("%s at %s: %v", name, at, err)
				}
			}
		}
	}
}

func TestEveryTargetHasCredentialsOfItsOwn(t *testing.T) {
	required := benchv1alpha1.TLSRequired
	target := targettest.Standalone("bench", "alone", "6.0.5")
	target.Spec.MongoDB.Security = &benchv1alpha1.SecuritySpec{TLS: &benchv1alpha1.TLSSpec{Mode: &required}}
	o := &decide.Observation{Now: time.Now(), Target: target}
	seen := map[string]bool{}
	for range 2 {
		c, err := freshCredentials(o)
		if err != nil {
			t.Fatal(err)
		}
		for _, value := range [][]byte{
			c.Keyfile, c.AdminPassword, c.LoadPassword, c.ObserverPassword, c.ActionPassword,
			c.TLS.Authority, c.TLS.Certificate, c.TLS.Key,
		} {
			if len(value) < 20 || seen[string(value)] {
				t.Errorf("%q is too short, or was made twice", value)
			}
			seen[string(value)] = true
		}
	}
	o.StatefulSets = []*appsv1.StatefulSet{{}}
	if c, err := freshCredentials(o); err != nil || c.TLS.Key != nil || c.Keyfile != nil {
		t.Errorf("what exists is made again, %v", err)
	}
}
