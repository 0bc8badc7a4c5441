package shards

import (
	"context"

	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/shards/placement"
	"github.com/mongobench/mongobench-operator/loadgen/driver/shards/value"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// way is how operations of a kind are routed.
type way struct {
	// check refuses an operation that cannot be, besides what its parts are checked for; nil refuses none.
	check func(*rules, *workload.Request) error
	// split sends an operation of which each shard gets its part. Any other is sent to one shard as it is, and to
	// several by merge, nil where only one can do it.
	split func(*session, context.Context, *workload.Request, *loadgen.Reply) error
	merge func(*session, context.Context, placement.Set, *workload.Request, *loadgen.Reply) error
}

// ways has one of every kind that can be routed.
var ways = map[operation.Kind]way{
	operation.InsertOne:        {split: (*session).insert},
	operation.InsertMany:       {split: (*session).insert},
	operation.FindOne:          {check: (*rules).checkFind, merge: (*session).read},
	operation.Find:             {check: (*rules).checkFind, merge: (*session).read},
	operation.UpdateOne:        {check: (*rules).checkWrite, merge: (*session).everywhere},
	operation.ReplaceOne:       {check: (*rules).checkWrite},
	operation.DeleteOne:        {check: (*rules).checkWrite, merge: (*session).everywhere},
	operation.ReadModifyWrite:  {check: (*rules).checkWrite, merge: (*session).readAndWrite},
	operation.Aggregate:        {check: (*rules).checkPipeline, merge: (*session).read},
	operation.CountDocuments:   {merge: (*session).count},
	operation.RunCommand:       {check: (*rules).checkCommand, split: (*session).command},
	operation.UpdateMany:       {check: (*rules).checkWrite, merge: (*session).everywhere},
	operation.DeleteMany:       {check: (*rules).checkWrite, merge: (*session).everywhere},
	operation.FindOneAndUpdate: {check: (*rules).checkWrite},
	operation.Distinct:         {merge: (*session).distinct},
	operation.BulkWrite:        {split: (*session).writeBulk},
}

// distinct counts the values that several shards have: those that are equal are one.
func (s *session) distinct(
	ctx context.Context, targets placement.Set, r *workload.Request, reply *loadgen.Reply,
) error {
	for rest := targets; rest != 0; rest = rest.Next() {
		if err := s.streams[rest.First()].Begin(ctx, r); err != nil {
			return of(rest.First(), err)
		}
	}
	seen := map[string]bool{}
	var key []byte
	for rest := targets; rest != 0; rest = rest.Next() {
		values, _, err := s.streams[rest.First()].Batch(ctx, reply, false)
		if err != nil {
			return of(rest.First(), err)
		}
		for _, v := range value.All(values) {
			key = value.AppendKey(key[:0], v)
			seen[string(key)] = true
		}
	}
	reply.Documents = int64(len(seen))
	return nil
}
