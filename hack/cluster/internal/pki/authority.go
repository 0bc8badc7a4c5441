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
