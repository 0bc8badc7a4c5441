package lookup

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
)

// Ask sends a command and returns its reply.
type Ask func(command bson.D) (bson.Raw, error)

// Admin asks the server that a client's reads go to.
func Admin(ctx context.Context, client *driver.Client) Ask {
	return func(command bson.D) (bson.Raw, error) { return client.Database("admin").RunCommand(ctx, command).Raw() }
}

// Nearby asks the primary and, while there is none, another member.
func Nearby(ctx context.Context, client *driver.Client) Ask {
	read := options.RunCmd().SetReadPreference(readpref.PrimaryPreferred())
	return func(command bson.D) (bson.Raw, error) {
		return client.Database("admin").RunCommand(ctx, command, read).Raw()
	}
}

// IsMaster is the oldest form of hello, which every server understands.
var IsMaster = bson.D{{Key: "isMaster", Value: 1}}

// BuildInfo asks a server what it is made of, and of which version.
var BuildInfo = bson.D{{Key: "buildInfo", Value: 1}}

// OrNothing returns the reply, or nothing when there is none.
func (a Ask) OrNothing(command bson.D) bson.Raw {
	reply, err := a(command)
	if err != nil {
		return nil
	}
	return reply
}

// IsMongos says by a reply to IsMaster whether it is a router's.
func IsMongos(hello bson.Raw) bool { return Text(hello, "msg") == "isdbgrid" }

// DataHosts are the members that a reply to IsMaster lists, without arbiters: those hold no data, and know no users to
// log in as.
func DataHosts(hello bson.Raw) []string {
	return append(Texts(hello, "hosts"), Texts(hello, "passives")...)
}

// All finds all documents of a collection that pass a filter.
func All[T any](ctx context.Context, collection *driver.Collection, filter bson.D) (found []T, _ error) {
	cursor, err := collection.Find(ctx, filter)
	if err != nil {
		return nil, err
	}
	err = cursor.All(ctx, &found)
	return found, err
}

// Text is the string at a path, empty when there is none.
func Text(document bson.Raw, path ...string) string {
	found, _ := document.Lookup(path...).StringValueOK()
	return found
}

// Number is the number at a path, 0 when there is none.
func Number(document bson.Raw, path ...string) int64 {
	found, _ := document.Lookup(path...).AsInt64OK()
	return found
}

// Texts are the strings of the array at a path.
func Texts(document bson.Raw, path ...string) []string {
	return items(document.Lookup(path...), bson.RawValue.StringValueOK)
}

// Documents are those of the array at a path.
func Documents(document bson.Raw, path ...string) []bson.Raw {
	return items(document.Lookup(path...), bson.RawValue.DocumentOK)
}

func items[T any](of bson.RawValue, as func(bson.RawValue) (T, bool)) []T {
	array, _ := of.ArrayOK()
	values, err := array.Values()
	if err != nil {
		return nil
	}
	found := make([]T, 0, len(values))
	for _, value := range values {
		if one, ok := as(value); ok {
			found = append(found, one)
		}
	}
	return found
}

// mostIDs is how many documents a cursor may have whose _id are looked at.
const mostIDs = 100_000

// IDs sends a command that opens a cursor, and returns the _id of each of its documents.
func IDs(
	ctx context.Context, database *driver.Database, command bson.Raw, how *options.RunCmdOptionsBuilder,
) ([]bson.RawValue, error) {
	cursor, err := database.RunCommandCursor(ctx, command, how)
	if err != nil {
		return nil, err
	}
	defer func() { _ = cursor.Close(context.WithoutCancel(ctx)) }() // What was read is read.
	var ids []bson.RawValue
	for cursor.Next(ctx) {
		id, err := cursor.Current.LookupErr("_id")
		switch {
		case err != nil:
			return nil, errors.New("a document of the answer has no _id; let the pipeline keep it")
		case len(ids) == mostIDs:
			return nil, fmt.Errorf("the answer has more than %d documents; limit it", mostIDs)
		}
		ids = append(ids, bson.RawValue{Type: id.Type, Value: bytes.Clone(id.Value)})
	}
	return ids, cursor.Err()
}
