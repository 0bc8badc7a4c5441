package wire_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/mongobench/mongobench-operator/loadgen/driver/wire"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

func TestCommandsOnRealServers(t *testing.T) {
	protocols := map[string]int{"4.4.2": 9, "6.0.5": 17}
	for _, version := range mongotest.Versions() {
		t.Run("mongod "+version, func(t *testing.T) {
			conn := dial(t, mongotest.Shared(t, version).Address, wire.Config{Application: "test"})
			want := &wire.Hello{
				MaxMessageBytes: 48_000_000, MaxDocumentBytes: 16 << 20, MaxBatch: 100_000, Writable: true, Sessions: true,
				Version: protocols[version],
			}
			if diff := cmp.Diff(want, conn.Hello(), cmpopts.IgnoreUnexported(wire.Hello{})); diff != "" {
				t.Errorf("what the server says of itself (-want +got):\n%s", diff)
			}
			checkCommands(t, conn)
		})
	}
}

// checkCommands inserts, reads and inserts once more.
func checkCommands(t *testing.T, conn *wire.Conn) {
	t.Helper()
	_, _ = conn.Call(command("wire", text("drop", "things")))
	if got := call(t, conn, insert("things", 0, 1000)); got.N != 1000 {
		t.Errorf("%d documents were inserted", got.N)
	}
	got := call(t, conn, command("wire", text("find", "things"), number("batchSize", 900)))
	if count, err := wire.Count(got.Batch); err != nil || count != 900 || got.Cursor == 0 || !got.HasCursor {
		t.Errorf("%d documents, %v, in the first batch of cursor %d", count, err, got.Cursor)
	}
	document, err := conn.Call(insert("things", 999, 2))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := wire.Parse(document); err != nil || !got.OK || !got.Errors || got.N != 0 {
		t.Errorf("reply %+v, %v to a duplicate key", got, err)
	}
}

// insert is a request with documents in a sequence.
func insert(collection string, first, count int32, more ...[]byte) []byte {
	request := command("wire", append([][]byte{text("insert", collection)}, more...)...)
	start, request := wire.BeginSequence(request, "documents")
	for id := first; id < first+count; id++ {
		request = append(request, bsoncore.NewDocumentBuilder().AppendInt32("_id", id).Build()...)
	}
	wire.EndSequence(request, start)
	return request
}

func TestWritesWithoutAcknowledgementArrive(t *testing.T) {
	for _, version := range mongotest.Versions() {
		t.Run("mongod "+version, func(t *testing.T) {
			server := mongotest.Shared(t, version)
			conn := dial(t, server.Address, wire.Config{})
			_, _ = conn.Call(command("wire", text("drop", "posted")))
			none := bsoncore.AppendDocumentElement(nil, "writeConcern",
				bsoncore.NewDocumentBuilder().AppendInt32("w", 0).Build())
			for i := range int32(100) {
				if err := conn.Post(insert("posted", i, 1, none)); err != nil {
					t.Fatal(err)
				}
			}
			// The server does one request of a connection after the other.
			if got := call(t, conn, command("wire", text("count", "posted"))); got.N != 100 {
				t.Errorf("%d documents arrived, want 100", got.N)
			}
		})
	}
}

func TestLogin(t *testing.T) {
	for _, version := range mongotest.Versions() {
		t.Run("mongod "+version, func(t *testing.T) {
			checkLogin(t, mongotest.Start(t, version, "--auth"))
		})
	}
}

// checkLogin makes users with one mechanism each and logs in as them.
func checkLogin(t *testing.T, server *mongotest.Server) {
	t.Helper()
	admin := dial(t, server.Address, wire.Config{})
	call(t, admin, createUser("both", wire.ScramSHA1, wire.ScramSHA256))
	login := &wire.Login{Username: "both", Password: "p%+ ü secret", Source: "admin"}
	admin = dial(t, server.Address, wire.Config{Login: login})
	call(t, admin, createUser("old", wire.ScramSHA1))
	for name, tc := range map[string]struct {
		login *wire.Login
		fails bool
	}{
		"by the best mechanism":   {&wire.Login{Username: "both"}, false},
		"by the only mechanism":   {&wire.Login{Username: "old"}, false},
		"by SCRAM-SHA-1":          {&wire.Login{Username: "both", Mechanism: wire.ScramSHA1}, false},
		"by SCRAM-SHA-256":        {&wire.Login{Username: "both", Mechanism: wire.ScramSHA256}, false},
		"by what the user lacks":  {&wire.Login{Username: "old", Mechanism: wire.ScramSHA256}, true},
		"as an unknown user":      {&wire.Login{Username: "unknown"}, true},
		"with a wrong password":   {&wire.Login{Username: "both", Password: "wrong secret"}, true},
		"with the wrong database": {&wire.Login{Username: "both", Source: "elsewhere"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			login := tc.login
			if login.Password == "" {
				login.Password = "p%+ ü secret"
			}
			if login.Source == "" {
				login.Source = "admin"
			}
			conn, err := wire.Dial(t.Context(), server.Address, wire.Config{Login: login})
			if tc.fails {
				checkLoginError(t, err)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			call(t, conn, command("admin", number("listDatabases", 1)))
		})
	}
}

func checkLoginError(t *testing.T, err error) {
	t.Helper()
	if _, ok := errors.AsType[*wire.LoginError](err); !ok {
		t.Fatalf("error %v, want a failed login", err)
	}
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("the error holds the password: %v", err)
	}
}

func createUser(name string, mechanisms ...string) []byte {
	kinds := bsoncore.NewArrayBuilder()
	for _, mechanism := range mechanisms {
		kinds.AppendString(mechanism)
	}
	return command("admin", text("createUser", name), text("pwd", "p%+ ü secret"),
		bsoncore.AppendArrayElement(nil, "roles", bsoncore.NewArrayBuilder().AppendString("root").Build()),
		bsoncore.AppendArrayElement(nil, "mechanisms", kinds.Build()))
}

func TestTLS(t *testing.T) {
	for _, version := range mongotest.Versions() {
		t.Run("mongod "+version, func(t *testing.T) {
			certificate := mongotest.Certificate(t)
			folder := t.TempDir()
			file := filepath.Join(folder, "server.pem")
			if err := os.WriteFile(file, certificate, 0o600); err != nil {
				t.Fatal(err)
			}
			server := mongotest.Start(t, version, "--tlsMode", "preferTLS", "--tlsCertificateKeyFile", file)
			pool := x509.NewCertPool()
			pool.AppendCertsFromPEM(certificate)
			conn := dial(t, server.Address, wire.Config{TLS: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}})
			_, _ = conn.Call(command("wire", text("drop", "things")))
			// More than one record of TLS each way.
			if got := call(t, conn, insert("things", 0, 50_000)); got.N != 50_000 {
				t.Errorf("%d documents were inserted", got.N)
			}
			got := call(t, conn, command("wire", text("find", "things"), number("batchSize", 50_000)))
			if count, err := wire.Count(got.Batch); err != nil || count != 50_000 {
				t.Errorf("%d documents were read, %v", count, err)
			}
			if _, err := wire.Dial(t.Context(), server.Address, wire.Config{
				TLS: &tls.Config{MinVersion: tls.VersionTLS12},
			}); err == nil || !strings.Contains(err.Error(), "certificate") {
				t.Errorf("error %v, want one about a certificate of an unknown authority", err)
			}
		})
	}
}
