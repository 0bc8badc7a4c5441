package mongod_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
)

// everything is a collection with all that some release does not have.
var everything = planv1.Collection{
	Validator: &planv1.Validator{}, Collation: &planv1.Collation{}, View: &planv1.View{},
	TimeSeries: &planv1.TimeSeriesOptions{BucketMaxSpanSeconds: new(int32(60))}, Clustered: &planv1.ClusteredOptions{},
	PreAndPostImages: true,
	Indexes: []planv1.Index{
		{Keys: []planv1.IndexKey{{Field: "a", Order: "1"}, {Field: "b.$**", Order: "1"}}},
		{
			Keys: []planv1.IndexKey{{Field: "$**", Order: "text"}}, Hidden: true, PartialFilter: "{}",
			Collation: &planv1.Collation{},
		},
	},
}

func TestWhatAReleaseLacksIsNamedWithItsField(t *testing.T) {
	for version, want := range map[string][]string{
		"2.4.14": {
			"options.validator", "options.collation", "view", "options.timeSeries", "options.clustered",
			"options.changeStreamPreAndPostImages", "options.timeSeries.bucketMaxSpanSeconds", "indexes[0].keys",
			"indexes[0].keys", "indexes[1].partialFilter", "indexes[1].collation", "indexes[1].properties",
			"indexes[1].partialFilter", "indexes[1].keys",
		},
		"4.2.6": {
			"options.timeSeries", "options.clustered", "options.changeStreamPreAndPostImages",
			"options.timeSeries.bucketMaxSpanSeconds", "indexes[0].keys", "indexes[0].keys", "indexes[1].properties",
			"indexes[1].partialFilter", "indexes[1].keys",
		},
		"5.0.4": {
			"options.clustered", "options.changeStreamPreAndPostImages", "options.timeSeries.bucketMaxSpanSeconds",
			"indexes[0].keys", "indexes[0].keys", "indexes[1].partialFilter", "indexes[1].keys",
		},
		"6.0.5": {"options.timeSeries.bucketMaxSpanSeconds", "indexes[0].keys"},
		"8.0.0": {},
	} {
		t.Run(version, func(t *testing.T) {
			lacks := mongod.ParseRelease(version).Lacks(everything)
			found := make([]string, 0, len(lacks))
			for _, feature := range lacks {
				found = append(found, feature.Field)
			}
			if diff := cmp.Diff(want, found); diff != "" {
				t.Errorf("lacks (-want +got):\n%s", diff)
			}
		})
	}
}
