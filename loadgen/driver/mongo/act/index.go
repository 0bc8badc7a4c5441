package act

import (
	"context"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/schema"
)

// createIndex builds an index, and returns when it is built. One that is there already is an error: there is nothing to
// measure.
func (a Runner) createIndex(ctx context.Context, database string, action planv1.Action) error {
	client, err := a.Login.Deployment()
	if err != nil {
		return err
	}
	if len(mongod.Release{}.LacksIndex(*action.Index)) > 0 {
		build, err := lookup.Admin(ctx, client)(bson.D{{Key: "buildInfo", Value: 1}})
		if err != nil {
			return fmt.Errorf("asking for the server's version: %w", err)
		}
		release := mongod.ParseRelease(lookup.Text(build, "version"))
		if err := schema.SupportsIndex(release, *action.Index); err != nil {
			return err
		}
	}
	of := planv1.Collection{Name: action.Collection, Indexes: []planv1.Index{*action.Index}}
	command, err := schema.IndexCommand(of)
	if err != nil {
		return err
	}
	reply, err := client.Database(database).RunCommand(ctx, command).Raw()
	if err != nil {
		return fmt.Errorf("building index %q: %w", action.Index.ServerName(), err)
	}
	if built(reply) {
		return nil
	}
	return fmt.Errorf("index %q of collection %q was there already", action.Index.ServerName(), action.Collection)
}

// built says whether a reply to createIndexes is of an index that was not there before. A mongos has the replies of its
// shards below raw.
func built(reply bson.Raw) bool {
	shards, _ := reply.Lookup("raw").DocumentOK()
	replies, _ := shards.Values()
	for _, shard := range replies {
		if one, ok := shard.DocumentOK(); ok && built(one) {
			return true
		}
	}
	return lookup.Number(reply, "numIndexesAfter") > lookup.Number(reply, "numIndexesBefore")
}

// dropIndex drops an index by its name.
func (a Runner) dropIndex(ctx context.Context, database string, action planv1.Action) error {
	client, err := a.Login.Deployment()
	if err != nil {
		return err
	}
	command := bson.D{{Key: "dropIndexes", Value: action.Collection}, {Key: "index", Value: action.IndexName}}
	if err := client.Database(database).RunCommand(ctx, command).Err(); err != nil {
		return fmt.Errorf("dropping index %q: %w", action.IndexName, err)
	}
	return nil
}
