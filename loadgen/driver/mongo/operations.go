package mongo

import (
	"strconv"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// builder writes the commands of operations, for sessions of both clients: its methods only append to its command.
type builder struct {
	target  *Target
	command command
}

// insert writes the command of an InsertOne or InsertMany.
func (b *builder) insert(r *workload.Request) bson.Raw {
	c := &b.command
	c.begin("insert", r.Collection)
	c.document("writeConcern", b.target.writeConcern)
	c.beginArray("documents")
	for i, document := range r.Documents {
		c.document(strconv.Itoa(i), document)
	}
	c.endNested()
	return c.end()
}

// update writes the command of an UpdateOne, of the second half of a ReadModifyWrite, or of a ReplaceOne.
func (b *builder) update(r *workload.Request) bson.Raw {
	c := &b.command
	c.begin("update", r.Collection)
	c.document("writeConcern", b.target.writeConcern)
	c.beginArray("updates")
	c.beginDocument("0")
	c.filter("q", r.Filter)
	switch {
	case len(r.Documents) > 0:
		c.document("u", r.Documents[0])
	case r.UpdateIsPipeline:
		c.array("u", r.Update)
	default:
		c.document("u", r.Update)
	}
	c.endNested()
	c.endNested()
	return c.end()
}

// delete writes the command of a DeleteOne.
func (b *builder) delete(r *workload.Request) bson.Raw {
	c := &b.command
	c.begin("delete", r.Collection)
	c.document("writeConcern", b.target.writeConcern)
	c.beginArray("deletes")
	c.beginDocument("0")
	c.filter("q", r.Filter)
	c.positive("limit", 1)
	c.endNested()
	c.endNested()
	return c.end()
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
	c.document("readConcern", b.target.readConcern)
	return c
}

// aggregate writes the command of an Aggregate. Stages may use the disk, so that what a sort needs does not depend on
// the server's version: a find of 4.4 and an aggregation of 6.0 do so by themselves.
func (b *builder) aggregate(r *workload.Request) bson.Raw {
	c := &b.command
	c.begin("aggregate", r.Collection)
	c.array("pipeline", r.Pipeline)
	c.bool("allowDiskUse", true)
	c.document("readConcern", b.target.readConcern)
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
	c.document("readConcern", b.target.readConcern)
	c.beginDocument("cursor")
	c.endNested()
	return c.end()
}
