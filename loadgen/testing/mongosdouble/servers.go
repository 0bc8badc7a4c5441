package mongosdouble

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
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
