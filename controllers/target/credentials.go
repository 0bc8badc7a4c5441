package target

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"

	"github.com/mongobench/mongobench-operator/controllers/target/decide"
	"github.com/mongobench/mongobench-operator/internal/product"
)

const (
	// keyfileBytes make 684 characters of base64; mongod takes up to 1024.
	keyfileBytes = 512
	// podsExpectedAfter is when a StatefulSet or Job that has no pods is asked why.
	podsExpectedAfter = 2 * time.Second
	// mostMakersAsked bounds how many of them are asked: what refuses the pods of one refuses those of the others.
	mostMakersAsked = 4
)

// freshCredentials are random ones for Secrets that do not exist yet. Passwords hold nothing that a URI would escape.
func freshCredentials(o *decide.Observation) (product.Credentials, error) {
	if !decide.MakesSecrets(o) {
		return product.Credentials{}, nil
	}
	key := make([]byte, keyfileBytes)
	_, _ = rand.Read(key) // It never returns an error.
	fresh := product.Credentials{
		Keyfile:          []byte(base64.StdEncoding.EncodeToString(key)),
		AdminPassword:    []byte(rand.Text()),
		LoadPassword:     []byte(rand.Text()),
		ObserverPassword: []byte(rand.Text()),
		ActionPassword:   []byte(rand.Text()),

		HandlerSocketSecret: []byte(rand.Text()),
	}
	if !decide.MakesCertificate(o.Target) {
		return fresh, nil
	}
	var err error
	fresh.TLS, err = freshCertificate(decide.CertificateNames(o.Target), o.Now)
	return fresh, err
}

const (
	// validFor is longer than any target lives.
	validFor = 5 * 365 * 24 * time.Hour
	// validBefore lets nodes whose clocks are behind the operator's take the certificate.
	validBefore = time.Hour
	serialBits  = 128
)

// freshCertificate makes an authority, and a certificate of these names and 127.0.0.1 that it signs. The authority's
// key is not kept: it signs nothing else. Members are each other's clients too, so that the certificate is good for
// both.
func freshCertificate(names []string, now time.Time) (product.KeyPair, error) {
	authority := &x509.Certificate{
		Subject: pkix.Name{CommonName: "mongobench authority"}, IsCA: true, BasicConstraintsValid: true,
		MaxPathLenZero: true, KeyUsage: x509.KeyUsageCertSign,
	}
	member := &x509.Certificate{
		Subject: pkix.Name{CommonName: "mongobench member"}, DNSNames: names, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	signer, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return product.KeyPair{}, fmt.Errorf("making the key of an authority: %w", err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return product.KeyPair{}, fmt.Errorf("making the key of a certificate: %w", err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return product.KeyPair{}, fmt.Errorf("encoding the key of a certificate: %w", err)
	}
	pair := product.KeyPair{Key: encoded("PRIVATE KEY", private)}
	if pair.Authority, err = sign(authority, authority, signer.Public(), signer, now); err != nil {
		return product.KeyPair{}, fmt.Errorf("making an authority: %w", err)
	}
	if pair.Certificate, err = sign(member, authority, key.Public(), signer, now); err != nil {
		return product.KeyPair{}, fmt.Errorf("making a certificate: %w", err)
	}
	return pair, nil
}

// sign fills in the serial number and the time, and returns the certificate in PEM.
func sign(
	template, authority *x509.Certificate, public crypto.PublicKey, signer crypto.Signer, now time.Time,
) ([]byte, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), serialBits))
	if err != nil {
		return nil, err
	}
	template.SerialNumber = serial
	template.NotBefore, template.NotAfter = now.Add(-validBefore), now.Add(validFor)
	certificate, err := x509.CreateCertificate(rand.Reader, template, authority, public, signer)
	if err != nil {
		return nil, err
	}
	return encoded("CERTIFICATE", certificate), nil
}

func encoded(kind string, content []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content})
}
