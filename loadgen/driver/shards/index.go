package shards

import (
	"slices"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
)

// unsharded are the collections as a shard knows them: what spreads them is not its matter.
func unsharded(collections []planv1.Collection) []planv1.Collection {
	plain := slices.Clone(collections)
	for i := range plain {
		plain[i].Sharding = nil
	}
	return plain
}

// withShardKeys adds the indexes on the shard keys that are neither declared nor the one on _id.
func withShardKeys(collections []planv1.Collection) []planv1.Collection {
	indexed := unsharded(collections)
	for i, collection := range collections {
		if collection.Sharding == nil || hasIndex(collection) {
			continue
		}
		index := planv1.Index{Keys: collection.Sharding.Key}
		indexed[i].Indexes = append(slices.Clone(collection.Indexes), index)
	}
	return indexed
}

// hasIndex says whether an index begins with the shard key.
func hasIndex(collection planv1.Collection) bool {
	key := collection.Sharding.Key
	byID := []planv1.IndexKey{{Field: "_id", Order: "1"}}
	return slices.Equal(key, byID) || slices.ContainsFunc(collection.Indexes, func(index planv1.Index) bool {
		return len(index.Keys) >= len(key) && slices.Equal(index.Keys[:len(key)], key)
	})
}
