package sql_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mongobench/mongobench-operator/loadgen/driver/sql"
)

func TestAConnectionStringIsRead(t *testing.T) {
	for name, tc := range map[string]struct {
		uri  string
		want sql.Location
	}{
		"a host alone": {
			"mysql://db.example", sql.Location{Network: "tcp", Address: "db.example:3306", TLS: "false"},
		},
		"all of it": {
			"mysql://lo%40d:p%2Fw@[::1]:3307/?tls=true&tlsCA=/ca.pem&handlersocketPort=9998&handlersocketWritePort=9999" +
				"&handlersocketSecret=s%26t",
			sql.Location{
				User: "lo@d", Password: "p/w", Network: "tcp", Address: "[::1]:3307", TLS: "true", CAFile: "/ca.pem",
				HandlerSocket: &sql.HandlerSocket{Port: 9998, WritePort: 9999, Secret: "s&t"},
			},
		},
		"a socket": {
			"mysql://root@localhost/?socket=/run/sock&tls=skip-verify",
			sql.Location{User: "root", Network: "unix", Address: "/run/sock", TLS: "skip-verify"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := sql.Parse(tc.uri)
			if diff := cmp.Diff(tc.want, got); err != nil || diff != "" {
				t.Errorf("error %v, location (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestAConnectionStringThatIsWrongIsToldWithoutItsSecrets(t *testing.T) {
	for uri, want := range map[string]string{
		"mongodb://u:s3cret@h":                         "not of the form",
		"mysql://u:s3cret%@h":                          "not of the form",
		"mysql://u:s3cret@a,b":                         "several hosts",
		"mysql://u:s3cret@h/shop":                      "dataset.database",
		"mysql://u:s3cret@h/?sslmode=1":                "not known; there are handlersocketPort, handlersocketSecret",
		"mysql://u:1?s3cret@h":                         "not known",
		"mysql://h/?handlersocketSecret=a&s3cret=b":    "not known",
		"mysql://u:s3cret@h/?tls=maybe":                "true, false or skip-verify",
		"mysql://u:s3cret@h/?tls=false&tlsCA=f":        "tlsCA",
		"mysql://u:s3cret@h/?handlersocketPort=s3cret": "handlersocketPort is no port",
	} {
		_, err := sql.Parse(uri)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: the error is %v, want %q in it, and no secret", uri, err, want)
		}
	}
}
