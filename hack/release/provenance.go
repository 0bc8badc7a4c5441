package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

const (
	repository = "https://github.com/mongobench/mongobench-operator"
	// payloadType of in-toto statements: https://github.com/in-toto/attestation/blob/main/spec/v1/envelope.md
	payloadType = "application/vnd.in-toto+json"
)

// build is what a release was built from, and with which settings.
type build struct {
	Version, Commit, Registry string
	Created                   time.Time
}

// object is a JSON object.
type object = map[string]any

// provenance is a statement of SLSA provenance (https://slsa.dev/spec/v1.0/provenance) about the files that a list as
// of sha256sum has, in a signed envelope (https://github.com/secure-systems-lab/dsse/blob/master/envelope.md).
func (b build) provenance(sums []byte, key *ecdsa.PrivateKey) ([]byte, error) {
	subjects, err := subjectsIn(sums)
	if err != nil {
		return nil, err
	}
	statement, err := json.Marshal(object{
		"_type":         "https://in-toto.io/Statement/v1",
		"subject":       subjects,
		"predicateType": "https://slsa.dev/provenance/v1",
		"predicate": object{
			"buildDefinition": object{
				"buildType":          repository + "/blob/main/RELEASING.md",
				"externalParameters": object{"version": b.Version, "registry": b.Registry},
				"resolvedDependencies": []object{
					{"uri": "git+" + repository + "@" + b.Version, "digest": object{"gitCommit": b.Commit}},
					{"uri": "pkg:golang/toolchain@" + strings.TrimPrefix(runtime.Version(), "go")},
				},
			},
			"runDetails": object{
				"builder": object{"id": repository + "/blob/main/hack/release/build.sh"},
				"metadata": object{
					"invocationId": b.Version + "/" + b.Commit, "startedOn": b.Created.UTC().Format(time.RFC3339),
				},
			},
		},
	})
	if err != nil {
		return nil, fmt.Errorf("writing the statement: %w", err)
	}
	signature, err := sign(key, statement)
	if err != nil {
		return nil, err
	}
	id, err := keyID(key)
	if err != nil {
		return nil, err
	}
	encode := base64.StdEncoding.EncodeToString
	return json.Marshal(object{
		"payloadType": payloadType, "payload": encode(statement),
		"signatures": []object{{"keyid": id, "sig": encode(signature)}},
	})
}

// subjectsIn are the files of a list as sha256sum writes it.
func subjectsIn(sums []byte) ([]object, error) {
	var subjects []object
	for line := range bytes.Lines(sums) {
		sum, name, found := strings.Cut(strings.TrimRight(string(line), "\n"), "  ")
		if raw, err := hex.DecodeString(sum); err != nil || len(raw) != sha256.Size || !found || name == "" {
			return nil, fmt.Errorf("no line of sha256sum: %q", line)
		}
		subjects = append(subjects, object{"name": name, "digest": object{"sha256": sum}})
	}
	if len(subjects) == 0 {
		return nil, errors.New("the list of sums is empty")
	}
	return subjects, nil
}

// sign signs what the envelope's specification says is signed: the type and the statement, each with its length.
func sign(key *ecdsa.PrivateKey, statement []byte) ([]byte, error) {
	signed := sha256.Sum256(preAuthentication(statement))
	signature, err := ecdsa.SignASN1(rand.Reader, key, signed[:])
	if err != nil {
		return nil, fmt.Errorf("signing the statement: %w", err)
	}
	return signature, nil
}

func preAuthentication(statement []byte) []byte {
	return fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(payloadType), payloadType, len(statement), statement)
}

// keyID is the digest of the public key as DER.
func keyID(key *ecdsa.PrivateKey) (string, error) {
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return "", fmt.Errorf("writing the public key: %w", err)
	}
	digest := sha256.Sum256(public)
	return hex.EncodeToString(digest[:]), nil
}

// readKey reads a private key as OpenSSL writes it, by `openssl ecparam` or `openssl genpkey`.
func readKey(file string) (*ecdsa.PrivateKey, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading the key: %w", err)
	}
	for block, rest := pem.Decode(content); block != nil; block, rest = pem.Decode(rest) {
		if key, err := x509.ParseECPrivateKey(block.Bytes); err == nil {
			return onP256(key)
		}
		if key, err := x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
			private, _ := key.(*ecdsa.PrivateKey)
			return onP256(private)
		}
	}
	return nil, errNoKey
}

var errNoKey = errors.New("the file holds no private key for ECDSA on P-256: make one by " +
	"`openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256`")

func onP256(key *ecdsa.PrivateKey) (*ecdsa.PrivateKey, error) {
	if key == nil || key.Curve != elliptic.P256() {
		return nil, errNoKey
	}
	return key, nil
}
