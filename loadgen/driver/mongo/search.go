package mongo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/schema"
)

// searchPoll is how long to wait before a search index that cannot be asked yet is looked at again.
const searchPoll = time.Second

// errNoSearch is of servers without MongoDB Search.
var errNoSearch = errors.New("the deployment has no MongoDB Search: search indexes need MongoDB Atlas, or a " +
	"MongoDB that has a mongot beside it")

// IndexForSearch makes the search indexes of a collection. A process beside the servers builds them, and the servers
// tell by $listSearchIndexes how far it is; see
// https://www.mongodb.com/docs/manual/reference/command/createSearchIndexes.
func (c collections) IndexForSearch(ctx context.Context, database string, collection planv1.Collection) error {
	ctx, cancel := context.WithTimeout(ctx, preparing)
	defer cancel()
	command, err := schema.SearchIndexCommand(collection)
	if err != nil {
		return ofCollection(collection, err)
	}
	db := c.client.Database(database)
	err = db.RunCommand(ctx, command).Err()
	switch {
	case errorclass.HasCode(err, errorclass.CommandNotFound), errorclass.HasCode(err, errorclass.SearchNotEnabled):
		return ofCollection(collection, fmt.Errorf("%w (%w)", errNoSearch, err))
	case err != nil:
		return ofCollection(collection, err)
	}
	for _, index := range collection.SearchIndexes {
		if err := awaitSearchIndex(ctx, db.Collection(collection.Name), index.Name); err != nil {
			return ofCollection(collection, fmt.Errorf("search index %q: %w", index.Name, err))
		}
	}
	return nil
}

// searchIndexState is what $listSearchIndexes says of an index.
type searchIndexState struct {
	Status    string `bson:"status"`
	Queryable bool   `bson:"queryable"`
	Message   string `bson:"message"`
}

// awaitSearchIndex waits until an index can be asked. One that could not be built is an error, and one that the list
// does not have yet is waited for.
func awaitSearchIndex(ctx context.Context, of *driver.Collection, name string) error {
	list := driver.Pipeline{{{Key: "$listSearchIndexes", Value: bson.D{{Key: "name", Value: name}}}}}
	for {
		cursor, err := of.Aggregate(ctx, list)
		if err != nil {
			return fmt.Errorf("asking for its state: %w", err)
		}
		var found []searchIndexState
		if err := cursor.All(ctx, &found); err != nil {
			return fmt.Errorf("asking for its state: %w", err)
		}
		switch {
		case len(found) > 0 && found[0].Queryable:
			return nil
		case len(found) > 0 && found[0].Status == "FAILED":
			return fmt.Errorf("it could not be built: %s", found[0].Message)
		}
		select {
		case <-time.After(searchPoll):
		case <-ctx.Done():
			return fmt.Errorf("waiting until it can be asked: %w", ctx.Err())
		}
	}
}
