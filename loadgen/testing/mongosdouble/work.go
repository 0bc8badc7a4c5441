package mongosdouble

import (
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// work carries out a command on a database.
func (c *client) work(name, database string, command bson.Raw) (bson.Raw, error) {
	switch name {
	case "create":
		return c.create(database, command)
	case "drop":
		return c.drop(database, command)
	case "dropDatabase":
		return c.dropDatabase(database)
	case "getMore":
		id, _ := command.Lookup("getMore").AsInt64OK()
		return c.double.cursors.next(id, batchSize(command))
	case "listCollections", "dbStats":
		return c.onPrimary(name, database, command)
	}
	collection := text(command, name)
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
	"findAndModify": func(c call) (bson.Raw, error) { return c.one("query") },
	"createIndexes": call.everywhere,
	"dropIndexes":   call.everywhere,
	"collMod":       call.everywhere,
	"listIndexes":   call.somewhere,
	"find":          call.find,
	"aggregate":     call.aggregate,
	"count":         call.count,
}

// onPrimary is what only a database's primary shard is asked for.
func (c *client) onPrimary(name, database string, command bson.Raw) (bson.Raw, error) {
	primary, err := c.databasePrimary(database, false)
	if err != nil {
		return c.double.cursors.first(database+".$cmd."+name, nil, 0)
	}
	if name == "dbStats" {
		return c.call(primary.hosts, database, command)
	}
	found, err := c.all(primary.hosts, database, command)
	if err != nil {
		return nil, err
	}
	return c.double.cursors.first(database+".$cmd."+name, found, 0)
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
		return c.create(c.database, c.command)
	}
	for _, shard := range c.routes.names() {
		if reply, err = c.call(c.routes.shards[shard], c.database, c.command); err != nil {
			return nil, err
		}
	}
	return reply, nil
}

// somewhere sends the command to one shard that has some of the collection.
func (c call) somewhere() (bson.Raw, error) {
	names := c.routes.names()
	if len(names) == 0 {
		return nil, &refused{code: 26, name: "NamespaceNotFound", text: "ns does not exist: " + c.name()}
	}
	found, err := c.all(c.routes.shards[names[0]], c.database, c.command)
	if err != nil {
		return nil, err
	}
	return c.double.cursors.first(c.name(), found, 0)
}

// one sends the command to the shard of its filter.
func (c call) one(filter string) (bson.Raw, error) {
	of, _ := c.command.Lookup(filter).DocumentOK()
	shard, err := c.routes.of(of)
	if err != nil {
		return nil, err
	}
	if shard == "" {
		return nil, &refused{code: 61, name: "ShardKeyNotFound", text: "the query needs the whole shard key"}
	}
	return c.call(c.routes.shards[shard], c.database, c.command)
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
