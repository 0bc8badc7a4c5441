package mongosdouble

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// find asks the shards and merges what they return.
func (c call) find() (bson.Raw, error) {
	filter, _ := c.command.Lookup("filter").DocumentOK()
	targets, err := c.targets(filter)
	if err != nil {
		return nil, err
	}
	skip, _ := c.command.Lookup("skip").AsInt64OK()
	limit, _ := c.command.Lookup("limit").AsInt64OK()
	command := without(c.command, "skip", "limit", "singleBatch", "batchSize")
	if limit > 0 {
		command = with(command, bson.D{{Key: "limit", Value: skip + limit}})
	}
	var found []bson.Raw
	for _, shard := range targets {
		of, err := c.all(c.routes.shards[shard], c.database, command)
		if err != nil {
			return nil, err
		}
		found = append(found, of...)
	}
	if order, ok := c.command.Lookup("sort").DocumentOK(); ok {
		slices.SortStableFunc(found, func(a, b bson.Raw) int { return inOrder(order, a, b) })
	}
	found = found[min(int(skip), len(found)):]
	if limit > 0 {
		found = found[:min(int(limit), len(found))]
	}
	return c.double.cursors.first(c.name(), found, batchSize(c.command))
}

// inOrder compares documents by a sort.
func inOrder(order, a, b bson.Raw) int {
	keys, _ := order.Elements()
	for _, key := range keys {
		path := strings.Split(key.Key(), ".")
		direction, _ := key.Value().AsInt64OK()
		if found := compare(a.Lookup(path...), b.Lookup(path...)); found != 0 {
			return found * cmp.Compare(direction, 0)
		}
	}
	return 0
}

func (c call) count() (bson.Raw, error) {
	var sum int64
	for _, shard := range c.routes.names() {
		reply, err := c.call(c.routes.shards[shard], c.database, c.command)
		if err != nil {
			return nil, err
		}
		n, _ := reply.Lookup("n").AsInt64OK()
		sum += n
	}
	return document(bson.D{{Key: "n", Value: sum}, {Key: "ok", Value: 1.0}}), nil
}

// stagesOfEach are those that work on each document alone.
var stagesOfEach = []string{"$match", "$project", "$addFields", "$set", "$unset", "$unwind", "$indexStats"}

// aggregate asks every shard. What counts is added up; what works on each document alone is put together.
func (c call) aggregate() (bson.Raw, error) {
	statistics, counts, err := mergeOf(documents(c.command.Lookup("pipeline")))
	if err != nil {
		return nil, err
	}
	var found []bson.Raw
	for _, shard := range c.routes.names() {
		of, err := c.all(c.routes.shards[shard], c.database, c.command)
		if err != nil {
			return nil, err
		}
		for _, d := range of {
			if statistics {
				d = with(document(bson.D{{Key: "shard", Value: shard}}), toD(d))
			}
			found = append(found, d)
		}
	}
	if counts {
		found = added(found)
	}
	return c.double.cursors.first(c.name(), found, batchSize(c.command))
}

// mergeOf says how the shards' results of a pipeline become one: statistics are of each shard, and counts are added up.
func mergeOf(stages []bson.Raw) (statistics, counts bool, err error) {
	for i, stage := range stages {
		name := stage.Index(0).Key()
		switch {
		case name == "$collStats" && i == 0:
			statistics = true
		case name == "$group" && i == len(stages)-1 && countsAll(stage):
			counts = true
		case !slices.Contains(stagesOfEach, name):
			return false, false, &refused{
				code: 303, name: "FeatureNotSupported", text: "the double of mongos does not merge " + name,
			}
		}
	}
	return statistics, counts, nil
}

// countsAll says of a $group that it has one group and only sums.
func countsAll(stage bson.Raw) bool {
	group, _ := stage.Lookup("$group").DocumentOK()
	elements, _ := group.Elements()
	for _, element := range elements {
		of, isDocument := element.Value().DocumentOK()
		switch {
		case element.Key() == "_id":
			if path, isText := element.Value().StringValueOK(); isDocument || isText && strings.HasPrefix(path, "$") {
				return false
			}
		case !isDocument || of.Lookup("$sum").IsZero():
			return false
		}
	}
	return true
}

// added adds up documents of one group.
func added(parts []bson.Raw) []bson.Raw {
	if len(parts) < 2 {
		return parts
	}
	sums := map[string]int64{}
	for _, part := range parts {
		elements, _ := part.Elements()
		for _, element := range elements {
			number, _ := element.Value().AsInt64OK()
			sums[element.Key()] += number
		}
	}
	sum := bson.D{{Key: "_id", Value: parts[0].Lookup("_id")}}
	for name, value := range sums {
		if name != "_id" {
			sum = append(sum, bson.E{Key: name, Value: value})
		}
	}
	return []bson.Raw{document(sum)}
}

// cursors hold what clients have not fetched yet.
type cursors struct {
	mutex sync.Mutex
	last  int64
	open  map[int64]cursor
}

type cursor struct {
	ns        string
	documents []bson.Raw
}

// batchSize of a command; 0 is everything.
func batchSize(command bson.Raw) int64 {
	size, ok := command.Lookup("batchSize").AsInt64OK()
	if ok {
		return size
	}
	size, _ = command.Lookup("cursor", "batchSize").AsInt64OK()
	return size
}

// first is the reply that opens a cursor.
func (c *cursors) first(ns string, found []bson.Raw, size int64) (bson.Raw, error) {
	return c.batch("firstBatch", cursor{ns, found}, size), nil
}

func (c *cursors) next(id, size int64) (bson.Raw, error) {
	c.mutex.Lock()
	of, open := c.open[id]
	delete(c.open, id)
	c.mutex.Unlock()
	if !open {
		return nil, &refused{code: 43, name: "CursorNotFound", text: "cursor id not found"}
	}
	return c.batch("nextBatch", of, size), nil
}

func (c *cursors) batch(name string, of cursor, size int64) bson.Raw {
	// A message must not be larger than a client takes.
	const most = 16 << 20
	batch, bytes := bson.A{}, 0
	for len(of.documents) > 0 && (size == 0 || int64(len(batch)) < size) && bytes < most {
		bytes += len(of.documents[0])
		batch, of.documents = append(batch, of.documents[0]), of.documents[1:]
	}
	var id int64
	if len(of.documents) > 0 {
		c.mutex.Lock()
		if c.open == nil {
			c.open = map[int64]cursor{}
		}
		c.last++
		id = c.last
		c.open[id] = of
		c.mutex.Unlock()
	}
	return document(bson.D{
		{Key: "cursor", Value: bson.D{{Key: "id", Value: id}, {Key: "ns", Value: of.ns}, {Key: name, Value: batch}}},
		{Key: "ok", Value: 1.0},
	})
}
