package mongo

import (
	"strconv"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// insert writes the command of an InsertOne or InsertMany.
func (b *builder) insert(r *workload.Request) bson.Raw {
	c := b.beginWrite("insert", r.Collection, b.terms(r))
	c.beginArray("documents")
	for i, document := range r.Documents {
		c.document(strconv.Itoa(i), document)
	}
	c.endNested()
	return c.end()
}

// update writes the command of an UpdateOne or UpdateMany, of the second half of a ReadModifyWrite, or of a ReplaceOne.
func (b *builder) update(r *workload.Request) bson.Raw {
	c := b.beginWrite("update", r.Collection, b.terms(r))
	c.beginArray("updates")
	c.beginDocumentAt(0)
	c.updateElements(r)
	c.endNested()
	c.endNested()
	return c.end()
}

// updateElements writes one of the updates of an update command.
func (c *command) updateElements(r *workload.Request) {
	c.filter("q", r.Filter)
	switch {
	case len(r.Documents) > 0:
		c.document("u", r.Documents[0])
	case r.UpdateIsPipeline:
		c.array("u", r.Update)
	default:
		c.document("u", r.Update)
	}
	if r.Kind == workload.UpdateMany {
		c.bool("multi", true)
	}
	if r.Upsert {
		c.bool("upsert", true)
	}
}

// delete writes the command of a DeleteOne or DeleteMany.
func (b *builder) delete(r *workload.Request) bson.Raw {
	c := b.beginWrite("delete", r.Collection, b.terms(r))
	c.beginArray("deletes")
	c.beginDocumentAt(0)
	c.deleteElements(r)
	c.endNested()
	c.endNested()
	return c.end()
}

// deleteElements writes one of the deletes of a delete command.
func (c *command) deleteElements(r *workload.Request) {
	c.filter("q", r.Filter)
	if r.Kind == workload.DeleteMany {
		// The server insists on a limit; 0 is none.
		c.number("limit", 0)
		return
	}
	c.number("limit", 1)
}

// findOne writes the command of a FindOne, and of the first half of a ReadModifyWrite.
func (b *builder) findOne(r *workload.Request) bson.Raw {
	c := b.beginFind(r)
	c.positive("limit", 1)
	c.bool("singleBatch", true)
	return c.end()
}

// find writes the command of a Find.
func (b *builder) find(r *workload.Request) bson.Raw {
	c := b.beginFind(r)
	c.positive("skip", r.Skip)
	c.positive("limit", r.Limit)
	c.positive("batchSize", int64(r.BatchSize))
	return c.end()
}

func (b *builder) beginFind(r *workload.Request) *command {
	c := &b.command
	c.begin("find", r.Collection)
	c.filter("filter", r.Filter)
	c.document("projection", r.Projection)
	c.document("sort", r.Sort)
	c.document("readConcern", b.terms(r).readConcern)
	return c
}

// aggregate writes the command of an Aggregate. Stages may use the disk, so that what a sort needs does not depend on
// the server's version: a find of 4.4 and an aggregation of 6.0 do so by themselves.
func (b *builder) aggregate(r *workload.Request) bson.Raw {
	c := &b.command
	c.begin("aggregate", r.Collection)
	c.array("pipeline", r.Pipeline)
	c.bool("allowDiskUse", true)
	c.document("readConcern", b.terms(r).readConcern)
	c.beginDocument("cursor")
	c.positive("batchSize", int64(r.BatchSize))
	c.endNested()
	return c.end()
}

// count writes the command of a CountDocuments. It is an aggregation, since the count command is not exact on a sharded
// cluster.
func (b *builder) count(r *workload.Request) bson.Raw {
	c := &b.command
	c.begin("aggregate", r.Collection)
	c.beginArray("pipeline")
	stage := 0
	next := func() {
		c.beginDocument(strconv.Itoa(stage))
		stage++
	}
	next()
	c.filter("$match", r.Filter)
	c.endNested()
	if r.Skip > 0 {
		next()
		c.positive("$skip", r.Skip)
		c.endNested()
	}
	if r.Limit > 0 {
		next()
		c.positive("$limit", r.Limit)
		c.endNested()
	}
	next()
	c.beginDocument("$group")
	c.positive("_id", 1)
	c.beginDocument("n")
	c.positive("$sum", 1)
	c.endNested()
	c.endNested()
	c.endNested()
	c.endNested()
	c.document("readConcern", b.terms(r).readConcern)
	c.beginDocument("cursor")
	c.endNested()
	return c.end()
}
