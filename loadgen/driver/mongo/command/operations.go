package command

import (
	"strconv"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// Answer says what a server answers a command with.
type Answer uint8

// The answers.
const (
	// Various is that of kinds whose requests are several commands, or any.
	Various Answer = iota
	// Documents are all in one reply.
	Documents
	// Cursor leads to documents, the first of which are in the reply.
	Cursor
	// Changes is the number of documents that were written.
	Changes
	// Number is one that is no number of documents that were returned or written.
	Number
)

// Form is how a request is made a command.
type Form struct {
	Write  func(*Builder, *workload.Request) bson.Raw
	Answer Answer
}

// forms has one of every kind that is one command, and of the second half of a ReadModifyWrite.
var forms = [256]Form{
	operation.InsertOne:              {(*Builder).Change, Changes},
	operation.InsertMany:             {(*Builder).Change, Changes},
	operation.FindOne:                {(*Builder).FindOne, Documents},
	operation.Find:                   {(*Builder).Find, Cursor},
	operation.UpdateOne:              {(*Builder).Change, Changes},
	operation.ReplaceOne:             {(*Builder).Change, Changes},
	operation.DeleteOne:              {(*Builder).Change, Changes},
	operation.ReadModifyWrite:        {(*Builder).Change, Changes},
	operation.Aggregate:              {(*Builder).Aggregate, Cursor},
	operation.CountDocuments:         {(*Builder).Count, Documents},
	operation.UpdateMany:             {(*Builder).Change, Changes},
	operation.DeleteMany:             {(*Builder).Change, Changes},
	operation.FindOneAndUpdate:       {(*Builder).FindAndModify, Changes},
	operation.Distinct:               {(*Builder).Distinct, Documents},
	operation.FindOneAndDelete:       {(*Builder).FindAndModify, Changes},
	operation.FindOneAndReplace:      {(*Builder).FindAndModify, Changes},
	operation.EstimatedDocumentCount: {(*Builder).Estimate, Number},
}

// FormOf is the form of a kind; it has no Write when that is not one command.
func FormOf(kind operation.Kind) *Form {
	return &forms[kind]
}

// Change writes the command of an operation that inserts, updates, replaces or deletes, and of the second half of a
// ReadModifyWrite.
func (b *Builder) Change(r *workload.Request) bson.Raw {
	name, array := WriteOf(r.Kind)
	c := b.BeginWrite(name, r.Collection, b.Terms(r))
	b.Around(r)
	c.BeginArray(array)
	if r.Kind.Row().Effect == operation.Inserts {
		for i, document := range r.Documents {
			c.at(i)
			c.Bytes = append(c.Bytes, document...)
		}
	} else {
		c.beginDocumentAt(0)
		c.bulkPart(r)
		c.EndNested()
	}
	c.EndNested()
	return c.End()
}

// updateElements writes one of the updates of an update command.
func (c *Buffer) updateElements(r *workload.Request) {
	c.filter("q", r.Filter)
	c.change("u", r)
	if r.Kind == operation.UpdateMany {
		c.Bool("multi", true)
	}
	if r.Upsert {
		c.Bool("upsert", true)
	}
	if r.Options != nil {
		c.Document("sort", r.Sort)
		c.own(r)
		c.arrayFilters(r)
	}
}

// change adds what becomes of a document: the one that replaces it, operators, or a pipeline.
func (c *Buffer) change(name string, r *workload.Request) {
	switch {
	case len(r.Documents) > 0:
		c.Document(name, r.Documents[0])
	case r.UpdateIsPipeline:
		c.array(name, r.Update)
	default:
		c.Document(name, r.Update)
	}
}

// deleteElements writes one of the deletes of a delete command.
func (c *Buffer) deleteElements(r *workload.Request) {
	c.filter("q", r.Filter)
	c.own(r)
	if r.Kind == operation.DeleteMany {
		// The server insists on a limit; 0 is none.
		c.Number("limit", 0)
		return
	}
	c.Number("limit", 1)
}

// FindOne writes the command of a FindOne, and of the first half of a ReadModifyWrite.
func (b *Builder) FindOne(r *workload.Request) bson.Raw {
	c := b.beginFind(r)
	c.positive("limit", 1)
	c.Bool("singleBatch", true)
	return c.End()
}

// Find writes the command of a Find.
func (b *Builder) Find(r *workload.Request) bson.Raw {
	c := b.beginFind(r)
	c.positive("skip", r.Skip)
	c.positive("limit", r.Limit)
	c.positive("batchSize", int64(r.BatchSize))
	return c.End()
}

func (b *Builder) beginFind(r *workload.Request) *Buffer {
	c := &b.Command
	c.Begin("find", r.Collection)
	c.filter("filter", r.Filter)
	c.Document("projection", r.Projection)
	c.Document("sort", r.Sort)
	c.Document("readConcern", b.readConcern(r))
	c.own(r)
	b.Around(r)
	return c
}

// Aggregate writes the command of an Aggregate.
func (b *Builder) Aggregate(r *workload.Request) bson.Raw {
	c := &b.Command
	c.Begin("aggregate", r.Collection)
	c.array("pipeline", r.Pipeline)
	if r.AllowDiskUse != nil {
		c.Bool("allowDiskUse", *r.AllowDiskUse)
	}
	c.own(r)
	b.Around(r)
	c.Document("readConcern", b.readConcern(r))
	c.beginDocument("cursor")
	c.positive("batchSize", int64(r.BatchSize))
	c.EndNested()
	return c.End()
}

// Count writes the command of a CountDocuments. It is an aggregation, since the count command is not exact on a sharded
// cluster.
func (b *Builder) Count(r *workload.Request) bson.Raw {
	c := &b.Command
	c.Begin("aggregate", r.Collection)
	c.BeginArray("pipeline")
	stage := 0
	next := func() {
		c.beginDocument(strconv.Itoa(stage))
		stage++
	}
	next()
	c.filter("$match", r.Filter)
	c.EndNested()
	if r.Skip > 0 {
		next()
		c.positive("$skip", r.Skip)
		c.EndNested()
	}
	if r.Limit > 0 {
		next()
		c.positive("$limit", r.Limit)
		c.EndNested()
	}
	next()
	c.beginDocument("$group")
	c.positive("_id", 1)
	c.beginDocument("n")
	c.positive("$sum", 1)
	c.EndNested()
	c.EndNested()
	c.EndNested()
	c.EndNested()
	c.own(r)
	b.Around(r)
	c.Document("readConcern", b.readConcern(r))
	c.beginDocument("cursor")
	c.EndNested()
	return c.End()
}

// CountByCommand writes the command of a CountDocuments for servers whose aggregations count no faster.
func (b *Builder) CountByCommand(r *workload.Request) bson.Raw {
	c := &b.Command
	c.Begin("count", r.Collection)
	c.filter("query", r.Filter)
	c.positive("skip", r.Skip)
	c.positive("limit", r.Limit)
	return c.End()
}

// Estimate writes the command of an EstimatedDocumentCount: without a query the server looks into its books.
func (b *Builder) Estimate(r *workload.Request) bson.Raw {
	c := &b.Command
	c.Begin("count", r.Collection)
	b.Around(r)
	c.Document("readConcern", b.Terms(r).readConcern)
	return c.End()
}

// AggregateInOne writes the command of an Aggregate for servers that answer with the whole result.
func (b *Builder) AggregateInOne(r *workload.Request) bson.Raw {
	c := &b.Command
	c.Begin("aggregate", r.Collection)
	c.array("pipeline", r.Pipeline)
	return c.End()
}

// Distinct writes the command of a Distinct. The server answers with an array of values.
func (b *Builder) Distinct(r *workload.Request) bson.Raw {
	c := &b.Command
	c.Begin("distinct", r.Collection)
	c.Bytes = bsoncore.AppendStringElement(c.Bytes, "key", r.Declared.Field)
	c.filter("query", r.Filter)
	c.own(r)
	b.Around(r)
	c.Document("readConcern", b.readConcern(r))
	return c.End()
}
