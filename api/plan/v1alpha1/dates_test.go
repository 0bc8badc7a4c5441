package v1alpha1_test

import (
	"testing"
	"time"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
)

func TestDatesFromTheLoadAreWrittenOutInACopy(t *testing.T) {
	fromLoad := planv1alpha1.Value{Min: -1000, Max: 2000, FromLoad: true}
	fixed := planv1alpha1.Value{Min: 1, Max: 2}
	plan := planv1alpha1.Plan{
		Collections: []planv1alpha1.Collection{{Fields: []planv1alpha1.Field{
			{Value: fromLoad},
			{Value: fixed},
			{Value: planv1alpha1.Value{Fields: []planv1alpha1.Field{{Value: fromLoad}}}},
			{Value: planv1alpha1.Value{Element: &fromLoad}},
		}}},
		Steps: []planv1alpha1.Step{{Operations: []planv1alpha1.Operation{
			{Parameters: []planv1alpha1.Parameter{{Value: fromLoad}, {Value: fixed}}},
		}}},
	}
	dated := plan.Dated(time.UnixMilli(10_000))
	of := func(p planv1alpha1.Plan) []planv1alpha1.Value {
		fields, parameters := p.Collections[0].Fields, p.Steps[0].Operations[0].Parameters
		return []planv1alpha1.Value{
			fields[0].Value, fields[2].Fields[0].Value, *fields[3].Element, parameters[0].Value,
			fields[1].Value, parameters[1].Value,
		}
	}
	for i, got := range of(dated) {
		wantMin, wantMax := int64(9000), int64(12_000)
		if i >= 4 {
			wantMin, wantMax = fixed.Min, fixed.Max
		}
		if got.Min != wantMin || got.Max != wantMax || got.FromLoad {
			t.Errorf("value %d is from %d to %d, want %d to %d", i, got.Min, got.Max, wantMin, wantMax)
		}
	}
	for i, kept := range of(plan)[:4] {
		if kept.Min != fromLoad.Min || !kept.FromLoad {
			t.Errorf("value %d of the plan itself was changed", i)
		}
	}
	if !plan.DatedFromLoad() || dated.DatedFromLoad() {
		t.Error("the plan has such dates, and the one with dates written out has none")
	}
}
