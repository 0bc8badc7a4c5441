package command

import (
	"errors"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// own adds those options that each statement of a write has for itself.
func (c *Buffer) own(r *workload.Request) {
	if r.Options == nil {
		return
	}
	if hint := r.Options.Hint; hint.Type != 0 {
		c.Bytes = bsoncore.AppendHeader(c.Bytes, bsoncore.Type(hint.Type), "hint")
		c.Bytes = append(c.Bytes, hint.Value...)
	}
	c.Document("collation", r.Options.Collation)
}

// arrayFilters adds which elements of arrays an update changes.
func (c *Buffer) arrayFilters(r *workload.Request) {
	if len(r.ArrayFilters) > 0 {
		c.array("arrayFilters", r.ArrayFilters)
	}
}

// Around adds those options that a command has as a whole.
func (b *Builder) Around(r *workload.Request) {
	if r.Options == nil {
		return
	}
	c := &b.Command
	c.Document("let", r.Let)
	if comment := r.Options.Comment; comment != "" {
		c.Bytes = bsoncore.AppendStringElement(c.Bytes, "comment", comment)
	}
	if b.MaxTime {
		c.positive("maxTimeMS", r.Options.MaxTimeMillis)
	}
}

// InsertThenFind does both halves of an InsertThenFind: the insert, and the read of the same document by its _id. Each
// half adds to the same reply.
func InsertThenFind(r *workload.Request, do func(half *workload.Request) error) error {
	id, err := r.Documents[0].LookupErr("_id")
	if err != nil {
		return errors.New("the document cannot be read back: it has no _id")
	}
	half := *r
	half.Kind = operation.InsertOne
	if err := do(&half); err != nil {
		return err
	}
	half.Kind, half.Documents = operation.FindOne, nil
	half.Filter = bson.Raw(bsoncore.NewDocumentBuilder().
		AppendValue("_id", bsoncore.Value{Type: bsoncore.Type(id.Type), Data: id.Value}).Build())
	return do(&half)
}
