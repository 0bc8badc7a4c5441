package mongosdouble

import (
	"go.mongodb.org/mongo-driver/v2/bson"
)

// written adds up the replies of writes.
type written struct {
	n, modified int64
	upserted    bson.A
	errors      bson.A
}

// take adds a reply, whose errors are of the writes with these numbers.
func (w *written) take(reply bson.Raw, indexes []int) {
	n, _ := reply.Lookup("n").AsInt64OK()
	modified, _ := reply.Lookup("nModified").AsInt64OK()
	w.n, w.modified = w.n+n, w.modified+modified
	for _, refused := range documents(reply.Lookup("writeErrors")) {
		w.errors = append(w.errors, reindexed(refused, indexes))
	}
	for _, upserted := range documents(reply.Lookup("upserted")) {
		w.upserted = append(w.upserted, reindexed(upserted, indexes))
	}
}

func reindexed(raw bson.Raw, indexes []int) bson.Raw {
	index, _ := raw.Lookup("index").AsInt64OK()
	head := document(bson.D{{Key: "index", Value: int32(indexes[index])}})
	rest := without(raw, "index")
	return with(head, toD(rest))
}

func toD(raw bson.Raw) bson.D {
	var d bson.D
	_ = bson.Unmarshal(raw, &d)
	return d
}

func (w *written) reply(updates bool) bson.Raw {
	reply := bson.D{{Key: "n", Value: int32(w.n)}, {Key: "ok", Value: 1.0}}
	if updates {
		reply = append(reply, bson.E{Key: "nModified", Value: int32(w.modified)})
	}
	if len(w.upserted) > 0 {
		reply = append(reply, bson.E{Key: "upserted", Value: w.upserted})
	}
	if len(w.errors) > 0 {
		reply = append(reply, bson.E{Key: "writeErrors", Value: w.errors})
	}
	return document(reply)
}

// insert sends every shard its documents.
func (c call) insert() (bson.Raw, error) {
	if len(c.routes.shards) == 0 {
		return c.create(c.database, c.command)
	}
	share, numbers := map[string]bson.A{}, map[string][]int{}
	for i, d := range documents(c.command.Lookup("documents")) {
		shard, err := c.routes.of(d)
		if err != nil {
			return nil, err
		}
		if shard == "" {
			return nil, &refused{code: 61, name: "ShardKeyNotFound", text: "the document has no shard key"}
		}
		share[shard], numbers[shard] = append(share[shard], d), append(numbers[shard], i)
	}
	var w written
	for _, shard := range c.routes.names() {
		if len(share[shard]) == 0 {
			continue
		}
		command := with(without(c.command, "documents"), bson.D{{Key: "documents", Value: share[shard]}})
		reply, err := c.call(c.routes.shards[shard], c.database, command)
		if err != nil {
			return nil, err
		}
		w.take(reply, numbers[shard])
	}
	return w.reply(false), nil
}

// change sends every update or delete where its filter says, one after the other.
func (c call) change(writes string) (bson.Raw, error) {
	if len(c.routes.shards) == 0 {
		return c.create(c.database, c.command)
	}
	var w written
	for i, one := range documents(c.command.Lookup(writes)) {
		filter, _ := one.Lookup("q").DocumentOK()
		targets, err := c.targets(filter)
		if err != nil {
			return nil, err
		}
		for _, shard := range targets {
			command := with(without(c.command, writes), bson.D{{Key: writes, Value: bson.A{one}}})
			reply, err := c.call(c.routes.shards[shard], c.database, command)
			if err != nil {
				return nil, err
			}
			w.take(reply, []int{i})
		}
	}
	return w.reply(writes == "updates"), nil
}
