package mongosdouble

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
	"github.com/mongobench/mongobench-operator/loadgen/driver/shards/value"
	"github.com/mongobench/mongobench-operator/loadgen/driver/wire"
)

// dialTimeout bounds the opening of a connection to a server.
const dialTimeout = 2 * time.Second

// notPrimary are the codes of a server that is no primary any more.
var notPrimary = []int64{189, 10107, 11600, 11602, 13435, 13436}

// primary connects to the one of some hosts that takes writes.
func (c *client) primary(hosts []string, login *wire.Login) (*wire.Conn, error) {
	var last error
	for _, host := range hosts {
		conn, err := wire.Dial(c.ctx, host, wire.Config{Login: login, Application: "mongos", Timeout: dialTimeout})
		switch {
		case err != nil:
			last = err
		case conn.Hello().Writable:
			return conn, nil
		default:
			conn.Close()
			last = fmt.Errorf("%s is no primary", host)
		}
	}
	return nil, &refused{
		code: 133, name: "FailedToSatisfyReadPreference",
		text: fmt.Sprintf("no primary among %s: %v", strings.Join(hosts, ","), last),
	}
}

// call sends a command to the primary of a set, as mongos itself.
func (c *client) call(hosts []string, database string, command any) (bson.Raw, error) {
	key := strings.Join(hosts, ",")
	for attempt := 0; ; attempt++ {
		if c.servers[key] == nil {
			found, err := c.primary(hosts, c.double.login)
			if err != nil {
				return nil, err
			}
			c.servers[key] = found
		}
		conn := c.servers[key]
		reply, err := exchange(conn, database, command)
		if err == nil && !slices.Contains(notPrimary, lookup.Number(reply, "code")) || attempt > 0 {
			return checked(reply, err)
		}
		conn.Close()
		delete(c.servers, key)
	}
}

// configServers carry out a command as mongos itself.
func (c *client) configServers(command bson.D) (bson.Raw, error) {
	return c.call(c.double.config, "admin", command)
}

// handOn gives a command to the config servers as the client itself, whose login went there too.
func (c *client) handOn(database string, command bson.Raw) (bson.Raw, error) {
	if c.own == nil {
		var err error
		if c.own, err = c.primary(c.double.config, nil); err != nil {
			return nil, err
		}
	}
	reply, err := exchange(c.own, database, command)
	return checked(reply, err)
}

// exchange sends a command and returns a copy of its reply.
func exchange(conn *wire.Conn, database string, command any) (bson.Raw, error) {
	raw := document(command)
	request := make([]byte, wire.Lead, wire.Lead+len(raw)+64)
	request = append(request, with(raw, bson.D{{Key: "$db", Value: database}})...)
	reply, err := conn.Call(request)
	return bytes.Clone(reply), err
}

// with adds elements to a document.
func with(raw bson.Raw, more any) bson.Raw {
	added := document(more)
	joined := append(bytes.Clone(raw[:len(raw)-1]), added[4:]...)
	binary.LittleEndian.PutUint32(joined, uint32(len(joined)))
	return joined
}

// checked makes an error of a reply that says so.
func checked(reply bson.Raw, err error) (bson.Raw, error) {
	if err != nil {
		return nil, &refused{code: 6, name: "HostUnreachable", text: err.Error()}
	}
	if lookup.Number(reply, "ok") != 1 {
		return nil, &refused{text: lookup.Text(reply, "errmsg"), reply: reply}
	}
	return reply, nil
}

// all reads a whole result of a set.
func (c *client) all(hosts []string, database string, command any) ([]bson.Raw, error) {
	reply, err := c.call(hosts, database, command)
	if err != nil {
		return nil, err
	}
	var found []bson.Raw
	for {
		cursor, _ := reply.Lookup("cursor").DocumentOK()
		batch := cursor.Lookup("firstBatch")
		if batch.IsZero() {
			batch = cursor.Lookup("nextBatch")
		}
		found = append(found, documents(batch)...)
		id := lookup.Number(cursor, "id")
		if id == 0 {
			return found, nil
		}
		_, name, _ := strings.Cut(lookup.Text(cursor, "ns"), ".")
		more := bson.D{{Key: "getMore", Value: id}, {Key: "collection", Value: name}}
		if reply, err = c.call(hosts, database, more); err != nil {
			return nil, err
		}
	}
}

// config are the documents of a collection of the cluster's own database that a filter finds, in the order of _id.
func (c *client) config(collection string, filter bson.D) ([]bson.Raw, error) {
	return c.all(c.double.config, "config", bson.D{
		{Key: "find", Value: collection},
		{Key: "filter", Value: filter},
		{Key: "sort", Value: bson.D{{Key: "_id", Value: 1}}},
	})
}

// documents are those of an array.
func documents(value bson.RawValue) []bson.Raw {
	array, _ := value.ArrayOK()
	values, _ := array.Values()
	found := make([]bson.Raw, 0, len(values))
	for _, v := range values {
		if d, ok := v.DocumentOK(); ok {
			found = append(found, d)
		}
	}
	return found
}

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
