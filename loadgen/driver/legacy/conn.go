package legacy

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/driver/wire"
)

const (
	// firstBufferBytes is how large a read buffer is before a reply needs more.
	firstBufferBytes = 16 << 10
	adminDatabase    = "admin"
	// commandCollection is where commands are sent to.
	commandCollection = "$cmd"
)

// hello is what a server says of itself.
type hello struct {
	wireVersion                  int
	writable                     bool
	set, primary                 string
	hosts                        []string
	maxMessageBytes, maxDocument int
	maxBatch                     int
}

// conn is a connection to one server. It serves one goroutine, but for abort.
type conn struct {
	conn    net.Conn
	address string
	hello   hello

	in                []byte
	last              uint32
	bytesIn, bytesOut atomic.Int64
}

// dial connects to a server and logs in. The context's deadline bounds all of it.
func dial(ctx context.Context, address string, config wire.Config) (*conn, error) {
	if config.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, config.Timeout)
		defer cancel()
	}
	plain, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("connecting to %s: %w", address, err)
	}
	c := &conn{conn: plain, address: address, in: make([]byte, firstBufferBytes)}
	stop := context.AfterFunc(ctx, func() { _ = plain.SetDeadline(past) })
	err = c.open(ctx, config)
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		_ = plain.Close()
		return nil, fmt.Errorf("opening a connection to %s: %w", address, err)
	}
	return c, nil
}

// past is a deadline that ends at once what waits.
var past = time.Unix(1, 0)

func (c *conn) open(ctx context.Context, config wire.Config) error {
	if config.TLS != nil {
		secure := config.TLS.Clone()
		if host, _, err := net.SplitHostPort(c.address); err == nil && secure.ServerName == "" {
			secure.ServerName = host
		}
		secured := tls.Client(c.conn, secure)
		if err := secured.HandshakeContext(ctx); err != nil {
			return fmt.Errorf("TLS: %w", err)
		}
		c.conn = secured
	}
	answer, err := c.run(adminDatabase, newCommand("isMaster", int32(1)))
	if err != nil {
		return fmt.Errorf("handshake: %w", err)
	}
	c.hello = readHello(answer)
	if config.Login == nil {
		return nil
	}
	return c.logIn(config.Login)
}

// The limits of a server that does not tell its own: those of MongoDB 2.4.
const (
	oldMessageBytes  = 48_000_000
	oldDocumentBytes = 16 << 20
	oldBatch         = 1000
)

func readHello(document bson.Raw) hello {
	orElse := func(told int64, otherwise int) int {
		if told > 0 {
			return int(told)
		}
		return otherwise
	}
	found := hello{
		wireVersion:     int(number(document, "maxWireVersion")),
		writable:        number(document, "ismaster") == 1,
		set:             text(document, "setName"),
		primary:         text(document, "primary"),
		maxMessageBytes: orElse(number(document, "maxMessageSizeBytes"), oldMessageBytes),
		maxDocument:     orElse(number(document, "maxBsonObjectSize"), oldDocumentBytes),
		maxBatch:        orElse(number(document, "maxWriteBatchSize"), oldBatch),
	}
	if hosts, ok := document.Lookup("hosts").ArrayOK(); ok {
		values, _ := hosts.Values()
		for _, value := range values {
			if host, ok := value.StringValueOK(); ok {
				found.hosts = append(found.hosts, host)
			}
		}
	}
	return found
}

// send sends requests. The last one's number is the one that a reply answers.
func (c *conn) send(bytes []byte) error {
	written, err := c.conn.Write(bytes)
	c.bytesOut.Add(int64(written))
	return err
}

// next is the number of the next request.
func (c *conn) next() uint32 {
	c.last++
	return c.last
}

// receive waits for the reply to the last request, which is valid until the next.
func (c *conn) receive() (reply, error) {
	if err := c.read(0, headerBytes); err != nil {
		return reply{}, err
	}
	length := int(binary.LittleEndian.Uint32(c.in))
	if length < replyBytes || length > largestReply {
		return reply{}, fmt.Errorf("%w: it has %d bytes", errProtocol, length)
	}
	if length > len(c.in) {
		larger := make([]byte, max(length, 2*len(c.in)))
		copy(larger, c.in[:headerBytes])
		c.in = larger
	}
	if err := c.read(headerBytes, length); err != nil {
		return reply{}, err
	}
	return parseReply(c.in[:length], c.last)
}

func (c *conn) read(from, to int) error {
	read, err := io.ReadFull(c.conn, c.in[from:to])
	c.bytesIn.Add(int64(read))
	return err
}

// run sends a command and returns the document of its reply, valid until the next. A command that failed is an error in
// the form of the driver's.
func (c *conn) run(database string, document []byte) ([]byte, error) {
	var m messages
	c.appendCommand(&m, database, document)
	if err := c.send(m.bytes); err != nil {
		return nil, err
	}
	answer, err := c.receive()
	if err != nil {
		return nil, err
	}
	return succeeded(answer)
}

// appendCommand appends a command as a query that one document answers.
func (c *conn) appendCommand(m *messages, database string, document []byte) {
	m.begin(opQuery)
	m.int32(querySlaveOK)
	m.namespace(database, commandCollection)
	m.int32(0)
	m.int32(-1)
	m.document(document)
	m.end(c.next())
}

// succeeded is the document of a command's reply, or an error that says why it failed.
func succeeded(answer reply) (bson.Raw, error) {
	document := answer.first()
	if document == nil {
		return nil, fmt.Errorf("%w: it has no document", errProtocol)
	}
	if answer.flags&replyQueryFailure != 0 {
		return nil, errorclass.Refused(int32(number(document, "code")), text(document, "$err"))
	}
	if number(document, "ok") != 1 {
		return nil, refusedBy(document)
	}
	return document, nil
}

// codes that servers before 2.6 told only in words.
const (
	codeNotPrimary      = 10107
	codeCommandNotFound = 59
)

// refusedBy is the error of a command's reply.
func refusedBy(document bson.Raw) error {
	code, message := int32(number(document, "code")), text(document, "errmsg")
	if code == 0 {
		switch {
		case message == "not master":
			code = codeNotPrimary
		case len(message) >= 11 && message[:11] == "no such cmd", len(message) >= 15 && message[:15] == "no such command":
			code = codeCommandNotFound
		}
	}
	return errorclass.Refused(code, message)
}

// abort makes what waits on the connection fail. Any goroutine may call it.
func (c *conn) abort() {
	_ = c.conn.SetDeadline(past)
}

func (c *conn) close() {
	_ = c.conn.Close()
}

// errAborted is what an operation says that took longer than it may.
var errAborted = errors.New("no reply in time")
