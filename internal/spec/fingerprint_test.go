package spec_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

func TestTheDatasetFingerprintIsThatOfTheDocuments(t *testing.T) {
	type changed = benchv1alpha1.BenchmarkRunSpec
	tests := map[string]struct {
		change  func(*changed)
		another bool
	}{
		"the seed":      {func(s *changed) { s.Seed = new(int64(2)) }, true},
		"the database":  {func(s *changed) { s.Dataset.Database = new("other") }, true},
		"the documents": {func(s *changed) { s.Dataset.Collections[0].DocumentCount = new(int64(11)) }, true},
		"a field":       {func(s *changed) { s.Dataset.Collections[0].Fields[0].Name = "title" }, true},
		"an index": {func(s *changed) {
			s.Dataset.Collections[0].Indexes = []benchv1alpha1.Index{{Keys: []benchv1alpha1.IndexKey{{Field: "name"}}}}
		}, true},
		"the compressor": {func(s *changed) {
			s.Dataset.Collections[0].Options = &benchv1alpha1.CollectionOptions{Compressor: new(benchv1alpha1.CompressorZlib)}
		}, true},
		"the shard key": {func(s *changed) {
			s.Dataset.Collections[0].Sharding = &benchv1alpha1.Sharding{Key: []benchv1alpha1.IndexKey{{Field: "_id"}}}
		}, true},
		"the first size of a growth": {func(s *changed) {
			s.Workload.Growth = &benchv1alpha1.Growth{Sizes: []int64{5, 20}}
		}, true},
		"a growth that begins with the documents": {func(s *changed) {
			s.Workload.Growth = &benchv1alpha1.Growth{Sizes: []int64{10, 20}}
		}, false},
		"the threads and batches of the load": {func(s *changed) {
			s.Dataset.Load = &benchv1alpha1.Load{Threads: new(int32(9)), BatchDocuments: new(int32(9))}
		}, false},
		"when the indexes are built": {func(s *changed) {
			s.Dataset.Load = &benchv1alpha1.Load{Indexes: new(benchv1alpha1.IndexesAfterLoad)}
		}, false},
		"how it is verified, and whether it is reused": {func(s *changed) {
			s.Dataset.Load = &benchv1alpha1.Load{
				Verify: new(benchv1alpha1.VerifyAll), Reuse: new(benchv1alpha1.ReuseNever),
			}
		}, false},
		"the load pods": {func(s *changed) {
			s.LoadGenerator = &benchv1alpha1.LoadGenerator{Pods: new(int32(3))}
		}, false},
		"documents that are there already": {func(s *changed) {
			s.Dataset.Existing = &benchv1alpha1.ExistingDataset{}
		}, true},
		"the workload": {func(s *changed) { s.Workload.Steps[0].DurationSeconds = new(int32(99)) }, false},
	}
	before := spec.Compile(readSpec(t, "testdata/minimal.yaml")).Dataset
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			changed := readSpec(t, "testdata/minimal.yaml")
			tc.change(&changed)
			if after := spec.Compile(changed).Dataset; (after != before) != tc.another {
				t.Errorf("fingerprints %s and %s, want another: %t", before, after, tc.another)
			}
		})
	}
}

func TestThatADatasetMayBeWrittenToIsNoPartOfIt(t *testing.T) {
	fingerprint := func(writes benchv1alpha1.ExistingWrites, keys int32) string {
		declared := readSpec(t, "testdata/minimal.yaml")
		declared.Dataset.Existing = &benchv1alpha1.ExistingDataset{Writes: &writes, SampledKeys: &keys}
		return spec.Compile(declared).Dataset
	}
	one := fingerprint(benchv1alpha1.ExistingWritesForbidden, 10)
	if fingerprint(benchv1alpha1.ExistingWritesAllowed, 10) != one {
		t.Error("it is")
	}
	if fingerprint(benchv1alpha1.ExistingWritesForbidden, 11) == one {
		t.Error("nor is how many keys are drawn from")
	}
}

func TestOfAnExistingDatasetNothingIsLoaded(t *testing.T) {
	declared := readSpec(t, "testdata/minimal.yaml")
	declared.Dataset.Existing = &benchv1alpha1.ExistingDataset{}
	plan := spec.Compile(declared)
	kinds := make([]planv1.StepKind, 0, len(plan.Steps))
	for _, step := range plan.Steps {
		kinds = append(kinds, step.Kind)
	}
	want := []planv1.StepKind{planv1.StepSurvey, planv1.StepMeasure}
	if !slices.Equal(kinds, want) || plan.AfterLoading() != 1 {
		t.Errorf("steps of kinds %v, measured from %d on, want %v", kinds, plan.AfterLoading(), want)
	}
	if diff := cmp.Diff(&planv1.Existing{SampledKeys: 100_000}, plan.Existing); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if found := plan.SampledFields(); len(found) > 0 {
		t.Errorf("of documents that are known %v are read", found)
	}
	declared.Dataset.Collections[0].DocumentCount = nil
	fields := map[string][]string{"people": {"_id"}}
	if diff := cmp.Diff(fields, spec.Compile(declared).SampledFields()); diff != "" {
		t.Errorf("fields that are read (-want +got):\n%s", diff)
	}
}

func TestHowUnevenShardsMayBeIsNoPartOfTheDataset(t *testing.T) {
	fingerprint := func(imbalance int32) string {
		declared := readSpec(t, "testdata/minimal.yaml")
		declared.Dataset.Collections[0].Sharding = &benchv1alpha1.Sharding{
			Key: []benchv1alpha1.IndexKey{{Field: "_id"}}, MaxImbalancePercent: &imbalance,
		}
		return spec.Compile(declared).Dataset
	}
	if fingerprint(10) != fingerprint(30) {
		t.Error("it is")
	}
}
