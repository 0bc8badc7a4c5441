package shards

import (
	"testing"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

func TestUnacknowledgedWritesOfAllShardsAreWaitedFor(t *testing.T) {
	for _, version := range mongotest.Versions() {
		t.Run("mongod "+version, func(t *testing.T) {
			target, _ := open(t, version, 3)
			plan := planv1.Plan{
				Version: planv1.Version, Seed: 3, Pods: 1, Database: "silent",
				Collections: []planv1.Collection{{
					Name:     "things",
					Fields:   []planv1.Field{{Name: "_id", Value: planv1.Value{Type: benchv1alpha1.GeneratorObjectID}}},
					Sharding: &planv1.Sharding{Key: []planv1.IndexKey{{Field: "_id", Order: "hashed"}}},
				}},
				Steps: []planv1.Step{
					{Name: "prepare", Kind: planv1.StepPrepare},
					{
						Name: "silent", Kind: planv1.StepMeasure, Threads: 4, OperationCount: 1000,
						Operations: []planv1.Operation{{
							Name: "log", Weight: 1,
							Request:       planv1.Request{Kind: "InsertMany", BatchDocuments: 20, Collection: "things"},
							WholeSettings: planv1.WholeSettings{WriteConcern: &planv1.WriteConcern{W: "0"}},
						}},
					},
					{Name: "size", Kind: planv1.StepSize},
				},
			}
			reports, err := drivertest.Run(t.Context(), plan, target)
			if err != nil {
				t.Fatal(err)
			}
			const want = 1000 * 20
			drain := reports[0].Steps[1].Drain
			if drain == nil || !drain.Counted || drain.Sent != want || drain.Arrived != want || drain.Failed != "" {
				t.Errorf("drain is %+v, want all of %d documents", drain, want)
			}
			var found int64
			for _, size := range reports[0].Steps[2].Sizes {
				found += size.Documents
			}
			if found != want {
				t.Errorf("the next step found %d documents, want %d", found, want)
			}
		})
	}
}
