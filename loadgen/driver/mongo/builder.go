package mongo

import (
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// builder writes the commands of operations, for sessions of both clients: its methods only append to its command.
type builder struct {
	target  *Target
	command command
	// operations are the terms of each operation of the step; a load has none.
	operations []terms
	// loading is the write concern of a load, encoded; empty where the server's default applies.
	loading []byte
	// inTransaction is set while commands are part of one, which then has the terms.
	inTransaction bool
}

// newBuilder encodes what the operations of a step declare.
func (t *Target) newBuilder(step planv1.Step) (builder, error) {
	b := builder{target: t, operations: make([]terms, 0, len(step.Operations))}
	if !t.terms.unacknowledged {
		// Whatever the connection string says, a load is acknowledged: it is what the measurement rests on.
		b.loading = t.terms.writeConcern
	}
	if step.WriteConcern != nil {
		var err error
		if b.loading, _, err = writeConcern(*step.WriteConcern); err != nil {
			return builder{}, err
		}
	}
	for _, operation := range step.Operations {
		own, err := t.termsOf(operation)
		if err != nil {
			return builder{}, fmt.Errorf("operation %q: %w", operation.Name, err)
		}
		b.operations = append(b.operations, own)
	}
	return b, nil
}

// terms of a request. Those of the parts of a whole are the whole's.
func (b *builder) terms(r *workload.Request) *terms {
	switch {
	case b.inTransaction:
		return &within
	case r.Operation < len(b.operations):
		return &b.operations[r.Operation]
	default:
		return &b.target.terms
	}
}

// beginWrite starts a command that changes documents.
func (b *builder) beginWrite(name, collection string, own *terms) *command {
	c := &b.command
	c.begin(name, collection)
	c.document("writeConcern", own.writeConcern)
	return c
}

// runCommand is the command of a RunCommand, with the concerns that the operation declares, if it does.
func (b *builder) runCommand(r *workload.Request) bson.Raw {
	declared, own := r.Declared, b.terms(r)
	if declared == nil || declared.ReadConcern == "" && declared.WriteConcern == nil {
		return r.Command
	}
	c := &b.command
	c.copyOpen(r.Command)
	if declared.ReadConcern != "" {
		c.document("readConcern", own.readConcern)
	}
	if declared.WriteConcern != nil {
		c.document("writeConcern", own.writeConcern)
	}
	return c.end()
}

// findAndModify writes the command of a FindOneAndUpdate. The server answers with the document as it was before.
func (b *builder) findAndModify(r *workload.Request) bson.Raw {
	c := b.beginWrite("findAndModify", r.Collection, b.terms(r))
	c.filter("query", r.Filter)
	c.document("sort", r.Sort)
	c.document("fields", r.Projection)
	if r.UpdateIsPipeline {
		c.array("update", r.Update)
	} else {
		c.document("update", r.Update)
	}
	if r.Upsert {
		c.bool("upsert", true)
	}
	return c.end()
}

// tail writes the command of a Tail: a cursor that waits at the end of a capped collection, and that leaves out the
// documents that are there already.
func (b *builder) tail(r *workload.Request, skip int64) bson.Raw {
	c := b.beginFind(r)
	c.positive("skip", skip)
	c.positive("batchSize", int64(r.BatchSize))
	c.bool("tailable", true)
	c.bool("awaitData", true)
	return c.end()
}

// bulkCommand is the command that does a part of a bulk write, and the name of its array.
func bulkCommand(kind workload.Kind) (name, array string) {
	switch kind {
	case workload.InsertOne:
		return "insert", "documents"
	case workload.DeleteOne, workload.DeleteMany:
		return "delete", "deletes"
	default:
		return "update", "updates"
	}
}

// bulkEnd is the end of those parts of a BulkWrite, from one on, that one command can do: the ones that follow one
// another and are of the same command and collection.
func bulkEnd(parts []workload.Request, from int) int {
	first, _ := bulkCommand(parts[from].Kind)
	for next := from + 1; next < len(parts); next++ {
		name, _ := bulkCommand(parts[next].Kind)
		if name != first || parts[next].Collection != parts[from].Collection {
			return next
		}
	}
	return len(parts)
}

// bulk writes one command of a BulkWrite, of the parts that bulkEnd found.
func (b *builder) bulk(r *workload.Request, from, end int) bson.Raw {
	name, array := bulkCommand(r.Parts[from].Kind)
	c := b.beginWrite(name, r.Parts[from].Collection, b.terms(r))
	c.bool("ordered", r.Ordered)
	c.beginArray(array)
	for i := range r.Parts[from:end] {
		c.beginDocumentAt(i)
		c.bulkPart(&r.Parts[from+i])
		c.endNested()
	}
	c.endNested()
	return c.end()
}

// bulkPart writes what is inside of one element of a bulk write's array.
func (c *command) bulkPart(part *workload.Request) {
	switch part.Kind {
	case workload.InsertOne:
		c.elements(part.Documents[0])
	case workload.DeleteOne, workload.DeleteMany:
		c.deleteElements(part)
	default:
		c.updateElements(part)
	}
}
