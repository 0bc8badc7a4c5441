package main

import (
	"strings"
	"testing"

	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

func TestAWireVersionThatIsNoneIsNotAskedFor(t *testing.T) {
	var v wireVersion
	if err := v.Set("256"); err == nil || v.asked != nil {
		t.Errorf("error %v, and %q is asked for", err, v.String())
	}
	if err := v.Set("2"); err != nil || v.String() != "2" {
		t.Errorf("error %v, and %q is asked for, want 2", err, v.String())
	}
}

func TestWhatOnlyTheDriverCanDoIsNotAskedOfTheLegacyClient(t *testing.T) {
	server := mongotest.Shared(t, mongotest.Versions()[0])
	command, _, stderr := program(t, "infer", "--uri", server.URI(), "--wire-version", "2", "--database", "d",
		"--collection", "c")
	if code := exitCodeOf(t, command.Run()); code != 1 || !strings.Contains(stderr.String(), "without --wire-version") {
		t.Errorf("exit code %d, %s; want an error that says what to do", code, stderr)
	}
}

func TestSecretsOfAConnectionStringBelongInAFile(t *testing.T) {
	for uri, option := range map[string]string{
		"mysql://h/?handlersocketSecret=s3cret":                        "handlersocketSecret",
		"mysql://u@h:3306/?tls=true&HandlerSocketSecret=s3cret":        "HandlerSocketSecret",
		"mongodb://h/?tls=true&tlsCertificateKeyFilePassword=s3cret":   "tlsCertificateKeyFilePassword",
		"mongodb://h/?tls=true&sslClientCertificateKeyPassword=s3cret": "sslClientCertificateKeyPassword",
		"mysql://u:s3cret@h": "a password",
	} {
		_, err := (&connection{uris: []string{"mysql://other", uri}}).addresses()
		if err == nil || !strings.Contains(err.Error(), "must not hold "+option) ||
			!strings.Contains(err.Error(), "--uri-file") || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: the error is %v, want one that names %s and --uri-file, and no secret", uri, err, option)
		}
	}
	const harmless = "mysql://u@h:3306/?handlersocketPort=9998&handlersocketWritePort=9999"
	if got, err := (&connection{uris: []string{harmless}}).addresses(); err != nil || len(got) != 1 || got[0] != harmless {
		t.Errorf("of what holds no secret there are %v, error %v", got, err)
	}
}
