package mariadb_test

import (
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mongobench/mongobench-operator/loadgen/mariadb"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mariadbtest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/process"
)

// The users of the servers of these tests, with passwords in which something has to be escaped.
var (
	load     = mariadb.Credentials{Username: "mongobench", Password: `for-the-'load'`}
	observer = mariadb.Credentials{Username: "mongobench-observer", Password: `for\looking`}
)

// fresh says how to make the data of a server in a folder.
func fresh(t *testing.T, folder string, more ...string) mariadb.Bootstrap {
	t.Helper()
	program := mariadbtest.Installed(t)
	t.Setenv("LD_LIBRARY_PATH", program.Libraries())
	server := []string{program.Path(), "--no-defaults", "--tmpdir=" + t.TempDir()}
	return mariadb.Bootstrap{
		Server: slices.Concat(server, program.Arguments(), more),
		Data:   filepath.Join(folder, "mariadb"), Share: []string{"/nowhere", program.Share()},
		Databases: []string{"bench_a"}, Load: load, Observer: observer,
	}
}

// socketOf is the socket of a server whose data is in a folder.
func socketOf(folder string) string { return filepath.Join(folder, "s") }

// start runs a server on the data in a folder, and makes sure that the connection string's probe succeeds.
func start(t *testing.T, uri, folder string, arguments []string) *mariadbtest.Server {
	t.Helper()
	server := mariadbtest.Run(t, folder, socketOf(folder), arguments...)
	if err := mariadb.Probe(t.Context(), uri); err != nil {
		said, _ := server.Log()
		t.Fatalf("the server does not work: %v\n%s", err, said)
	}
	return server
}

// freePorts are ports that nothing listens on.
func freePorts(t *testing.T, count int) []int {
	t.Helper()
	var ports []int
	for len(ports) < count {
		port, err := process.FreePort()
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(ports, port) {
			ports = append(ports, port)
		}
	}
	return ports
}

// connection is the connection string of a server as one of its users.
func connection(user mariadb.Credentials, port int, plugin url.Values) string {
	uri := url.URL{
		Scheme: "mysql", User: url.UserPassword(user.Username, user.Password), Path: "/",
		// Whose host it is does not count: a probe is on the same machine.
		Host: net.JoinHostPort("server.example", strconv.Itoa(port)), RawQuery: plugin.Encode(),
	}
	return uri.String()
}

// here is the same connection string as seen from the server's own machine.
func here(uri string) string { return strings.Replace(uri, "server.example", "127.0.0.1", 1) }
