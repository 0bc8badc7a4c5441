package wire_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/mongobench/mongobench-operator/loadgen/driver/wire"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
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

func number(name string, value int32) []byte {
	return bsoncore.AppendInt32Element(nil, name, value)
}

func text(name, value string) []byte {
	return bsoncore.AppendStringElement(nil, name, value)
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
	return succeeded(tb, document, err)
}

func succeeded(tb testing.TB, document []byte, err error) wire.Reply {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
	reply, err := wire.Parse(document)
	if err != nil || !reply.OK || reply.Errors {
		tb.Fatalf("reply %+v, %v: %s", reply, err, bsoncore.Document(document))
	}
	return reply
}

// script is what a server does with one request of a connection, after the handshake.
type script func(conn net.Conn, request []byte) error

// serve starts a server that answers handshakes as a mongod of its own, and all else by the script.
func serve(tb testing.TB, do script) (address string) {
	tb.Helper()
	listener, err := new(net.ListenConfig).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go answer(conn, do)
		}
	}()
	return listener.Addr().String()
}

func answer(conn net.Conn, do script) {
	defer func() { _ = conn.Close() }()
	request, err := readRequest(conn, nil)
	if err == nil {
		_, err = conn.Write(reply(request, number("ok", 1), bsoncore.AppendBooleanElement(nil, "isWritablePrimary", true)))
	}
	for err == nil {
		if request, err = readRequest(conn, request); err == nil {
			err = do(conn, request)
		}
	}
}

// readRequest reads a whole message into a buffer.
func readRequest(conn net.Conn, buffer []byte) ([]byte, error) {
	buffer = append(buffer[:0], 0, 0, 0, 0)
	if _, err := io.ReadFull(conn, buffer); err != nil {
		return nil, err
	}
	length := int(binary.LittleEndian.Uint32(buffer))
	for len(buffer) < length {
		buffer = append(buffer, 0)
	}
	_, err := io.ReadFull(conn, buffer[4:])
	return buffer, err
}

// reply is a message that answers a request with a document of these elements.
func reply(request []byte, elements ...[]byte) []byte {
	start, message := bsoncore.AppendDocumentStart(make([]byte, wire.Lead))
	for _, element := range elements {
		message = append(message, element...)
	}
	message, _ = bsoncore.AppendDocumentEnd(message, start)
	binary.LittleEndian.PutUint32(message, uint32(len(message)))
	copy(message[8:], request[4:8])
	binary.LittleEndian.PutUint32(message[12:], 2013)
	return message
}

func TestRepliesComeInAnyPieces(t *testing.T) {
	payload := strings.Repeat("x", 100_000)
	for name, pieces := range map[string]func([]byte) [][]byte{
		"at once":              func(m []byte) [][]byte { return [][]byte{m} },
		"a part of the length": func(m []byte) [][]byte { return [][]byte{m[:2], m[2:]} },
		"a part of the header": func(m []byte) [][]byte { return [][]byte{m[:9], m[9:]} },
		"header and document":  func(m []byte) [][]byte { return [][]byte{m[:16], m[16:]} },
		"many":                 func(m []byte) [][]byte { return [][]byte{m[:1], m[1:30], m[30:5000], m[5000:]} },
	} {
		t.Run(name, func(t *testing.T) {
			conn := dial(t, serve(t, func(conn net.Conn, request []byte) error {
				message := reply(request, number("ok", 1), number("n", 7), text("payload", payload))
				return writePieces(conn, pieces(message))
			}), wire.Config{})
			for range 3 {
				if got := call(t, conn, command("test", number("any", 1))); got.N != 7 {
					t.Errorf("reply %+v", got)
				}
			}
		})
	}
}

// writePieces leaves the client the time to see each piece before the next one comes.
func writePieces(conn net.Conn, pieces [][]byte) error {
	for _, piece := range pieces {
		if _, err := conn.Write(piece); err != nil {
			return err
		}
		<-time.After(2 * time.Millisecond)
	}
	return nil
}

func TestPipelinedRepliesAreReadOneByOne(t *testing.T) {
	const requests = 4
	var held []byte
	conn := dial(t, serve(t, func(conn net.Conn, request []byte) error {
		held = append(held, reply(request, number("ok", 1), number("n", int32(request[4])))...)
		if len(held) < requests*len(reply(request, number("ok", 1), number("n", 1))) {
			return nil
		}
		_, err := conn.Write(held)
		return err
	}), wire.Config{})
	for range requests {
		if err := conn.Send(command("test", number("any", 1))); err != nil {
			t.Fatal(err)
		}
	}
	for i := range requests {
		document, err := conn.Receive()
		// The handshake was the first request.
		if got := succeeded(t, document, err); got.N != int64(i)+2 {
			t.Errorf("reply %d has n = %d", i, got.N)
		}
	}
}

func TestARequestLargerThanTheSocketsBufferIsSentWhole(t *testing.T) {
	big := bytes.Repeat([]byte{7}, 20<<20)
	conn := dial(t, serve(t, func(conn net.Conn, request []byte) error {
		_, err := conn.Write(reply(request, number("ok", 1), number("n", int32(bytes.Count(request, big)))))
		return err
	}), wire.Config{})
	if got := call(t, conn, command("test", bsoncore.AppendBinaryElement(nil, "big", 0, big))); got.N != 1 {
		t.Error("not all bytes arrived")
	}
	call(t, conn, command("test", number("small", 1)))
	if conn.BytesOut() < int64(len(big)) || conn.BytesIn() < 3*30 {
		t.Errorf("%d bytes out and %d in were counted", conn.BytesOut(), conn.BytesIn())
	}
}

func TestATooLargeRequestIsNotSent(t *testing.T) {
	conn := dial(t, serve(t, func(conn net.Conn, request []byte) error {
		_, err := conn.Write(reply(request, number("ok", 1)))
		return err
	}), wire.Config{})
	big := command("test", bsoncore.AppendBinaryElement(nil, "big", 0, make([]byte, 48_000_000)))
	if _, err := conn.Call(big); !errors.Is(err, wire.ErrTooLarge) {
		t.Errorf("error %v, want %v", err, wire.ErrTooLarge)
	}
	call(t, conn, command("test", number("small", 1)))
}

func TestBrokenRepliesAreErrors(t *testing.T) {
	patch := func(at int, value uint32) func([]byte) []byte {
		return func(m []byte) []byte {
			binary.LittleEndian.PutUint32(m[at:], value)
			return m
		}
	}
	for name, change := range map[string]func([]byte) []byte{
		"a length of nothing":       patch(0, 0),
		"a length below the header": patch(0, 15),
		"a length beyond all":       patch(0, 1<<31),
		"another request's":         patch(8, 99),
		"another code":              patch(12, 1),
		"more to come":              patch(16, 2),
		"a checksum of too little":  patch(16, 1),
		"an unknown flag":           patch(16, 1<<5),
		"a document too long":       patch(21, 1<<30),
		"a document too short":      patch(21, 3),
		"a section of no kind":      func(m []byte) []byte { m[20] = 9; return m },
		"no document": func(m []byte) []byte {
			m[20] = 1
			return m
		},
	} {
		t.Run(name, func(t *testing.T) {
			conn := dial(t, serve(t, func(conn net.Conn, request []byte) error {
				_, err := conn.Write(change(reply(request, number("ok", 1))))
				return err
			}), wire.Config{})
			if _, err := conn.Call(command("test", number("any", 1))); !errors.Is(err, wire.ErrProtocol) {
				t.Errorf("error %v, want %v", err, wire.ErrProtocol)
			}
		})
	}
}

func TestAClosedConnectionIsAnError(t *testing.T) {
	for name, do := range map[string]script{
		"before the reply": func(net.Conn, []byte) error { return io.EOF },
		"within the reply": func(conn net.Conn, request []byte) error {
			_, _ = conn.Write(reply(request, number("ok", 1))[:20])
			return io.EOF
		},
	} {
		t.Run(name, func(t *testing.T) {
			conn := dial(t, serve(t, do), wire.Config{})
			if _, err := conn.Call(command("test", number("any", 1))); err == nil {
				t.Error("there is no error")
			}
		})
	}
}

func TestAbortEndsWhatWaits(t *testing.T) {
	asked := make(chan struct{}, 1)
	conn := dial(t, serve(t, func(net.Conn, []byte) error {
		asked <- struct{}{}
		return nil
	}), wire.Config{})
	go func() {
		<-asked
		conn.Abort()
	}()
	if _, err := conn.Call(command("test", number("any", 1))); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("error %v, want %v", err, os.ErrDeadlineExceeded)
	}
}

func TestDialEndsWithItsContextAndItsTimeout(t *testing.T) {
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	if _, err := wire.Dial(t.Context(), listener.Addr().String(), wire.Config{
		Timeout: 50 * time.Millisecond,
	}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want %v", err, context.DeadlineExceeded)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := wire.Dial(ctx, listener.Addr().String(), wire.Config{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

func TestACallAllocatesNothing(t *testing.T) {
	var message []byte
	conn := dial(t, serve(t, func(conn net.Conn, request []byte) error {
		if message == nil {
			message = reply(request, number("n", 1), number("ok", 1))
		}
		copy(message[8:], request[4:8])
		_, err := conn.Write(message)
		return err
	}), wire.Config{})
	request := command("test", number("any", 1))
	allocations := drivertest.Allocations(func() {
		document, err := conn.Call(request)
		if reply, err2 := wire.Parse(document); err != nil || err2 != nil || reply.N != 1 {
			t.Fatal(reply, err, err2)
		}
	})
	if allocations > 0 {
		t.Errorf("a call allocates %.1f times, want none", allocations)
	}
}

func BenchmarkPing(b *testing.B) {
	server := mongotest.Shared(b, "6.0.5")
	conn := dial(b, server.Address, wire.Config{})
	ping := command("admin", number("ping", 1))
	b.ReportAllocs()
	for b.Loop() {
		call(b, conn, ping)
	}
}
