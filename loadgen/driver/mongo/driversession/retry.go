package driversession

import (
	"context"
	"errors"
	"fmt"

	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/command"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
)

// firstTxnNumber is larger than any number that the driver gave a transaction of the same server session before.
const firstTxnNumber = 1 << 40

// retry decides which commands are sent once more. The zero value sends nothing twice.
//
// A read may be sent again at any time. A write may be only where the servers remember what they did: a number in the
// command, together with the session, lets them know it again. Servers that are alone do not remember, and of an update
// or delete of many documents none does: such writes are never sent twice.
type retry struct {
	enabled bool
	// session whose writes are numbered; nil where servers do not remember.
	session *driver.Session
	number  int64
	element []byte
	// allowed and numbered say it of the command that is under way.
	allowed, numbered bool
}

// enable turns it on, and asks the server what it is.
func (y *retry) enable(ctx context.Context, client *driver.Client) error {
	y.enabled = true
	hello, err := lookup.Admin(ctx, client)(lookup.IsMaster)
	if err != nil {
		return fmt.Errorf("asking the server whether it remembers writes: %w", err)
	}
	if lookup.Text(hello, "setName") == "" && !lookup.IsMongos(hello) {
		return nil
	}
	// The session is never given back: its numbers are not those that the driver would go on with.
	y.session, err = client.StartSession(options.Session().SetCausalConsistency(false))
	if err != nil {
		return fmt.Errorf("starting the session of retryable writes: %w", err)
	}
	y.number = firstTxnNumber
	return nil
}

// beginRead is called before a command is written that changes nothing.
func (y *retry) beginRead(c *command.Buffer, may bool) {
	y.allowed, y.numbered = y.enabled && may, false
	c.Trailer = nil
}

// beginWrite is called before a command is written that changes something: it gets a number if it may be sent twice.
func (y *retry) beginWrite(c *command.Buffer, may bool) {
	y.numbered = y.session != nil && may
	y.allowed = y.numbered
	c.Trailer = nil
	if y.numbered {
		y.number++
		y.element = bsoncore.AppendInt64Element(y.element[:0], "txnNumber", y.number)
		c.Trailer = y.element
	}
}

// context is what the command has to be sent with.
func (y *retry) context(ctx context.Context) context.Context {
	if !y.numbered {
		return ctx
	}
	return driver.NewSessionContext(ctx, y.session)
}

// again says whether the command that failed is to be sent once more.
func (y *retry) again(err error) bool {
	if !y.allowed || errors.Is(err, context.Canceled) || driver.IsTimeout(err) {
		return false
	}
	if driver.IsNetworkError(err) {
		return true
	}
	var server driver.ServerError
	if !errors.As(err, &server) {
		return false
	}
	return errorclass.Retryable(server)
}
