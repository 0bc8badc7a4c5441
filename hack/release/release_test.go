package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	spdxjson "github.com/spdx/tools-golang/json"
)

// TestAnSBOMNamesTheModulesOfAProgram reads what this very test was linked from.
func TestAnSBOMNamesTheModulesOfAProgram(t *testing.T) {
	modules, err := modulesOf([]string{os.Args[0], os.Args[0]})
	if err != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(t.TempDir(), "a.tar.gz")
	if err := os.WriteFile(archive, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	about, err := subjectOf(archive)
	if err != nil {
		t.Fatal(err)
	}
	var written bytes.Buffer
	if err := writeSBOM(&written, about, modules, time.Unix(0, 0)); err != nil {
		t.Fatal(err)
	}
	document, err := spdxjson.Read(&written)
	if err != nil {
		t.Fatalf("the library cannot read it: %v", err)
	}
	if len(document.Packages) != len(modules)+1 || len(document.Relationships) != len(modules)+1 {
		t.Errorf("%d packages and %d relationships of %d modules", len(document.Packages), len(document.Relationships), len(modules))
	}
	found := 0
	for _, each := range document.Packages {
		if each.PackageName == "github.com/spdx/tools-golang" && strings.HasPrefix(each.PackageVersion, "v0.") ||
			each.PackageName == "stdlib" && each.PackageVersion != "" {
			found++
		}
	}
	if found != 2 {
		t.Errorf("the SPDX library and Go's own are not in it: %+v", modules)
	}
}

func TestAnImageIsASubjectByItsDigest(t *testing.T) {
	got, err := subjectOf("ghcr.io/mongobench/operator@sha256:abc")
	if want := (subject{"ghcr.io/mongobench/operator", "abc", "CONTAINER"}); err != nil || got != want {
		t.Errorf("got %+v (%v), want %+v", got, err, want)
	}
}

// TestOpenSSLVerifiesTheProvenance makes a key as RELEASING.md says, and has OpenSSL look at the signature.
func TestOpenSSLVerifiesTheProvenance(t *testing.T) {
	folder := t.TempDir()
	openssl := func(arguments ...string) string {
		command := exec.CommandContext(t.Context(), "openssl", arguments...)
		command.Dir = folder
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("openssl %q: %v\n%s", arguments, err, out)
		}
		return string(out)
	}
	openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", "key.pem")
	openssl("pkey", "-in", "key.pem", "-pubout", "-out", "public.pem")
	key, err := readKey(filepath.Join(folder, "key.pem"))
	if err != nil {
		t.Fatal(err)
	}
	of := build{Version: "v1.2.3", Commit: "abc", Registry: "ghcr.io/mongobench", Created: time.Unix(1, 0)}
	signed, err := of.provenance([]byte(strings.Repeat("0", 64)+"  install.yaml\n"), key)
	if err != nil {
		t.Fatal(err)
	}
	var envelope struct {
		Payload    string
		Signatures []struct{ KeyID, Sig string }
	}
	if err := json.Unmarshal(signed, &envelope); err != nil {
		t.Fatal(err)
	}
	statement, err := base64.StdEncoding.DecodeString(envelope.Payload)
	if err != nil || !bytes.Contains(statement, []byte(`"name":"install.yaml"`)) {
		t.Errorf("the statement is %s (%v)", statement, err)
	}
	signature, err := base64.StdEncoding.DecodeString(envelope.Signatures[0].Sig)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, content []byte) {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("signature", signature)
	write("signed", preAuthentication(statement))
	if out := openssl("dgst", "-sha256", "-verify", "public.pem", "-signature", "signature", "signed"); !strings.Contains(out, "Verified OK") {
		t.Errorf("openssl says %q", out)
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	if id, err := keyID(key); err != nil || len(id) != 2*sha256.Size || len(public) == 0 {
		t.Errorf("the key's id is %q (%v)", id, err)
	}
}

func TestWhatCannotBeSigned(t *testing.T) {
	for name, sums := range map[string]string{
		"nothing":      "",
		"no sum":       "install.yaml\n",
		"a short sum":  "abc  install.yaml\n",
		"no file":      strings.Repeat("0", 64) + "  \n",
		"a word after": "x " + strings.Repeat("0", 64) + "  install.yaml\n",
	} {
		if _, err := (build{}).provenance([]byte(sums), &ecdsa.PrivateKey{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte("no key"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readKey(file); err == nil || !strings.Contains(err.Error(), "openssl genpkey") {
		t.Errorf("a file without a key gives %v", err)
	}
}
