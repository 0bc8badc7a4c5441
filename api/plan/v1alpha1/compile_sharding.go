package v1alpha1

import (
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

func compileSharding(declared *benchv1alpha1.Sharding) *Sharding {
	if declared == nil {
		return nil
	}
	sharding := &Sharding{
		Key:                 compileKey(declared.Key),
		InitialChunks:       int(ptr.Deref(declared.InitialChunks, 0)),
		SplitPoints:         declared.SplitPoints,
		MaxImbalancePercent: int(ptr.Deref(declared.MaxImbalancePercent, benchv1alpha1.DefaultMaxImbalancePercent)),
	}
	for _, zone := range declared.Zones {
		compiled := Zone{Name: zone.Name, Min: ptr.Deref(zone.Min, ""), Max: ptr.Deref(zone.Max, "")}
		for _, shard := range zone.Shards {
			compiled.Shards = append(compiled.Shards, int(shard))
		}
		sharding.Zones = append(sharding.Zones, compiled)
	}
	return sharding
}

func compileKey(declared []benchv1alpha1.IndexKey) []IndexKey {
	keys := make([]IndexKey, 0, len(declared))
	for _, key := range declared {
		kind := ptr.Deref(key.Type, benchv1alpha1.IndexKeyAscending)
		keys = append(keys, IndexKey{Field: key.Field, Order: order(string(kind))})
	}
	return keys
}
