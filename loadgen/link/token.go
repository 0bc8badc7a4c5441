package link

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"time"
)

// Token is what a machine has to know to take part in a run: the secret that makes it known to the host, and by what
// key it knows the host. It is new for each run.
type Token struct {
	Secret string
	// Key is the SHA-256 of the host's public key.
	Key [sha256.Size]byte
}

// tokenForm is that of a token's text.
var tokenForm = regexp.MustCompile(`^loadgen\.([A-Z2-7]{26})\.([0-9a-f]{64})\s*$`)

// String is the text of a token, for a file.
func (t Token) String() string { return "loadgen." + t.Secret + "." + hex.EncodeToString(t.Key[:]) }

// errNoToken does not show the text, of which a part may be a secret.
var errNoToken = errors.New("it holds no token of loadgen serve, which looks like loadgen.SECRET.KEY")

// ParseToken reads the text of a token.
func ParseToken(text string) (token Token, err error) {
	parts := tokenForm.FindStringSubmatch(text)
	if parts == nil {
		return Token{}, errNoToken
	}
	token.Secret = parts[1]
	_, err = hex.Decode(token.Key[:], []byte(parts[2]))
	return token, err
}

// knows says whether a secret is the token's, in a time that does not tell how much of it is.
func (t Token) knows(secret string) bool {
	return subtle.ConstantTimeCompare([]byte(t.Secret), []byte(secret)) == 1
}

// validity is how long the certificate of a host is valid. Nobody looks: its key is what is compared.
const validity = 10 * 365 * 24 * time.Hour

// identity makes the key of a host, with a certificate by which TLS shows it, and the token of its run.
func identity() (tls.Certificate, Token, error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return tls.Certificate{}, Token{}, fmt.Errorf("making a key: %w", err)
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "loadgen serve"},
		NotBefore: now.Add(-validity), NotAfter: now.Add(validity),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, public, private)
	if err != nil {
		return tls.Certificate{}, Token{}, fmt.Errorf("making a certificate: %w", err)
	}
	certificate, err := x509.ParseCertificate(signed)
	if err != nil {
		return tls.Certificate{}, Token{}, fmt.Errorf("reading the certificate that was made: %w", err)
	}
	token := Token{Secret: rand.Text(), Key: sha256.Sum256(certificate.RawSubjectPublicKeyInfo)}
	return tls.Certificate{Certificate: [][]byte{signed}, PrivateKey: private}, token, nil
}

// errOtherHost is that who answers has another key than the token names.
var errOtherHost = errors.New("its key is not the one of the token: the token is of another run, or somebody else " +
	"answers")

// client is how a pod recognises the host of its token.
func (t Token) client() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13,
		//nolint:gosec // No authority signs the host's key; VerifyConnection compares the key itself.
		InsecureSkipVerify: true,
		VerifyConnection: func(state tls.ConnectionState) error {
			shown := state.PeerCertificates
			if len(shown) != 1 || sha256.Sum256(shown[0].RawSubjectPublicKeyInfo) != t.Key {
				return errOtherHost
			}
			return nil
		},
	}
}
