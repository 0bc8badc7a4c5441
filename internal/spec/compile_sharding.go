package spec

import (
	"k8s.io/utils/ptr"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

func compileSharding(declared *benchv1alpha1.Sharding) *planv1.Sharding {
	if declared == nil {
		return nil
	}
	sharding := &planv1.Sharding{
		Key:                 compileKey(declared.Key),
		InitialChunks:       int(ptr.Deref(declared.InitialChunks, 0)),
		SplitPoints:         declared.SplitPoints,
		MaxImbalancePercent: int(*declared.MaxImbalancePercent),
	}
	for _, zone := range declared.Zones {
		compiled := planv1.Zone{Name: zone.Name, Min: ptr.Deref(zone.Min, ""), Max: ptr.Deref(zone.Max, "")}
		for _, shard := range zone.Shards {
			compiled.Shards = append(compiled.Shards, int(shard))
		}
		sharding.Zones = append(sharding.Zones, compiled)
	}
	return sharding
}

func compileKey(declared []benchv1alpha1.IndexKey) []planv1.IndexKey {
	keys := make([]planv1.IndexKey, 0, len(declared))
	for _, key := range declared {
		keys = append(keys, planv1.IndexKey{Field: key.Field, Order: order(string(*key.Type))})
	}
	return keys
}
