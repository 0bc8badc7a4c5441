package schema

import (
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// searchTypes are the types of search indexes as createSearchIndexes names them.
var searchTypes = map[benchv1alpha1.SearchIndexType]string{
	benchv1alpha1.SearchIndexText: "search", benchv1alpha1.SearchIndexVector: "vectorSearch",
}

// SearchIndexCommand makes the search indexes of a collection.
func SearchIndexCommand(collection planv1.Collection) (bson.D, error) {
	indexes := make(bson.A, 0, len(collection.SearchIndexes))
	for _, index := range collection.SearchIndexes {
		definition, err := parse(index.Definition)
		if err != nil {
			return nil, fmt.Errorf("search index %q: definition: %w", index.Name, err)
		}
		indexes = append(indexes, bson.D{
			{Key: "name", Value: index.Name},
			{Key: "type", Value: searchTypes[index.Type]},
			{Key: "definition", Value: definition},
		})
	}
	return bson.D{{Key: "createSearchIndexes", Value: collection.Name}, {Key: "indexes", Value: indexes}}, nil
}
