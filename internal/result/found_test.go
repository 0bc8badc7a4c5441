package result_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

func TestAResultTellsTheDatasetThatItFound(t *testing.T) {
	for name, tc := range map[string]struct {
		sizes []reportv1alpha1.CollectionSize
		bytes int64
	}{
		"with the sizes of all shards": {[]reportv1alpha1.CollectionSize{
			{Collection: "a", Shard: "shard0", DataBytes: 100},
			{Collection: "a", Shard: "shard1", DataBytes: 20},
			{Collection: "b", DataBytes: 3},
		}, 123},
		"whose sizes it may not ask for": {nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			report := podReport(t, 100)
			report.Steps[0] = reportv1alpha1.Step{
				Name: "survey", Kind: reportv1alpha1.KindSurvey, Documents: 42, Sizes: tc.sizes,
			}
			told, err := result.Collected(report, reportv1alpha1.Stored{})
			if err != nil {
				t.Fatal(err)
			}
			want := &reportv1alpha1.FoundSummary{Documents: 42, DataBytes: tc.bytes}
			if diff := cmp.Diff(want, told.Summary.Found); diff != "" || told.Summary.Load != nil {
				t.Errorf("found (-want +got):\n%s, and loaded %v", diff, told.Summary.Load)
			}
			seen := told.Conditions
			if *seen.FoundDocuments != 42 || (seen.FoundBytes != nil) != (tc.bytes > 0) ||
				seen.FoundBytes != nil && *seen.FoundBytes != tc.bytes {
				t.Errorf("documents %v and bytes %v are compared", *seen.FoundDocuments, seen.FoundBytes)
			}
		})
	}
}
