package legacy

import (
	"context"
	"crypto/md5" //nolint:gosec // MONGODB-CR is defined by it.
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
