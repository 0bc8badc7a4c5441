package command

import (
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

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
