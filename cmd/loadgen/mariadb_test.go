package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mongobench/mongobench-operator/loadgen/testing/mariadbtest"
)

func TestRunByHandMeasuresAMariaDB(t *testing.T) {
	for engine, arguments := range map[string][]string{"InnoDB": nil, "MyRocks": mariadbtest.MyRocks()} {
		t.Run(engine, func(t *testing.T) {
			uri := uriFile(t, mariadbtest.Start(t, arguments...))
			for client, way := range map[string]string{"Prepared": "prepared", "Text": "text"} {
				runsOn(t, uri, client, "MariaDB", engine, "2,000 documents", "Step closed: 3 threads", "Step open: 4 threads",
					"latest", "insert-many", ", "+way, "Synced")
			}
		})
	}
}

// runsOn runs the file by a client, and looks for words in its table.
func runsOn(t *testing.T, uri, client string, words ...string) {
	t.Helper()
	command, stdout, stderr := program(t, "run", "-f", withClient(t, client), "--uri-file", uri)
	if code := exitCodeOf(t, command.Run()); code != 0 {
		t.Fatalf("client %s: exit code %d: %s", client, code, stderr)
	}
	for _, want := range words {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("client %s: the table lacks %q:\n%s", client, want, stdout)
		}
	}
}

// uriFile is a file with the connection string of a server.
func uriFile(t *testing.T, server *mariadbtest.Server) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "uri")
	if err := os.WriteFile(path, []byte(server.URI()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// withClient is the file of a run that is sent by a client.
func withClient(t *testing.T, client string) string {
	t.Helper()
	content, err := os.ReadFile("testdata/mariadb.yaml")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "run.yaml")
	content = bytes.Replace(content, []byte("client: Prepared"), []byte("client: "+client), 1)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestVerifyComparesTheRowsOfAMariaDB(t *testing.T) {
	uri := uriFile(t, mariadbtest.Start(t))
	command, _, stderr := program(t, "run", "-f", "testdata/mariadb.yaml", "--uri-file", uri)
	if code := exitCodeOf(t, command.Run()); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	command, _, stderr = program(t, "verify", "-f", "testdata/mariadb.yaml", "--uri-file", uri, "--all")
	if code := exitCodeOf(t, command.Run()); code != 1 || !strings.Contains(stderr.String(), `collection "orders"`) {
		t.Errorf("the workload has written, and verify ended with %d: %s", code, stderr)
	}
}

func TestWhatIsForMongoDBIsRefusedOfAMariaDB(t *testing.T) {
	for name, tc := range map[string]struct {
		arguments []string
		want      string
	}{
		"several": {
			[]string{"run", "-f", "testdata/mariadb.yaml", "--uri", "mysql://a", "--uri", "mysql://b"}, "goes to one MariaDB",
		},
		"a wire version": {
			[]string{"run", "-f", "testdata/mariadb.yaml", "--uri", "mysql://a", "--wire-version", "2"}, "is for MongoDB",
		},
		"a recording": {
			[]string{"replay", "-f", "testdata/recording.jsonl", "--uri", "mysql://a"}, "this is for MongoDB",
		},
		"a sample": {
			[]string{"infer", "--uri", "mysql://a", "--database", "d", "--collection", "c"}, "this is for MongoDB",
		},
		"a password where all can read it": {
			[]string{"run", "-f", "testdata/mariadb.yaml", "--uri", "mysql://u:p@a"}, "must not hold a password",
		},
		"a secret where all can read it": {
			[]string{
				"run", "-f", "testdata/mariadb.yaml", "--uri", "mysql://a/?handlersocketPort=1&handlersocketSecret=s",
			},
			"must not hold handlersocketSecret",
		},
	} {
		t.Run(name, func(t *testing.T) {
			command, _, stderr := program(t, tc.arguments...)
			if code := exitCodeOf(t, command.Run()); code != 1 || !strings.Contains(stderr.String(), tc.want) {
				t.Errorf("exit code %d: %s; want %q", code, stderr, tc.want)
			}
		})
	}
}
