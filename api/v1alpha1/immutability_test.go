package v1alpha1_test

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// fixedField is a field that cannot be changed once written, with ways of trying to.
type fixedField struct {
	kind     string
	before   changes
	attempts map[string]changes
}

// fixedFields by the message with which a change is refused.
var fixedFields = map[string]fixedField{
	"spec cannot be changed; create another BenchmarkTarget": {"target", nil, map[string]changes{
		"changed": {"spec.mongodb.version": `"6.0.6"`}, "added": {"spec.mongodb.provisioningSeconds": "60"},
	}},
	"target cannot be changed; create another BenchmarkRun": {
		"run",
		changes{"spec.targetRef": "", "spec.target": `{mongodb: {version: "6.0.5"}}`},
		map[string]changes{
			"changed": {"spec.target.mongodb.version": `"6.0.6"`}, "swapped": {"spec.target": "", "spec.targetRef": "{name: a}"},
		},
	},
	"targetRef cannot be changed; create another BenchmarkRun": {"run", nil, map[string]changes{
		"changed": {"spec.targetRef.name": "other"},
	}},
	"seed cannot be changed; create another BenchmarkRun": {"run", changes{"spec.seed": "1"}, map[string]changes{
		"changed": {"spec.seed": "2"}, "removed": {"spec.seed": ""},
	}},
	"operationSeed cannot be changed; create another BenchmarkRun": {
		"run", changes{"spec.operationSeed": "1"}, map[string]changes{
			"changed": {"spec.operationSeed": "2"}, "removed": {"spec.operationSeed": ""},
		},
	},
	"loadGenerator cannot be changed; create another BenchmarkRun": {"run", nil, map[string]changes{
		"added": {"spec.loadGenerator": "{pods: 2}"},
	}},
	"priceList cannot be changed; create another BenchmarkRun": {
		"run", changes{"spec.priceList": "{configMapName: a}"}, map[string]changes{
			"changed": {"spec.priceList.configMapName": "b"}, "added to": {"spec.priceList.key": "other.yaml"},
			"removed": {"spec.priceList": ""},
		},
	},
	"preset cannot be changed; create another BenchmarkRun": {
		"run",
		changes{"spec.dataset": "", "spec.workload": "", "spec.preset": "{name: YCSB-A}"},
		map[string]changes{
			"changed": {"spec.preset.name": "YCSB-B"}, "added to": {"spec.preset.parameters": "{recordcount: '5'}"},
		},
	},
	"dataset cannot be changed; create another BenchmarkRun": {"run", nil, map[string]changes{
		"changed": {collection + "documentCount": "11"}, "added": {"spec.dataset.load": "{threads: 2}"},
	}},
	"workload cannot be changed; create another BenchmarkRun": {"run", changes{
		operation: "{name: read, kind: Find, filter: {a: {$gt: 1}}}",
	}, map[string]changes{
		"changed": {step + "durationSeconds": "11"}, "added": {step + "threads": "2"},
		"changed in a document":       {operation: "{name: read, kind: Find, filter: {a: {$gt: 2}}}"},
		"changed to another document": {operation: "{name: read, kind: Find, projection: {a: 1}}"},
	}},
	"cancel cannot be taken back; create another BenchmarkRun": {"run", changes{"spec.cancel": "true"}, map[string]changes{
		"changed": {"spec.cancel": "false"}, "removed": {"spec.cancel": ""},
	}},
}

func TestFixedFields(t *testing.T) {
	for message, tc := range fixedFields {
		for name, change := range tc.attempts {
			t.Run(message+", "+name, func(t *testing.T) {
				wantRefusal(t, updated(t, tc.kind, tc.before, change), message)
			})
		}
	}
}

func TestFieldsThatMayBeChanged(t *testing.T) {
	for name, change := range map[string]changes{
		"what becomes of the pods":        {"spec.cleanupPolicy": "Keep"},
		"how long they are kept":          {"spec.keepSeconds": "60"},
		"how often it starts over":        {"spec.retryLimit": "2"},
		"how long its stages may take":    {"spec.deadlines": "{loadingSeconds: 7200}"},
		"when it is deleted":              {"spec.ttlSecondsAfterFinished": "60"},
		"whether it waits":                {"spec.suspend": "true"},
		"whether it goes on":              {"spec.cancel": "true"},
		"which runs it waits for":         {"spec.concurrency": "{group: a, max: 2}"},
		"labels":                          {"metadata.labels": "{a: b}"},
		"an object written as it was":     nil,
		"annotations of a GitOps program": {"metadata.annotations": "{a: b}"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := updated(t, "run", nil, change); err != nil {
				t.Error(err)
			}
		})
	}
}

// updated creates an object, tries to change it, and removes it.
func updated(t *testing.T, kind string, before, change changes) error {
	t.Helper()
	made := object(t, kind, before)
	if err := server.Create(t.Context(), made); err != nil {
		t.Fatalf("creating: %v", err)
	}
	defer func() {
		if err := server.Delete(t.Context(), made); err != nil {
			t.Errorf("removing: %v", err)
		}
	}()
	wanted := object(t, kind, before)
	applyChanges(t, wanted.Object, change)
	wanted.SetResourceVersion(made.GetResourceVersion())
	return server.Update(t.Context(), wanted, client.DryRunAll)
}
