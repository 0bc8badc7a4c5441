package mongosdouble

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
	"github.com/mongobench/mongobench-operator/loadgen/driver/shards/value"
)

// routes say where the documents of a collection are.
type routes struct {
	// key is nil for a collection that is not sharded.
	key    bson.Raw
	epoch  bson.RawValue
	chunks []chunk
	// shards are the hosts of each shard that has any of it.
	shards map[string][]string
}

type chunk struct {
	min, max bson.Raw
	shard    string
}

// shards are the hosts of every shard by its name.
func (c *client) shards() (map[string][]string, error) {
	found, err := c.config("shards", bson.D{})
	if err != nil {
		return nil, err
	}
	shards := make(map[string][]string, len(found))
	for _, shard := range found {
		_, hosts, _ := strings.Cut(lookup.Text(shard, "host"), "/")
		shards[lookup.Text(shard, "_id")] = strings.Split(hosts, ",")
	}
	return shards, nil
}

// routes reads where a collection is. One of a database that is not there is nowhere.
func (c *client) routes(database, collection string) (routes, error) {
	shards, err := c.shards()
	if err != nil {
		return routes{}, err
	}
	found, err := c.config("collections", bson.D{
		{Key: "_id", Value: database + "." + collection}, {Key: "dropped", Value: bson.D{{Key: "$ne", Value: true}}},
	})
	if err != nil {
		return routes{}, err
	}
	if len(found) == 0 {
		return c.unsharded(database, shards)
	}
	key, _ := found[0].Lookup("key").DocumentOK()
	r := routes{key: key, epoch: found[0].Lookup("lastmodEpoch"), shards: map[string][]string{}}
	of := bson.D{{Key: "$or", Value: bson.A{
		bson.D{{Key: "ns", Value: database + "." + collection}}, bson.D{{Key: "uuid", Value: found[0].Lookup("uuid")}},
	}}}
	chunks, err := c.config("chunks", of)
	for _, raw := range chunks {
		lower, _ := raw.Lookup("min").DocumentOK()
		upper, _ := raw.Lookup("max").DocumentOK()
		shard := lookup.Text(raw, "shard")
		r.chunks = append(r.chunks, chunk{lower, upper, shard})
		r.shards[shard] = shards[shard]
	}
	return r, err
}

func (c *client) unsharded(database string, shards map[string][]string) (routes, error) {
	primary, err := c.databasePrimary(database, false)
	if err != nil {
		return routes{}, nil //nolint:nilerr // The database is not there.
	}
	for name, hosts := range shards {
		if slices.Equal(hosts, primary.hosts) {
			return routes{shards: map[string][]string{name: hosts}}, nil
		}
	}
	return routes{}, nil
}

// names are the shards that have any of the collection, in order.
func (r routes) names() []string {
	return slices.Sorted(maps.Keys(r.shards))
}

// of is the shard of a document, or of a filter that gives the whole key; empty when it does not.
func (r routes) of(what bson.Raw) (string, error) {
	if r.key == nil {
		return strings.Join(r.names(), ""), nil
	}
	place, whole, err := r.place(what)
	if err != nil || !whole {
		return "", err
	}
	for _, chunk := range r.chunks {
		if compare(chunk.min, place) <= 0 && compare(place, chunk.max) < 0 {
			return chunk.shard, nil
		}
	}
	return "", fmt.Errorf("no chunk has %s", place)
}

// compare orders two shard keys, or other documents of the same fields.
func compare(a, b bson.Raw) int {
	return value.Compare(
		bsoncore.Value{Type: bsoncore.TypeEmbeddedDocument, Data: a},
		bsoncore.Value{Type: bsoncore.TypeEmbeddedDocument, Data: b},
	)
}

// place is the shard key of a document, hashed where it is, and whether all of it is there.
func (r routes) place(of bson.Raw) (place bson.Raw, whole bool, err error) {
	elements, err := r.key.Elements()
	if err != nil {
		return nil, false, err
	}
	key := make(bson.D, 0, len(elements))
	for _, element := range elements {
		given, found := valueIn(of, element.Key())
		if !found {
			return nil, false, nil
		}
		part := bson.E{Key: element.Key(), Value: given}
		if hashed, _ := element.Value().StringValueOK(); hashed == "hashed" {
			part.Value = value.Hash(bsoncore.Value{Type: bsoncore.Type(given.Type), Data: given.Value})
		}
		key = append(key, part)
	}
	return document(key), true, nil
}

// valueIn is the value of a field, of a document or of a filter, where a dotted name may stand as it is.
func valueIn(of bson.Raw, field string) (given bson.RawValue, found bool) {
	given = of.Lookup(strings.Split(field, ".")...)
	if given.IsZero() {
		given = of.Lookup(field)
	}
	operators, _ := given.DocumentOK()
	first, err := operators.IndexErr(0)
	return given, !given.IsZero() && (err != nil || !strings.HasPrefix(first.Key(), "$"))
}
