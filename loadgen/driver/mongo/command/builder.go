package command

import (
	"cmp"
	"fmt"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// Builder writes the commands of operations, for sessions of both clients: its methods only append to its command.
type Builder struct {
	// defaults are the terms of what declares none.
	defaults *Terms
	Command  Buffer
	// operations are the terms of each operation of the step; a load has none.
	operations []Terms
	// Loading is the write concern of a load, encoded; empty where the server's default applies.
	Loading []byte
	// MaxTime has commands say how long the server may work at them, as their operations declare it. It is not for the
	// driver, which says so by itself when it is given a deadline.
	MaxTime bool
	// InTransaction is set while commands are part of one, which then has the terms.
	InTransaction bool
	snapshot      snapshot
}

// NewBuilder encodes what the operations of a step declare.
func NewBuilder(defaults *Terms, step planv1.Step) (Builder, error) {
	b := Builder{defaults: defaults, operations: make([]Terms, 0, len(step.Operations))}
	if !defaults.Unacknowledged {
		// Whatever the connection string says, a load is acknowledged: it is what the measurement rests on.
		b.Loading = defaults.WriteConcern
	}
	if step.WriteConcern != nil {
		var err error
		if b.Loading, _, err = writeConcern(*step.WriteConcern); err != nil {
			return Builder{}, err
		}
	}
	for _, operation := range step.Operations {
		own, err := defaults.of(operation)
		if err != nil {
			return Builder{}, fmt.Errorf("operation %q: %w", operation.Name, err)
		}
		b.operations = append(b.operations, own)
	}
	if step.Session == benchv1alpha1.SessionSnapshot {
		b.NewSnapshot()
	}
	return b, nil
}

// Terms of a request. Those of the parts of a whole are the whole's.
func (b *Builder) Terms(r *workload.Request) *Terms {
	switch {
	case b.InTransaction:
		return &Within
	case r.Operation < len(b.operations):
		return &b.operations[r.Operation]
	default:
		return b.defaults
	}
}

// BeginWrite starts a command that changes documents.
func (b *Builder) BeginWrite(name, collection string, own *Terms) *Buffer {
	c := &b.Command
	c.Begin(name, collection)
	c.Document("writeConcern", own.WriteConcern)
	return c
}

// RunCommand is the command of a RunCommand, with the concerns that the operation declares, if it does.
func (b *Builder) RunCommand(r *workload.Request) bson.Raw {
	declared := r.Declared
	if declared == nil || declared.ReadConcern == "" && declared.WriteConcern == nil {
		return r.Command
	}
	return b.CopyCommand(r)
}

// CopyCommand is runCommand, always written into the builder's own buffer.
func (b *Builder) CopyCommand(r *workload.Request) bson.Raw {
	c := &b.Command
	c.CopyOpen(r.Command)
	if r.Declared != nil && r.Declared.ReadConcern != "" {
		c.Document("readConcern", b.Terms(r).readConcern)
	}
	if r.Declared != nil && r.Declared.WriteConcern != nil {
		c.Document("writeConcern", b.Terms(r).WriteConcern)
	}
	return c.End()
}

// GetMore writes the command that asks for a cursor's next batch.
func (b *Builder) GetMore(r *workload.Request, cursor int64) bson.Raw {
	c := &b.Command
	c.begin()
	c.Number("getMore", cursor)
	c.Bytes = bsoncore.AppendStringElement(c.Bytes, "collection", r.Collection)
	c.positive("batchSize", int64(r.BatchSize))
	return c.End()
}

// LastError writes the command that asks how the write went that was sent before it, acknowledged as the concern says.
func (b *Builder) LastError(concern []byte) bson.Raw {
	c := &b.Command
	c.begin()
	c.Number("getlasterror", 1)
	if len(concern) > 0 {
		c.elements(concern)
	}
	return c.End()
}

// Load writes an insert of as many of these documents as there may be and fit, and returns how many.
func (b *Builder) Load(batch Batch, documents loadgen.Documents, first, count int64) int64 {
	c := &b.Command
	c.Begin("insert", batch.Collection)
	c.Bool("ordered", batch.Ordered)
	c.Document("writeConcern", b.Loading)
	c.BeginArray("documents")
	var encoded int64
	for encoded < min(count, batch.MaxDocuments) {
		before := len(c.Bytes)
		c.at(int(encoded))
		c.Bytes = documents.Append(c.Bytes, first+encoded)
		if len(c.Bytes)-c.Lead > batch.MaxBytes && encoded > 0 {
			c.Bytes = c.Bytes[:before]
			break
		}
		encoded++
	}
	c.EndNested()
	c.End()
	return encoded
}

// Batch is what an insert of a load is for, and the most that it may hold.
type Batch struct {
	Collection string
	// Ordered lets it end at its first error.
	Ordered      bool
	MaxDocuments int64
	MaxBytes     int
}

// UnacknowledgedWrites says whether an operation's writes go without a reply.
func (b *Builder) UnacknowledgedWrites(operation int) bool {
	return operation < len(b.operations) && b.operations[operation].Unacknowledged
}

// Repeatable says whether servers remember all of these writes, so that they may be sent again.
func Repeatable(parts []workload.Request) bool {
	return !slices.ContainsFunc(parts, func(part workload.Request) bool { return !part.Kind.Row().Repeatable })
}

// FindAndModify writes the command of what changes one document and is answered with it, as it was before.
func (b *Builder) FindAndModify(r *workload.Request) bson.Raw {
	c := b.BeginWrite("findAndModify", r.Collection, b.Terms(r))
	c.filter("query", r.Filter)
	c.Document("sort", r.Sort)
	c.Document("fields", r.Projection)
	c.own(r)
	b.Around(r)
	if r.Kind == operation.FindOneAndDelete {
		c.Bool("remove", true)
		return c.End()
	}
	c.change("update", r)
	c.arrayFilters(r)
	if r.Upsert {
		c.Bool("upsert", true)
	}
	return c.End()
}

// Tail writes the command of a Tail: a cursor that waits at the end of a capped collection, and that leaves out the
// documents that are there already.
func (b *Builder) Tail(r *workload.Request, skip int64) bson.Raw {
	c := b.beginFind(r)
	c.positive("skip", skip)
	c.positive("batchSize", int64(r.BatchSize))
	c.Bool("tailable", true)
	c.Bool("awaitData", true)
	return c.End()
}

// WriteOf is the command that does a write, and the name of its array.
func WriteOf(kind operation.Kind) (name, array string) {
	switch kind.Row().Effect {
	case operation.Inserts:
		return "insert", "documents"
	case operation.Updates:
		return "update", "updates"
	case operation.Deletes:
		return "delete", "deletes"
	case operation.Unknown, operation.Reads, operation.ByPipeline, operation.ByParts, operation.Nothing:
	}
	return "", ""
}

// EachInsert calls do for one command of an InsertMany after the other: for the request itself where one command can
// take all of its documents, and otherwise for requests of as many as fit each, as InsertMany of the driver does. It
// ends at the first error, as an ordered insert does.
func EachInsert(r *workload.Request, maxDocuments, maxBytes int, do func(*workload.Request) error) error {
	end := insertEnd(r.Documents, maxDocuments, maxBytes)
	if end == len(r.Documents) {
		return do(r)
	}
	part := *r
	for rest := r.Documents; len(rest) > 0; rest = rest[end:] {
		end = insertEnd(rest, maxDocuments, maxBytes)
		part.Documents = rest[:end]
		if err := do(&part); err != nil {
			return err
		}
	}
	return nil
}

// aroundDocument is at most what stands around a document in an array: its type, and its index with a zero byte.
const aroundDocument = 12

// insertEnd is how many of the documents fit into one command: at least one, which the server may refuse by itself.
func insertEnd(documents []bson.Raw, maxDocuments, maxBytes int) int {
	bytes := 0
	for i, document := range documents {
		bytes += len(document) + aroundDocument
		if i > 0 && (bytes > maxBytes || i == maxDocuments) {
			return i
		}
	}
	return len(documents)
}

// BulkEnd is the end of those parts of a BulkWrite, from one on, that one command can do: the ones that follow one
// another, are of the same command and collection, and fit into it together.
func BulkEnd(parts []workload.Request, from int) int {
	first, _ := WriteOf(parts[from].Kind)
	bytes := sizeOf(&parts[from])
	for next := from + 1; next < len(parts); next++ {
		name, _ := WriteOf(parts[next].Kind)
		bytes += sizeOf(&parts[next])
		if name != first || parts[next].Collection != parts[from].Collection || bytes > MaxBatchBytes {
			return next
		}
	}
	return len(parts)
}

// sizeOf is about how many bytes a part takes in its command.
func sizeOf(part *workload.Request) int {
	const names = 64
	bytes := names + len(part.Filter) + len(part.Update)
	for _, document := range part.Documents {
		bytes += len(document)
	}
	return bytes
}

// EachRun calls do for one run of a BulkWrite's parts after the other that one command can do. An unordered one goes on
// after an error, and the error is the first.
func EachRun(r *workload.Request, do func(from, end int) error) error {
	var first error
	for from := 0; from < len(r.Parts); {
		end := BulkEnd(r.Parts, from)
		err := do(from, end)
		if err != nil && r.Ordered {
			return err
		}
		first = cmp.Or(first, err)
		from = end
	}
	return first
}

// Bulk writes one command of a BulkWrite, of the parts that BulkEnd found.
func (b *Builder) Bulk(r *workload.Request, from, end int) bson.Raw {
	name, array := WriteOf(r.Parts[from].Kind)
	c := b.BeginWrite(name, r.Parts[from].Collection, b.Terms(r))
	b.Around(r)
	c.Bool("ordered", r.Ordered)
	c.BeginArray(array)
	for i := range r.Parts[from:end] {
		c.beginDocumentAt(i)
		c.bulkPart(&r.Parts[from+i])
		c.EndNested()
	}
	c.EndNested()
	return c.End()
}

// bulkPart writes what is inside of one element of a bulk write's array.
func (c *Buffer) bulkPart(part *workload.Request) {
	switch name, _ := WriteOf(part.Kind); name {
	case "insert":
		c.elements(part.Documents[0])
	case "delete":
		c.deleteElements(part)
	default:
		c.updateElements(part)
	}
}
