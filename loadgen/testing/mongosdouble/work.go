package mongosdouble

import (
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
	"github.com/mongobench/mongobench-operator/loadgen/driver/shards/merge"
)

// work carries out a command on a database.
func (c *client) work(name, database string, command bson.Raw) (bson.Raw, error) {
	switch name {
	case "create", "dbStats":
		return c.onPrimary(database, command)
	case "drop":
		return c.drop(database, command)
	}
	collection := lookup.Text(command, name)
	r, err := c.routes(database, collection)
	if err != nil {
		return nil, err
	}
	do := onCollection[name]
	if do == nil {
		return nil, &refused{code: 59, name: "CommandNotFound", text: fmt.Sprintf("no such command: %q", name)}
	}
	return do(call{client: c, routes: r, database: database, command: command})
}

// onCollection are the commands on one collection.
var onCollection = map[string]func(call) (bson.Raw, error){
	"insert":        call.insert,
	"update":        func(c call) (bson.Raw, error) { return c.change("updates") },
	"delete":        func(c call) (bson.Raw, error) { return c.change("deletes") },
	"createIndexes": call.everywhere,
	"dropIndexes":   call.everywhere,
	"collMod":       call.everywhere,
	"find":          call.find,
	"aggregate":     call.aggregate,
	"count":         call.count,
}

// call is one command on a collection.
type call struct {
	*client

	routes   routes
	database string
	command  bson.Raw
}

func (c call) name() string {
	name := c.command.Index(0)
	collection, _ := name.Value().StringValueOK()
	return c.database + "." + collection
}

// everywhere sends the command to every shard that has any of the collection, and makes the database's primary have it
// where no shard has.
func (c call) everywhere() (reply bson.Raw, err error) {
	if len(c.routes.shards) == 0 {
		return c.onPrimary(c.database, c.command)
	}
	for _, shard := range c.routes.names() {
		if reply, err = c.call(c.routes.shards[shard], c.database, c.command); err != nil {
			return nil, err
		}
	}
	return reply, nil
}

// targets are the shards that a filter's documents can be on.
func (c call) targets(filter bson.Raw) ([]string, error) {
	shard, err := c.routes.of(filter)
	if err != nil {
		return nil, err
	}
	if shard == "" {
		return c.routes.names(), nil
	}
	return []string{shard}, nil
}

// written adds up the replies of writes.
type written struct{ n, modified int64 }

// write sends a shard its part of the writes in a field of the command. What the reply to all would have to number in
// another way is refused.
func (c call) write(sum *written, shard, field string, part bson.A) error {
	command := with(without(c.command, field), bson.D{{Key: field, Value: part}})
	reply, err := c.call(c.routes.shards[shard], c.database, command)
	if err != nil {
		return err
	}
	for _, numbered := range []string{"writeErrors", "upserted"} {
		if found := reply.Lookup(numbered); !found.IsZero() {
			return unsupported(numbered + " " + found.String())
		}
	}
	sum.n += lookup.Number(reply, "n")
	sum.modified += lookup.Number(reply, "nModified")
	return nil
}

// insert sends every shard its documents.
func (c call) insert() (bson.Raw, error) {
	if len(c.routes.shards) == 0 {
		return c.onPrimary(c.database, c.command)
	}
	share := map[string]bson.A{}
	for _, d := range documents(c.command.Lookup("documents")) {
		shard, err := c.routes.of(d)
		if err != nil {
			return nil, err
		}
		if shard == "" {
			return nil, &refused{code: 61, name: "ShardKeyNotFound", text: "the document has no shard key"}
		}
		share[shard] = append(share[shard], d)
	}
	var w written
	for shard, part := range share {
		if err := c.write(&w, shard, "documents", part); err != nil {
			return nil, err
		}
	}
	return document(bson.D{{Key: "n", Value: int32(w.n)}, {Key: "ok", Value: 1.0}}), nil
}

// change sends every update or delete where its filter says, one after the other.
func (c call) change(writes string) (bson.Raw, error) {
	if len(c.routes.shards) == 0 {
		return c.onPrimary(c.database, c.command)
	}
	var w written
	for _, one := range documents(c.command.Lookup(writes)) {
		filter, _ := one.Lookup("q").DocumentOK()
		targets, err := c.targets(filter)
		if err != nil {
			return nil, err
		}
		for _, shard := range targets {
			if err := c.write(&w, shard, writes, bson.A{one}); err != nil {
				return nil, err
			}
		}
	}
	return document(bson.D{
		{Key: "n", Value: int32(w.n)}, {Key: "nModified", Value: int32(w.modified)}, {Key: "ok", Value: 1.0},
	}), nil
}

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
