package wire_test

import (
	"os"
	"testing"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/mongobench/mongobench-operator/loadgen/driver/wire"
	"github.com/mongobench/mongobench-operator/loadgen/mongotest"
)

func TestMain(m *testing.M) {
	os.Exit(mongotest.Main(m))
}

// command is a request that holds a document of these elements, and the database they are for.
func command(database string, elements ...[]byte) []byte {
	start, request := bsoncore.AppendDocumentStart(make([]byte, wire.Lead, 256))
	for _, element := range elements {
		request = append(request, element...)
	}
	request = bsoncore.AppendStringElement(request, "$db", database)
	request, _ = bsoncore.AppendDocumentEnd(request, start)
	return request
}

func dial(tb testing.TB, address string, config wire.Config) *wire.Conn {
	tb.Helper()
	conn, err := wire.Dial(tb.Context(), address, config)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(conn.Close)
	return conn
}

// call sends a command that has to succeed, and returns its reply.
func call(tb testing.TB, conn *wire.Conn, request []byte) wire.Reply {
	tb.Helper()
	document, err := conn.Call(request)
	if err != nil {
		tb.Fatal(err)
	}
	reply, err := wire.Parse(document)
	if err != nil || !reply.OK || reply.Errors {
		tb.Fatalf("reply %+v, %v: %s", reply, err, bsoncore.Document(document))
	}
	return reply
}

func int32Element(name string, value int32) []byte {
	return bsoncore.AppendInt32Element(nil, name, value)
}

func stringElement(name, value string) []byte {
	return bsoncore.AppendStringElement(nil, name, value)
}

func TestCommandsOnRealServers(t *testing.T) {
	for _, version := range mongotest.Versions() {
		t.Run("mongod "+version, func(t *testing.T) {
			server := mongotest.Shared(t, version)
			conn := dial(t, server.Address, wire.Config{Application: "test"})
			hello := conn.Hello()
			if !hello.Writable || hello.Mongos || hello.Set != "" || !hello.Sessions || hello.MaxBatch != 100_000 ||
				hello.MaxMessageBytes != 48_000_000 || hello.MaxDocumentBytes != 16<<20 {
				t.Errorf("the server says %+v", hello)
			}
			for range 3 {
				call(t, conn, command("admin", int32Element("ping", 1)))
			}
		})
	}
}
func BenchmarkPing(b *testing.B) {
	server := mongotest.Shared(b, "6.0.5")
	conn := dial(b, server.Address, wire.Config{})
	ping := command("admin", int32Element("ping", 1))
	b.ReportAllocs()
	for b.Loop() {
		document, err := conn.Call(ping)
		if err != nil {
			b.Fatal(err)
		}
		if reply, err := wire.Parse(document); err != nil || !reply.OK {
			b.Fatal(err)
		}
	}
}
