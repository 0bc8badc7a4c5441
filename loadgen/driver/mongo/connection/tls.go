package connection

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
)

// TLSConfig trusts the authorities of a file, in PEM, and no others. The name in a server's certificate is verified
// against the address that was connected to. Without a file there is no TLS, and it returns nil.
func TLSConfig(caFile string) (*tls.Config, error) {
	if caFile == "" {
		return nil, nil //nolint:nilnil // The driver takes nil for a connection without TLS too.
	}
	content, err := os.ReadFile(caFile)
	if err != nil {
		return nil, fmt.Errorf("reading the authorities of the servers' certificates: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(content) {
		return nil, fmt.Errorf("%s holds no certificate in PEM; give the authority that signed the servers' certificates",
			caFile)
	}
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, nil
}

// TLSName is how a report says whether the load's connections are encrypted.
func TLSName(encrypted bool) string {
	if encrypted {
		return "On"
	}
	return "Off"
}
