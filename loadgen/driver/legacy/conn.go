package legacy

import (
	"context"
	"crypto/md5" //nolint:gosec // MONGODB-CR is defined by it.
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
	"github.com/mongobench/mongobench-operator/loadgen/driver/wire"
)

const adminDatabase = "admin"

// oldest are the limits of MongoDB 2.4, for a server that does not tell its own.
var oldest = wire.Hello{MaxMessageBytes: 48_000_000, MaxDocumentBytes: 16 << 20, MaxBatch: 1000}

// conn is a connection to one server. It serves one goroutine, but for Abort.
type conn struct {
	wire.Link
	hello wire.Hello
	// last is the number of the last request.
	last uint32
}

// dial connects to a server and logs in. The context's deadline bounds all of it.
func dial(ctx context.Context, address string, config wire.Config) (*conn, error) {
	c := &conn{}
	err := c.Dial(ctx, address, config, func() error {
		answer, err := c.run(adminDatabase, newCommand("isMaster", 1))
		if err != nil {
			return fmt.Errorf("handshake: %w", err)
		}
		if c.hello, err = wire.ReadHello(answer, oldest); err != nil || config.Login == nil {
			return err
		}
		return c.logIn(config.Login)
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// next is the number of the next request.
func (c *conn) next() uint32 {
	c.last++
	return c.last
}

// receive waits for the reply to the last request, which is valid until the next.
func (c *conn) receive() (reply, error) {
	message, err := c.Message(replyBytes)
	if err != nil {
		return reply{}, err
	}
	return parseReply(message, c.last)
}

// ask sends a query and returns its answer, valid until the next.
func (c *conn) ask(query []byte) (reply, error) {
	if err := c.Write(query); err != nil {
		return reply{}, err
	}
	answer, err := c.receive()
	if err == nil && answer.flags&replyCursorNotFound != 0 {
		const codeCursorNotFound = 43
		return reply{}, errorclass.Refused(codeCursorNotFound, "the cursor was not found")
	}
	if err == nil && answer.flags&replyQueryFailure != 0 {
		return reply{}, refused(answer.first(), "$err")
	}
	return answer, err
}

// refused is the error that a document has under a name.
func refused(document bson.Raw, name string) error {
	return errorclass.Refused(lookup.Number(document, "code"), lookup.Text(document, name))
}

// run sends a command and returns the document of its reply, valid until the next. A command that failed is an error in
// the form of the driver's.
func (c *conn) run(database string, document []byte) ([]byte, error) {
	var m messages
	m.command(c, database, document)
	if err := c.Write(m.bytes); err != nil {
		return nil, err
	}
	found, _, err := c.answer()
	return found, err
}

// answer waits for the reply to a command, and looks at what it says.
func (c *conn) answer() (bson.Raw, wire.Reply, error) {
	answer, err := c.receive()
	if err != nil {
		return nil, wire.Reply{}, err
	}
	document := answer.first()
	if answer.flags&replyQueryFailure != 0 {
		return nil, wire.Reply{}, refused(document, "$err")
	}
	found, err := wire.Parse(document)
	if err == nil {
		err = errorclass.OfReply(document, found)
	}
	return document, found, err
}

// acknowledged waits for the answer to a getLastError, and returns how many documents were written.
func (c *conn) acknowledged() (int64, error) {
	document, found, err := c.answer()
	if err == nil && lookup.Text(document, "err") != "" {
		err = refused(document, "err")
	}
	return found.N, err
}

// firstWithSCRAM is the wire version of MongoDB 3.0, which no longer knows MONGODB-CR for new users.
const firstWithSCRAM = 3

// mongodbCR is the mechanism of MongoDB 2.x and TokuMX.
const mongodbCR = "MONGODB-CR"

// logIn logs in by what the server knows. SCRAM-SHA-256 came with 4.0, whose users have SCRAM-SHA-1 too unless they
// were made without; so that is what is taken unless the connection string asks for the other.
func (c *conn) logIn(login *wire.Login) error {
	if c.hello.Version < firstWithSCRAM {
		return login.Failed(mongodbCR, c.challengeResponse(login))
	}
	return login.Authenticate([]string{wire.ScramSHA1}, c.run)
}

// challengeResponse proves the password without sending it.
func (c *conn) challengeResponse(login *wire.Login) error {
	answer, err := c.run(login.Source, newCommand("getnonce", 1))
	if err != nil {
		return err
	}
	nonce := lookup.Text(answer, "nonce")
	key := hexMD5(nonce + login.Username + hexMD5(login.Username+":mongo:"+login.Password))
	_, err = c.run(login.Source, newCommand("authenticate", 1, "user", login.Username, "nonce", nonce, "key", key))
	return err
}

func hexMD5(text string) string {
	sum := md5.Sum([]byte(text)) //nolint:gosec // As the import says.
	return hex.EncodeToString(sum[:])
}

// Codes of messages, from https://www.mongodb.com/docs/manual/legacy-opcodes/.
const (
	opReply       = 1
	opUpdate      = 2001
	opInsert      = 2002
	opQuery       = 2004
	opGetMore     = 2005
	opDelete      = 2006
	opKillCursors = 2007
)

// Flags of those messages.
const (
	querySlaveOK = 1 << 2

	insertContinueOnError = 1 << 0
	updateUpsert          = 1 << 0
	updateMulti           = 1 << 1
	deleteSingle          = 1 << 0

	replyCursorNotFound = 1 << 0
	replyQueryFailure   = 1 << 1
)

const (
	// commandCollection is where commands are sent to.
	commandCollection = "$cmd"

	headerBytes = 16
	// replyBytes are those of a reply in front of its documents.
	replyBytes = headerBytes + 20
)

// messages are one or more requests that are sent together.
type messages struct {
	bytes []byte
	// start is where the last one begins.
	start int
}

func (m *messages) reset() {
	m.bytes = m.bytes[:0]
}

// open starts a request with its first field. Its length and number are filled in by end.
func (m *messages) open(code uint32, first int32) {
	m.start = len(m.bytes)
	m.bytes = append(m.bytes, make([]byte, headerBytes)...)
	binary.LittleEndian.PutUint32(m.bytes[m.start+12:], code)
	m.int32(first)
}

// begin starts a request that is about a collection.
func (m *messages) begin(code uint32, first int32, database, collection string) {
	m.open(code, first)
	m.bytes = append(append(append(m.bytes, database...), '.'), collection...)
	m.bytes = append(m.bytes, 0)
}

func (m *messages) end(id uint32) {
	header := m.bytes[m.start:]
	binary.LittleEndian.PutUint32(header, uint32(len(header)))
	binary.LittleEndian.PutUint32(header[4:], id)
}

func (m *messages) int32(value int32) {
	m.bytes = binary.LittleEndian.AppendUint32(m.bytes, uint32(value))
}

func (m *messages) int64(value int64) {
	m.bytes = binary.LittleEndian.AppendUint64(m.bytes, uint64(value))
}

// document adds a document; none is an empty one.
func (m *messages) document(document []byte) {
	if len(document) == 0 {
		m.bytes = append(m.bytes, 5, 0, 0, 0, 0)
		return
	}
	m.bytes = append(m.bytes, document...)
}

// command adds a command as a query that one document answers.
func (m *messages) command(c *conn, database string, document []byte) {
	m.query(database, commandCollection, 0, -1)
	m.document(document)
	m.end(c.next())
}

// query starts an OP_QUERY: what it asks has to follow.
func (m *messages) query(database, collection string, skip, number int32) {
	m.begin(opQuery, querySlaveOK, database, collection)
	m.int32(skip)
	m.int32(number)
}

// getMore adds an OP_GET_MORE, for the next documents of a cursor.
func (m *messages) getMore(c *conn, database, collection string, number int32, cursor int64) {
	m.begin(opGetMore, 0, database, collection)
	m.int32(number)
	m.int64(cursor)
	m.end(c.next())
}

// reply is an answer. Its documents are slices of the connection's buffer.
type reply struct {
	flags  uint32
	cursor int64
	// count of documents, one after the other.
	count     int64
	documents []byte
}

// parseReply reads a whole message that answers the request with this number.
func parseReply(message []byte, request uint32) (reply, error) {
	if len(message) < replyBytes {
		return reply{}, fmt.Errorf("%w: it has %d bytes", wire.ErrProtocol, len(message))
	}
	if code := binary.LittleEndian.Uint32(message[12:]); code != opReply {
		return reply{}, fmt.Errorf("%w: it has code %d", wire.ErrProtocol, code)
	}
	if to := binary.LittleEndian.Uint32(message[8:]); to != request {
		return reply{}, fmt.Errorf("%w: it answers request %d, not %d", wire.ErrProtocol, to, request)
	}
	found := reply{
		flags:     binary.LittleEndian.Uint32(message[16:]),
		cursor:    int64(binary.LittleEndian.Uint64(message[20:])),
		count:     int64(binary.LittleEndian.Uint32(message[32:])),
		documents: message[replyBytes:],
	}
	rest := found.documents
	for range found.count {
		length, ok := documentLength(rest)
		if !ok {
			return reply{}, fmt.Errorf("%w: a document is cut off", wire.ErrProtocol)
		}
		rest = rest[length:]
	}
	if len(rest) > 0 {
		return reply{}, fmt.Errorf("%w: %d bytes follow its documents", wire.ErrProtocol, len(rest))
	}
	return found, nil
}

func documentLength(bytes []byte) (int, bool) {
	const smallest = 5
	if len(bytes) < smallest {
		return 0, false
	}
	length := binary.LittleEndian.Uint32(bytes)
	return int(length), length >= smallest && uint64(length) <= uint64(len(bytes)) && bytes[length-1] == 0
}

// first is the first document of a reply; nil if there is none.
func (r reply) first() bson.Raw {
	length, ok := documentLength(r.documents)
	if !ok {
		return nil
	}
	return bson.Raw(r.documents[:length])
}

// newCommand makes a document of alternating names and values, outside of any measurement.
func newCommand(fields ...any) bson.Raw {
	var command bson.D
	for i := 0; i+1 < len(fields); i += 2 {
		name, _ := fields[i].(string)
		command = append(command, bson.E{Key: name, Value: fields[i+1]})
	}
	return encoded(command)
}

// encoded is a document whose values are all of types that BSON has.
func encoded(document bson.D) bson.Raw {
	bytes, _ := bson.Marshal(document)
	return bytes
}
