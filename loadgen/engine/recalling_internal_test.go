package engine

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// stuck answers so many times, and then not before it is told to give up.
type stuck struct{ answers int }

func (s *stuck) Answers(ctx context.Context, _ loadgen.Use, _ *workload.Request) ([]bson.RawValue, error) {
	if s.answers--; s.answers >= 0 {
		return []bson.RawValue{{Type: bson.TypeInt32, Value: []byte{1, 0, 0, 0}}}, nil
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestARecallTakesItsTimeAndNoMore has the second request of ten never be answered.
func TestARecallTakesItsTimeAndNoMore(t *testing.T) {
	declared := planv1.Operation{
		Name: "near", Weight: 1, Request: planv1.Request{Kind: "Aggregate", Collection: "c", Pipeline: "[]"},
		WholeSettings: planv1.WholeSettings{Recall: &benchv1alpha1.Recall{Exact: "[]", Requests: 10}},
	}
	step := planv1.Step{Name: "s", Kind: planv1.StepMeasure, Operations: []planv1.Operation{declared}}
	id := planv1.Field{Name: "_id", Value: planv1.Value{Type: benchv1alpha1.GeneratorObjectID}}
	dataset, err := workload.NewDataset(planv1.Plan{
		Collections: []planv1.Collection{{Name: "c", DocumentCount: 1, Fields: []planv1.Field{id}}},
		Steps:       []planv1.Step{step},
	})
	if err != nil {
		t.Fatal(err)
	}
	mix, err := workload.Compile(dataset, 0)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		r := recalling{most: time.Minute, answerer: &stuck{answers: 2}, own: mix, exact: mix}
		want := reportv1.Recall{Wanted: 10, Compared: 1, Exact: 1, Found: 1, Missing: "there was time for no more in 1m0s"}
		if got := *r.compare(t.Context(), 0, &declared); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	})
}
