package mongo

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/mongobench/mongobench-operator/loadgen"
)

// What a server takes in one command: 100,000 writes and 16 MiB. The command is one BSON document, so that its limit is
// that of a document, not the 48 MB of a message. A document that would not fit is left for the next command.
const (
	maxBatchDocuments = 100_000
	maxBatchBytes     = 16<<20 - 16<<10
)

// duplicateKey is the server's code for a key of a unique index that is there already.
const duplicateKey = 11000

// Encode writes one insert of as many documents as it may hold.
func (s *session) Encode(collection string, documents loadgen.Documents, first, count int64) int64 {
	// Servers that remember writes know a batch again; the trailing number is the same for whatever is in it.
	s.retry.beginWrite(&s.command, true)
	c := &s.command
	c.begin("insert", collection)
	// Unless the plan wants it otherwise, one document that cannot be written must not keep the others of its batch out.
	c.bool("ordered", s.ordered)
	c.document("writeConcern", s.loading)
	c.beginArray("documents")
	var encoded int64
	for encoded < min(count, maxBatchDocuments) {
		before := len(c.bytes)
		c.bytes = append(c.bytes, byte(bson.TypeEmbeddedDocument))
		c.bytes = strconv.AppendInt(c.bytes, encoded, 10)
		c.bytes = documents.Append(append(c.bytes, 0), first+encoded)
		if len(c.bytes) > maxBatchBytes && encoded > 0 {
			c.bytes = c.bytes[:before]
			break
		}
		encoded++
	}
	c.endNested()
	c.end()
	return encoded
}

// Pipeline is one batch: the driver waits for every reply.
func (s *session) Pipeline() int {
	return 1
}

// Acknowledge has nothing to wait for: Send did.
func (s *session) Acknowledge(context.Context) error {
	return nil
}

// Send sends what Encode wrote, and waits for the reply.
func (s *session) Send(ctx context.Context) error {
	var reply loadgen.Reply
	err := s.change(ctx, s.command.bytes, &reply)
	if s.resume && onlyThereAlready(err) {
		return nil
	}
	return err
}

// onlyThereAlready says of an insert's error that all that was wrong with it are documents of the same _id that are
// there already. A unique index of the dataset's own is another matter: what it refuses was never loaded.
func onlyThereAlready(err error) bool {
	var refused driver.WriteException
	if !errors.As(err, &refused) || refused.WriteConcernError != nil || len(refused.WriteErrors) == 0 {
		return false
	}
	return !slices.ContainsFunc(refused.WriteErrors, func(e driver.WriteError) bool {
		return e.Code != duplicateKey || !ofID(e.Raw)
	})
}

// ofID says of a duplicate key whether it is the _id. Servers before 4.4 say so in the text only.
func ofID(refused bson.Raw) bool {
	if pattern, ok := refused.Lookup("keyPattern").DocumentOK(); ok {
		elements, err := pattern.Elements()
		return err == nil && len(elements) == 1 && elements[0].Key() == "_id"
	}
	_, index, found := strings.Cut(text(refused, "errmsg"), " index: ")
	return found && strings.HasPrefix(index, "_id_ ")
}
