package mongo

import (
	"context"
	"strconv"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mongobench/mongobench-operator/loadgen"
)

// What a server takes in one command: 100,000 writes and 16 MiB. The command is one BSON document, so that its limit is
// that of a document, not the 48 MB of a message. A document that would not fit is left for the next command.
const (
	maxBatchDocuments = 100_000
	maxBatchBytes     = 16<<20 - 16<<10
)

// Encode writes one insert of as many documents as it may hold.
func (s *session) Encode(collection string, documents loadgen.Documents, first, count int64) int64 {
	c := &s.command
	c.begin("insert", collection)
	// A document that cannot be written is an error of the run, but one must not keep the others of its batch out.
	c.bool("ordered", false)
	c.document("writeConcern", s.target.writeConcern)
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
	_, err := s.write(ctx, s.command.bytes)
	return err
}
