package main

import (
	"bytes"
	"crypto/ecdsa"
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
	write(t, archive, []byte("x"))
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
	versions := map[string]string{}
	for _, each := range document.Packages {
		versions[each.PackageName] = each.PackageVersion
	}
	if len(versions) != len(modules)+1 || len(document.Relationships) != len(modules)+1 {
		t.Errorf("%d packages and %d relationships of %d modules",
			len(versions), len(document.Relationships), len(modules))
	}
	if versions["stdlib"] == "" || !strings.HasPrefix(versions["github.com/spdx/tools-golang"], "v0.") {
		t.Errorf("the SPDX library and Go's own are not in it: %v", versions)
	}
}

func write(t *testing.T, file string, content []byte) {
	t.Helper()
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAnImageIsASubjectByItsDigest(t *testing.T) {
	got, err := subjectOf("ghcr.io/mongobench/operator@sha256:abc")
	if want := (subject{"ghcr.io/mongobench/operator", "abc", "CONTAINER"}); err != nil || got != want {
		t.Errorf("got %+v (%v), want %+v", got, err, want)
	}
}

// openssl runs OpenSSL in a folder.
func openssl(t *testing.T, folder string, arguments ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "openssl", arguments...)
	command.Dir = folder
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("openssl %q: %v\n%s", arguments, err, out)
	}
	return string(out)
}

// TestOpenSSLVerifiesTheProvenance makes a key as RELEASING.md says, and has OpenSSL look at the signature.
func TestOpenSSLVerifiesTheProvenance(t *testing.T) {
	folder := t.TempDir()
	openssl(t, folder, "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", "key.pem")
	openssl(t, folder, "pkey", "-in", "key.pem", "-pubout", "-out", "public.pem")
	key, err := readKey(filepath.Join(folder, "key.pem"))
	if err != nil {
		t.Fatal(err)
	}
	of := build{Version: "v1.2.3", Commit: "abc", Registry: "ghcr.io/mongobench", Created: time.Unix(1, 0)}
	signed, err := of.provenance([]byte(strings.Repeat("0", 64)+"  install.yaml\n"), key)
	if err != nil {
		t.Fatal(err)
	}
	statement, signature := opened(t, signed)
	if !bytes.Contains(statement, []byte(`"name":"install.yaml"`)) {
		t.Errorf("the statement is %s", statement)
	}
	write(t, filepath.Join(folder, "signature"), signature)
	write(t, filepath.Join(folder, "signed"), preAuthentication(statement))
	out := openssl(t, folder, "dgst", "-sha256", "-verify", "public.pem", "-signature", "signature", "signed")
	if !strings.Contains(out, "Verified OK") {
		t.Errorf("openssl says %q", out)
	}
}

// opened is what an envelope holds: the statement, and its one signature.
func opened(t *testing.T, envelope []byte) (statement, signature []byte) {
	t.Helper()
	var parts struct {
		Payload    []byte `json:"payload"`
		Signatures []struct {
			Sig []byte `json:"sig"`
		} `json:"signatures"`
	}
	if err := json.Unmarshal(envelope, &parts); err != nil || len(parts.Signatures) != 1 {
		t.Fatalf("the envelope is %s (%v)", envelope, err)
	}
	return parts.Payload, parts.Signatures[0].Sig
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
	write(t, file, []byte("no key"))
	if _, err := readKey(file); err == nil || !strings.Contains(err.Error(), "openssl genpkey") {
		t.Errorf("a file without a key gives %v", err)
	}
}
