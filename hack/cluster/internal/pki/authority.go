package pki

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// lifetime outlasts any local cluster; none is meant to be renewed.
const lifetime = 365 * 24 * time.Hour

// Authority signs certificates.
type Authority struct {
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

// NewAuthority makes a self-signed authority and writes NAME.crt and NAME.key into the folder.
func NewAuthority(folder, name string) (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making key of authority %s: %w", name, err)
	}
	template, err := certificateTemplate(pkix.Name{CommonName: "mongobench " + name})
	if err != nil {
		return nil, err
	}
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("signing authority %s: %w", name, err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("reading back authority %s: %w", name, err)
	}
	return &Authority{certificate: certificate, key: key}, writePair(folder, name, der, key)
}

// Issue signs a certificate and writes FILE.crt and FILE.key into the folder.
func (a *Authority) Issue(folder, file string, request Request) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fmt.Errorf("making key of %s: %w", file, err)
	}
	template, err := certificateTemplate(pkix.Name{CommonName: request.Name, Organization: request.Groups})
	if err != nil {
		return err
	}
	template.KeyUsage = x509.KeyUsageDigitalSignature
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
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.key)
	if err != nil {
		return fmt.Errorf("signing %s: %w", file, err)
	}
	return writePair(folder, file, der, key)
}

// NewSigningKey writes FILE.key and FILE.pub: a key that signs tokens and needs no certificate.
func NewSigningKey(folder, file string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fmt.Errorf("making key %s: %w", file, err)
	}
	if err := writeKey(folder, file, key); err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return fmt.Errorf("encoding public key %s: %w", file, err)
	}
	return writePEM(filepath.Join(folder, file+".pub"), "PUBLIC KEY", public)
}

// certificateTemplate holds what all certificates have in common.
func certificateTemplate(subject pkix.Name) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, fmt.Errorf("drawing serial number: %w", err)
	}
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      subject,
		// A little in the past, for a clock that is set back while the cluster is up.
		NotBefore: now.Add(-time.Hour),
		NotAfter:  now.Add(lifetime),
	}, nil
}

func writePair(folder, file string, der []byte, key *ecdsa.PrivateKey) error {
	if err := writePEM(filepath.Join(folder, file+".crt"), "CERTIFICATE", der); err != nil {
		return err
	}
	return writeKey(folder, file, key)
}

func writeKey(folder, file string, key *ecdsa.PrivateKey) error {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return fmt.Errorf("encoding key %s: %w", file, err)
	}
	return writePEM(filepath.Join(folder, file+".key"), "EC PRIVATE KEY", der)
}

func writePEM(path, kind string, der []byte) error {
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		return fmt.Errorf("writing %s: %w", filepath.Base(path), err)
	}
	return nil
}
