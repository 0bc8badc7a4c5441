package presets_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec/presets"
)

// expanded is what a preset with these parameters stands for.
func expanded(
	t *testing.T, name benchv1alpha1.PresetName, parameters map[string]string,
) benchv1alpha1.BenchmarkRunSpec {
	t.Helper()
	spec, errs := presets.Expand(benchv1alpha1.BenchmarkRunSpec{
		Preset: &benchv1alpha1.Preset{Name: name, Parameters: parameters},
	})
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	if spec.Preset != nil {
		t.Error("the preset is still there")
	}
	return spec
}

// mix is the operations of the only step with their weights.
func mix(spec benchv1alpha1.BenchmarkRunSpec) map[string]int32 {
	weights := map[string]int32{}
	for _, operation := range spec.Workload.Steps[0].Operations {
		weights[operation.Name] = operation.Weight
	}
	return weights
}

// TestMixes has the proportions of YCSB's files workloada to workloadf, and of some that users change.
func TestMixes(t *testing.T) {
	tests := map[string]struct {
		name       benchv1alpha1.PresetName
		parameters map[string]string
		want       map[string]int32
	}{
		"A": {"YCSB-A", nil, map[string]int32{"read": 1, "update": 1}},
		"B": {"YCSB-B", nil, map[string]int32{"read": 19, "update": 1}},
		"C": {"YCSB-C", nil, map[string]int32{"read": 1}},
		"D": {"YCSB-D", nil, map[string]int32{"read": 19, "insert": 1}},
		"E": {"YCSB-E", nil, map[string]int32{"insert": 1, "scan": 19}},
		"F": {"YCSB-F", nil, map[string]int32{"read": 1, "read-modify-write": 1}},
		"the write-heavy mix of study 2": {
			"YCSB-A",
			map[string]string{"readproportion": "0.1", "updateproportion": "0.9"},
			map[string]int32{"read": 1, "update": 9},
		},
		"proportions that do not add up to 1 are shares of their sum": {
			"YCSB-C",
			map[string]string{"updateproportion": "1.0", "scanproportion": "0.5"},
			map[string]int32{"read": 2, "update": 2, "scan": 1},
		},
		"six decimals are exact": {
			"YCSB-C",
			map[string]string{"readproportion": "0.999999", "insertproportion": "0.000001"},
			map[string]int32{"read": 999_999, "insert": 1},
		},
		"a proportion that a file sets can be taken back": {
			"YCSB-A", map[string]string{"updateproportion": "0"}, map[string]int32{"read": 1},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, mix(expanded(t, tc.name, tc.parameters))); diff != "" {
				t.Errorf("weights (-want +got):\n%s", diff)
			}
		})
	}
}

// TestParametersArriveInTheirPlaces compares parts of what a preset stands for with YAML.
func TestParametersArriveInTheirPlaces(t *testing.T) {
	step := func(s benchv1alpha1.BenchmarkRunSpec) any { return s.Workload.Steps[0] }
	load := func(s benchv1alpha1.BenchmarkRunSpec) any { return s.Dataset.Load }
	fields := func(s benchv1alpha1.BenchmarkRunSpec) any { return s.Dataset.Collections[0] }
	keys := func(s benchv1alpha1.BenchmarkRunSpec) any {
		return s.Workload.Steps[0].Operations[0].Parameters[0].Distribution
	}
	operation := func(s benchv1alpha1.BenchmarkRunSpec) any { return s.Workload.Steps[0].Operations[0] }
	tests := map[string]struct {
		name       benchv1alpha1.PresetName
		parameters map[string]string
		part       func(benchv1alpha1.BenchmarkRunSpec) any
		want       string
	}{
		"a step with nothing set does 1000 operations in one thread": {
			"YCSB-C", map[string]string{"fieldcount": "1"}, step, `
name: ycsb-c
operationCount: 1000
threads: 1
operations:
  - {name: read, weight: 1, kind: FindOne, filter: {_id: {$param: key}},
     parameters: [{name: key, type: Key, distribution: {type: ScrambledZipfian}}]}
`,
		},
		"a time, threads and a rate": {
			"YCSB-C", map[string]string{"maxexecutiontime": "60", "threadcount": "16", "target": "5000"}, step, `
name: ycsb-c
durationSeconds: 60
threads: 16
arrival: {operationsPerSecond: 5000}
operations:
  - {name: read, weight: 1, kind: FindOne, filter: {_id: {$param: key}},
     parameters: [{name: key, type: Key, distribution: {type: ScrambledZipfian}}]}
`,
		},
		"batches": {"YCSB-C", map[string]string{"batchsize": "100"}, load, `{batchDocuments: 100}`},
		"documents with hashed keys and fields of one length": {
			"YCSB-C", map[string]string{"recordcount": "5000", "fieldcount": "2", "table": "t"}, fields, `
name: t
documentCount: 5000
fields:
  - {name: _id, type: Serial, serial: {prefix: user, digits: 1, order: Hashed}}
  - {name: field0, type: Binary, bytes: {minLength: 100, maxLength: 100}}
  - {name: field1, type: Binary, bytes: {minLength: 100, maxLength: 100}}
`,
		},
		"documents with ordered keys and fields of several lengths": {
			"YCSB-C", map[string]string{
				"fieldcount": "1", "fieldlength": "50", "minfieldlength": "5", "fieldlengthdistribution": "zipfian",
				"insertorder": "ordered", "zeropadding": "12",
			}, fields, `
name: usertable
documentCount: 1000
fields:
  - {name: _id, type: Serial, serial: {prefix: user, digits: 12, order: Ordered}}
  - {name: field0, type: Binary, bytes: {minLength: 5, maxLength: 50}, distribution: {type: Zipfian}}
`,
		},
		"the latest records": {"YCSB-D", nil, keys, `{type: Latest}`},
		"uniform keys":       {"YCSB-A", map[string]string{"requestdistribution": "Uniform"}, keys, `{type: Uniform}`},
		"sequential keys": {
			"YCSB-A", map[string]string{"requestdistribution": "sequential"}, keys, `{type: Sequential}`,
		},
		"a hot spot with YCSB's defaults": {
			"YCSB-A",
			map[string]string{"requestdistribution": "hotspot"},
			keys,
			`{type: HotSpot, hotSpot: {hotRangePercent: 20, hotDrawsPercent: 80}}`,
		},
		"a hot spot that is set": {
			"YCSB-A", map[string]string{
				"requestdistribution": "hotspot", "hotspotdatafraction": "0.05", "hotspotopnfraction": "1",
			}, keys, `{type: HotSpot, hotSpot: {hotRangePercent: 5, hotDrawsPercent: 100}}`,
		},
		"exponential keys with YCSB's defaults": {
			"YCSB-A",
			map[string]string{"requestdistribution": "exponential"},
			keys,
			`{type: Exponential, exponential: {rangeMillionths: 857143, drawsPercent: 95}}`,
		},
		"exponential keys that are set": {
			"YCSB-A", map[string]string{
				"requestdistribution": "exponential", "exponential.percentile": "90", "exponential.frac": "0.5",
			}, keys, `{type: Exponential, exponential: {rangeMillionths: 500000, drawsPercent: 90}}`,
		},
		"an update writes one field": {
			"YCSB-A", map[string]string{"readproportion": "0", "fieldcount": "2"}, operation, `
name: update
weight: 1
kind: UpdateOne
filter: {_id: {$param: key}}
update: {$set: {"$param:field": {$param: value}}}
parameters:
  - {name: key, type: Key, distribution: {type: ScrambledZipfian}}
  - {name: field, type: Choice, choice: {values: [{value: "field0"}, {value: "field1"}]}}
  - {name: value, type: Binary, bytes: {minLength: 100, maxLength: 100}}
`,
		},
		"an update writes all fields": {
			"YCSB-A", map[string]string{"readproportion": "0", "fieldcount": "2", "writeallfields": "true"}, operation, `
name: update
weight: 1
kind: UpdateOne
filter: {_id: {$param: key}}
update: {$set: {field0: {$param: value0}, field1: {$param: value1}}}
parameters:
  - {name: key, type: Key, distribution: {type: ScrambledZipfian}}
  - {name: value0, type: Binary, bytes: {minLength: 100, maxLength: 100}}
  - {name: value1, type: Binary, bytes: {minLength: 100, maxLength: 100}}
`,
		},
		"a scan of one field": {
			"YCSB-E", map[string]string{
				"insertproportion": "0", "fieldcount": "1", "readallfields": "false", "scanlengthdistribution": "zipfian",
			}, operation, `
name: scan
weight: 1
kind: Find
filter: {_id: {$gte: {$param: key}}}
sort: [{field: _id}]
limitParameter: length
projection: {"$param:shown": 1}
parameters:
  - {name: key, type: Key, distribution: {type: ScrambledZipfian}}
  - {name: length, type: Int, integer: {min: 1, max: 100}, distribution: {type: Zipfian}}
  - {name: shown, type: Choice, choice: {values: [{value: "field0"}]}}
`,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := yaml.Marshal(tc.part(expanded(t, tc.name, tc.parameters)))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(parsed(t, tc.want), parsed(t, string(got))); diff != "" {
				t.Errorf("it stands for (-want +got):\n%s", diff)
			}
		})
	}
}

func parsed(t *testing.T, text string) any {
	t.Helper()
	var value any
	if err := yaml.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	return value
}

func TestWrongParametersAreRefused(t *testing.T) {
	tests := map[string]struct {
		parameters map[string]string
		path, says string
	}{
		"one that is not known":  {map[string]string{"records": "5"}, "records", `supported values: "recordcount"`},
		"no number":              {map[string]string{"recordcount": "1e6"}, "recordcount", "whole number from 1"},
		"no records":             {map[string]string{"recordcount": "0"}, "recordcount", "whole number from 1"},
		"no word that is known":  {map[string]string{"requestdistribution": "normal"}, "requestdistribution", `"zipfian"`},
		"neither true nor false": {map[string]string{"readallfields": "yes"}, "readallfields", `"true", "false"`},
		"a share above 1":        {map[string]string{"readproportion": "95"}, "readproportion", "from 0 to 1"},
		"a share that is none":   {map[string]string{"readproportion": "NaN"}, "readproportion", "from 0 to 1"},
		"seven decimals":         {map[string]string{"readproportion": "0.1234567"}, "readproportion", "six decimals"},
		"a hot range of parts of a percent": {
			map[string]string{"hotspotdatafraction": "0.125"}, "hotspotdatafraction", "two decimals",
		},
		"a hot range of nothing": {map[string]string{"hotspotdatafraction": "0"}, "hotspotdatafraction", "at least 0.01"},
		"nothing to do": {
			map[string]string{"readproportion": "0", "updateproportion": "0"}, "readproportion", "nothing to do",
		},
		"a number and a time": {
			map[string]string{"operationcount": "5", "maxexecutiontime": "5"}, "operationcount", "leave out",
		},
		"a least length above the largest": {
			map[string]string{"minfieldlength": "200"}, "minfieldlength", "no more than fieldlength, 100",
		},
		"a shortest scan above the longest": {
			map[string]string{"minscanlength": "2000"}, "minscanlength", "no more than maxscanlength, 1000",
		},
		"a collection of the server's": {map[string]string{"table": "system.users"}, "table", "name of a collection"},
		"a driver":                     {map[string]string{"db.driver": "x"}, "db.driver", "spec.target"},
		"a connection":                 {map[string]string{"mongodb.url": "x"}, "mongodb.url", "connection string"},
		"a part of the records":        {map[string]string{"insertstart": "5"}, "insertstart", "share the records out"},
		"a way to measure":             {map[string]string{"measurementtype": "raw"}, "measurementtype", "histogram"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			spec, errs := presets.Expand(benchv1alpha1.BenchmarkRunSpec{
				Preset: &benchv1alpha1.Preset{Name: "YCSB-A", Parameters: tc.parameters},
			})
			if len(errs) != 1 {
				t.Fatalf("%d errors, want one: %v", len(errs), errs.ToAggregate())
			}
			if want := "spec.preset.parameters[" + tc.path + "]"; errs[0].Field != want {
				t.Errorf("the error is at %s, want %s", errs[0].Field, want)
			}
			if !strings.Contains(errs[0].Error(), tc.says) {
				t.Errorf("the error is %v, want %q", errs[0], tc.says)
			}
			if len(spec.Workload.Steps) != 1 || len(spec.Dataset.Collections) != 1 {
				t.Error("it stands for nothing")
			}
		})
	}
}

func TestASweepTakesThePlaceOfAThreadCount(t *testing.T) {
	preset := &benchv1alpha1.Preset{Name: "YCSB-A", ThreadSweep: []int32{1, 8}}
	spec, errs := presets.Expand(benchv1alpha1.BenchmarkRunSpec{Preset: preset})
	step := spec.Workload.Steps[0]
	if len(errs) > 0 || step.Threads != nil || len(step.ThreadSweep) != 2 {
		t.Errorf("errors %v, threads %v, sweep %v", errs, step.Threads, step.ThreadSweep)
	}
	preset.Parameters = map[string]string{"threadcount": "5"}
	_, errs = presets.Expand(benchv1alpha1.BenchmarkRunSpec{Preset: preset})
	if len(errs) != 1 || errs[0].Field != "spec.preset.parameters[threadcount]" {
		t.Errorf("errors are %v", errs)
	}
}

func TestEveryLoadPodLoads(t *testing.T) {
	spec, _ := presets.Expand(benchv1alpha1.BenchmarkRunSpec{
		Preset:        &benchv1alpha1.Preset{Name: "YCSB-A"},
		LoadGenerator: &benchv1alpha1.LoadGenerator{Pods: new(int32(8))},
	})
	if got := *spec.Dataset.Load.Threads; got != 8 {
		t.Errorf("%d threads load", got)
	}
}

func TestExpandLeavesOthersAsTheyAre(t *testing.T) {
	spec := benchv1alpha1.BenchmarkRunSpec{Dataset: benchv1alpha1.Dataset{Database: new("d")}}
	got, errs := presets.Expand(spec)
	if diff := cmp.Diff(spec, got); diff != "" || len(errs) > 0 {
		t.Errorf("errors %v, specification (-want +got):\n%s", errs, diff)
	}
}

// TestExpandChangesNothing calls it twice on the same specification.
func TestExpandChangesNothing(t *testing.T) {
	spec := benchv1alpha1.BenchmarkRunSpec{Preset: &benchv1alpha1.Preset{Name: "YCSB-E"}}
	before := spec.DeepCopy()
	first, _ := presets.Expand(spec)
	second, _ := presets.Expand(spec)
	if diff := cmp.Diff(*before, spec); diff != "" {
		t.Errorf("the specification changed:\n%s", diff)
	}
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("the second differs from the first:\n%s", diff)
	}
}
