package target

import (
	"crypto/rand"
	"encoding/base64"
	"time"

	"github.com/mongobench/mongobench-operator/controllers/target/decide"
)

const (
	// keyfileBytes make 684 characters of base64; mongod takes up to 1024.
	keyfileBytes = 512
	// podsExpectedAfter is when a StatefulSet or Job that has no pods is asked why.
	podsExpectedAfter = 2 * time.Second
)

// freshCredentials are random ones for Secrets that do not exist yet. Passwords hold nothing that a URI would escape.
func freshCredentials() decide.Credentials {
	key := make([]byte, keyfileBytes)
	_, _ = rand.Read(key) // It never returns an error.
	return decide.Credentials{
		Keyfile:       []byte(base64.StdEncoding.EncodeToString(key)),
		AdminPassword: []byte(rand.Text()),
		LoadPassword:  []byte(rand.Text()),
	}
}
