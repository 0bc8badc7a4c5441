package output_test

import (
	"testing"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// grownReport is of a dataset that lay in the target, and grew to two more checkpoints, on two shards.
func grownReport(t *testing.T) reportv1.Report {
	t.Helper()
	start := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	grown := report(t)
	grown.Steps = []reportv1.Step{{
		Name: "load", Kind: "Load", Start: start, MeasureStart: start, End: start,
		Skipped: "the dataset lies there already, unmodified",
	}}
	for i, size := range []int64{1_000_000, 2_000_000, 3_000_000} {
		name := []string{"1000000", "2000000", "3000000"}[i]
		on := func(shard string, share int64) reportv1.CollectionSize {
			return reportv1.CollectionSize{
				Collection: "events", Shard: shard, Documents: size * share / 3, DataBytes: size * 1000 * share / 3,
				StorageBytes: size * 400 * share / 3, Unsettled: i == 2,
				Indexes: []reportv1.IndexSize{{Name: "_id_", Bytes: size * 10 * share / 3}, {Name: "a_1", Bytes: size * share}},
			}
		}
		sizes := []reportv1.CollectionSize{
			on("sh0", 1), on("sh1", 2),
			{Collection: "others", Shard: "sh0", DataBytes: 1 << 40, Indexes: []reportv1.IndexSize{}},
		}
		if i > 0 {
			grown.Steps = append(grown.Steps, reportv1.Step{
				Name: "grow-" + name, Kind: "Load", GrowthDocuments: size, Documents: 1_000_000,
				MeasureStart: start, End: start.Add(time.Duration(i) * 20 * time.Second),
			})
		}
		insert := operation(t, "insert", "InsertOne", 4000/int64(i+1), [2]int64{300, 45_000})
		if i == 2 {
			insert.Errors = 12
		}
		grown.Steps = append(grown.Steps,
			reportv1.Step{
				Name: "size-" + name, Kind: "Size", GrowthDocuments: size, Documents: size + int64(i)*77, Sizes: sizes,
			},
			reportv1.Step{
				Name: "insert-" + name, Kind: "Measure", GrowthOf: "insert", GrowthDocuments: size, Threads: 1,
				MeasureStart: start, End: start.Add(time.Second), IntervalMillis: 1000, Operations: []reportv1.Operation{insert},
			},
			reportv1.Step{
				Name: "read-" + name, Kind: "Measure", GrowthOf: "read", GrowthDocuments: size, Threads: 8,
				MeasureStart: start, End: start.Add(time.Second), IntervalMillis: 1000,
				Operations: []reportv1.Operation{operation(t, "read", "Find", 9000, [2]int64{300, 450})},
			})
	}
	return grown
}
