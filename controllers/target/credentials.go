package target

import (
	"crypto/rand"
	"encoding/base64"
	"time"

	"github.com/mongobench/mongobench-operator/controllers/target/decide"
	"github.com/mongobench/mongobench-operator/internal/naming"
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
	if !decide.MakesCertificate(o.Target) || o.Secrets[naming.TLSSecret(o.Target.Name)] != nil {
		return fresh, nil
	}
	var err error
	fresh.TLS, err = freshCertificate(decide.CertificateNames(o.Target), o.Now)
	return fresh, err
}
