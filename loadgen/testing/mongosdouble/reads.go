package mongosdouble

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
	"github.com/mongobench/mongobench-operator/loadgen/driver/shards/merge"
)

// find asks the shards and merges what they return.
func (c call) find() (bson.Raw, error) {
	filter, _ := c.command.Lookup("filter").DocumentOK()
	targets, err := c.targets(filter)
	if err != nil {
		return nil, err
	}
	sort, _ := c.command.Lookup("sort").DocumentOK()
	order, err := merge.ParseOrder(sort)
	if err != nil {
		return nil, err
	}
	wanted := merge.NewRange(lookup.Number(c.command, "skip"), lookup.Number(c.command, "limit"))
	command := with(without(c.command, "skip", "limit", "singleBatch", "batchSize"),
		bson.D{{Key: "limit", Value: wanted.Asked()}})
	found, err := c.gather(targets, command)
	if err != nil {
		return nil, err
	}
	return c.merged(merge.Plan{Order: order, Range: wanted}, found)
}

// gather is all that shards return.
func (c call) gather(shards []string, command bson.Raw) ([]bson.Raw, error) {
	var found []bson.Raw
	for _, shard := range shards {
		of, err := c.all(c.routes.shards[shard], c.database, command)
		if err != nil {
			return nil, err
		}
		found = append(found, of...)
	}
	return found, nil
}

// merged is the reply that the shards' documents become.
func (c call) merged(plan merge.Plan, found []bson.Raw) (bson.Raw, error) {
	var err error
	if plan.Group != nil {
		for _, part := range found {
			if err := plan.Group.Add(part); err != nil {
				return nil, err
			}
		}
		found, err = plan.Finish()
	} else if found, err = plan.Order.Sort(found); err == nil {
		found = plan.Range.Of(found)
	}
	return c.first(found), err
}

func (c call) count() (bson.Raw, error) {
	var sum int64
	for _, shard := range c.routes.names() {
		reply, err := c.call(c.routes.shards[shard], c.database, c.command)
		if err != nil {
			return nil, err
		}
		sum += lookup.Number(reply, "n")
	}
	return document(bson.D{{Key: "n", Value: sum}, {Key: "ok", Value: 1.0}}), nil
}

// aggregate asks every shard. Statistics are of each shard, and with collStats of one that is named; all else becomes
// one answer as in the load generator's own router.
func (c call) aggregate() (bson.Raw, error) {
	pipeline, _ := c.command.Lookup("pipeline").ArrayOK()
	plan, err := merge.Split(bson.Raw(pipeline))
	if err == nil {
		stages := bson.RawValue{Type: bson.TypeArray, Value: plan.Pipeline}
		command := with(without(c.command, "pipeline"), bson.D{{Key: "pipeline", Value: stages}})
		found, err := c.gather(c.routes.names(), command)
		if err != nil {
			return nil, err
		}
		return c.merged(*plan, found)
	}
	first, _ := pipeline.Index(0).DocumentOK()
	name := first.Index(0).Key()
	if name != "$collStats" && name != "$indexStats" {
		return nil, unsupported(err.Error())
	}
	var found []bson.Raw
	for _, shard := range c.routes.names() {
		of, err := c.gather([]string{shard}, c.command)
		if err != nil {
			return nil, err
		}
		for _, statistics := range of {
			if name == "$collStats" {
				statistics = with(document(bson.D{{Key: "shard", Value: shard}}), statistics)
			}
			found = append(found, statistics)
		}
	}
	return c.merged(merge.Plan{Range: merge.NewRange(0, 0)}, found)
}

// first is the reply with the first batch of a result, which is all of it.
func (c call) first(found []bson.Raw) bson.Raw {
	batch := append([]bson.Raw{}, found...)
	return document(bson.D{
		{Key: "cursor", Value: bson.D{
			{Key: "id", Value: int64(0)}, {Key: "ns", Value: c.name()}, {Key: "firstBatch", Value: batch},
		}},
		{Key: "ok", Value: 1.0},
	})
}
