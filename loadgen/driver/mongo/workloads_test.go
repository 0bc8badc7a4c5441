package mongo_test

import (
	"testing"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/config/samples"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/spec/validation"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

func TestReadyWorkloads(t *testing.T) {
	server := replicaSet(t, mongotest.Newest())
	for _, name := range samples.Workloads() {
		if name == "tpc-c-like" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			db := database(t, server, name)
			run := &benchv1alpha1.BenchmarkRun{}
			run.Spec.Preset = &benchv1alpha1.Preset{
				Name:          benchv1alpha1.PresetName(name),
				Parameters:    map[string]string{"scale": "0.1", "maxexecutiontime": "2"},
				WarmupSeconds: new(int32(0)),
			}
			if errs := validation.ValidateRun(run); len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			normal := spec.Normalise(run.Spec)
			normal.Dataset.Database = new(db.Name())
			plan := spec.Compile(normal)
			reports, err := drivertest.Run(t.Context(), plan, open(t, server))
			if err != nil {
				t.Fatal(err)
			}
			for _, step := range reports[0].Steps {
				for _, o := range step.Operations {
					t.Logf("%s: %d docs %d unexpected %d %v: %+v %+v", o.Name, o.Count, o.Documents, o.Unexpected, o.Expect, o.ErrorClasses, o.Checks)
				}
			}
		})
	}
}
