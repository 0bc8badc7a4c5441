package v1alpha1_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

const (
	runSpec  = "spec.template.spec."
	aChoice  = "spec.matrix.dimensions.0.choices.0."
	baseline = "spec.baseline"
	oneOp    = "[{op: remove, path: /seed}]"
)

// suiteRules are those of suites; those of their template's run are tested with a run.
var suiteRules = map[string]rule{
	"name must be no more than 52 characters": {
		"suite", changes{"metadata.name": strings.Repeat("a", 52)}, changes{"metadata.name": strings.Repeat("a", 53)},
	},
	"name must begin with a letter, because the names of its runs begin with it": {
		"suite", changes{"metadata.name": "v6.0-nightly"}, changes{"metadata.name": "6.0-nightly"},
	},
	"targetReuse: PerVariant needs template.spec.target, of which each variant gets one": {
		"suite",
		changes{
			"spec.targetReuse": "PerVariant", runSpec + "targetRef": "",
			runSpec + "target": `{mongodb: {version: "6.0.5"}}`,
		},
		changes{"spec.targetReuse": "PerVariant"},
	},
	"exactly one of max and min must be set": {
		"suite",
		changes{"spec.search": "{constraints: [{metric: P99Micros, max: 5000}]}"},
		changes{"spec.search": "{constraints: [{metric: P99Micros, max: 5000, min: 1}]}"},
	},
	"no more than one of patch and jsonPatch may be set": {
		"suite",
		changes{aChoice + "jsonPatch": oneOp},
		changes{aChoice + "jsonPatch": oneOp, aChoice + "patch": "{seed: 2}"},
	},
	"the time zone belongs in timeZone": {
		"suite",
		changes{"spec.schedule": "{cron: 0 2 * * *, timeZone: Europe/Berlin}"},
		changes{"spec.schedule": "{cron: CRON_TZ=Europe/Berlin 0 2 * * *}"},
	},
	"@every is no time of a clock; say it with minutes and hours, such as 0 */6 * * *": {
		"suite", changes{"spec.schedule": "{cron: '@daily'}"}, changes{"spec.schedule": "{cron: '@every 6h'}"},
	},
	"must be a time like 2026-12-24T18:00:00Z, or a date like 2026-12-24": {
		"suite",
		changes{"spec.acknowledged": "[{metric: P99Micros, reason: a, until: '2026-12-24T18:00:00+01:00'}]"},
		changes{"spec.acknowledged": "[{metric: P99Micros, reason: a, until: 24.12.2026}]"},
	},
	"exactly one of variant, previousRevision, suite and figures must be set": {
		"suite",
		changes{baseline: "{previousRevision: {}}"},
		changes{baseline: "{previousRevision: {}, variant: one}"},
	},
}

func TestABaselineIsOneThing(t *testing.T) {
	const message = "exactly one of variant, previousRevision, suite and figures must be set"
	for name, accepted := range map[string]string{
		"a variant":        "{variant: one}",
		"another suite":    "{suite: {name: other}}",
		"a revision of it": "{suite: {name: other, revision: 0a1b2c3d}}",
		"figures":          "{figures: [{metric: P99Micros, value: 5}]}",
	} {
		t.Run(name, func(t *testing.T) {
			if err := create(t, object(t, "suite", changes{baseline: accepted})); err != nil {
				t.Error(err)
			}
		})
	}
	wantRefusal(t, create(t, object(t, "suite", changes{baseline: "{}"})), message)
}

func TestMarkersOfSuites(t *testing.T) {
	tests := map[string]struct {
		reject  changes
		message string
	}{
		"an order that does not exist": {changes{"spec.order": "Random"}, "spec.order: Unsupported value"},
		"no repetition":                {changes{"spec.repetitions": "0"}, "greater than or equal to 1"},
		"101 repetitions":              {changes{"spec.repetitions": "101"}, "less than or equal to 100"},
		"no template":                  {changes{"spec.template": ""}, "spec.template: Required value"},
		"a template that is no run": {
			changes{runSpec + "targetRef": ""}, "exactly one of target and targetRef must be set",
		},
		"a dimension in capitals": {changes{"spec.matrix.dimensions.0.name": "Threads"}, "name: Invalid value"},
		"a dimension twice": {
			changes{"spec.matrix.dimensions": "[{name: a, choices: [{name: b}]}, {name: a, choices: [{name: b}]}]"},
			"dimensions[1]: Duplicate value",
		},
		"a dimension without choice": {
			changes{"spec.matrix.dimensions.0.choices": "[]"},
			"should have at least 1 items",
		},
		"a choice twice": {
			changes{"spec.matrix.dimensions.0.choices": "[{name: a}, {name: a}]"},
			"choices[1]: Duplicate value",
		},
		"a choice that ends with a dot": {
			changes{aChoice + "name": "a."}, "name: Invalid value",
		},
		"a patch that is a list": {changes{aChoice + "patch": "[]"}, "patch: Invalid value"},
		"an operation that does not exist": {
			changes{aChoice + "jsonPatch": "[{op: merge, path: /seed}]"},
			"op: Unsupported value",
		},
		"an exclusion of nothing": {
			changes{"spec.matrix.exclude": "[{choices: {}}]"},
			"should have at least 1 properties",
		},
		"thresholds that are none": {changes{"spec.thresholds": "[]"}, "should have at least 1 items"},
		"a metric that does not exist": {
			changes{"spec.thresholds": "[{metric: P42Micros}]"},
			"metric: Unsupported value",
		},
		"a confidence of certainty": {
			changes{"spec.thresholds": "[{metric: P99Micros, confidencePercent: 100}]"},
			"less than or equal to 99",
		},
		"a figure without its value": {
			changes{baseline: "{figures: [{metric: P99Micros}]}"},
			"value: Required value",
		},
		"a schedule without its times": {changes{"spec.schedule": "{timeZone: Etc/UTC}"}, "cron: Required value"},
		"a deadline that nobody can keep": {
			changes{"spec.schedule": "{cron: '@daily', startingDeadlineSeconds: 9}"}, "greater than or equal to 10",
		},
		"an acknowledgement without its reason": {
			changes{"spec.acknowledged": "[{metric: P99Micros, until: '2026-12-24'}]"}, "reason: Required value",
		},
		"an acknowledgement of which the reason is empty": {
			changes{"spec.acknowledged": "[{metric: P99Micros, reason: '', until: '2026-12-24'}]"}, "reason: Invalid value",
		},
		"an acknowledgement for ever": {
			changes{"spec.acknowledged": "[{metric: P99Micros, reason: a}]"}, "until: Required value",
		},
		"an acknowledgement of everything": {
			changes{"spec.acknowledged": "[{reason: a, until: '2026-12-24'}]"}, "metric: Required value",
		},
		"an acknowledgement of no effect": {
			changes{"spec.acknowledged": "[{metric: P99Micros, reason: a, until: '2026-12-24', maxEffectPercent: 0}]"},
			"greater than or equal to 1",
		},
		"a group with a slash": {
			changes{runSpec + "concurrency": "{group: a/b}"},
			"group: Invalid value",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			wantRefusal(t, create(t, object(t, "suite", tc.reject)), tc.message)
		})
	}
}

// TestPatchesAreKeptAsTheyAreWritten has what the server would drop from an object whose schema it knows: nulls, and
// fields that do not exist.
func TestPatchesAreKeptAsTheyAreWritten(t *testing.T) {
	made := object(t, "suite", changes{
		aChoice + "patch": `{
			dataset: null, workload: {steps: [{$patch: delete, name: read}]}, stepz: 4242,
		}`,
		"spec.matrix.dimensions.0.choices.1": `{name: many, jsonPatch: [
			{op: add, path: /a, value: [1, {b: null}]}, {op: test, path: /c, value: "d"},
		]}`,
	})
	if err := server.Create(t.Context(), made); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := server.Delete(t.Context(), made); err != nil {
			t.Errorf("removing: %v", err)
		}
	}()
	stored, err := made.MarshalJSON() // What the server answered.
	if err != nil {
		t.Fatal(err)
	}
	var kept benchv1alpha1.BenchmarkSuite
	decode(t, stored, &kept)
	choices := kept.Spec.Matrix.Dimensions[0].Choices
	got := []string{
		string(choices[0].Patch.Raw), string(choices[1].JSONPatch[0].Value.Raw), string(choices[1].JSONPatch[1].Value.Raw),
	}
	want := []string{
		`{"dataset":null,"stepz":4242,"workload":{"steps":[{"$patch":"delete","name":"read"}]}}`,
		`[1,{"b":null}]`, `"d"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("patches (-want +got):\n%s", diff)
	}
}

func TestASuiteMayBeChanged(t *testing.T) {
	for name, change := range map[string]changes{
		"its template":    {runSpec + "seed": "5"},
		"its matrix":      {"spec.matrix": ""},
		"its repetitions": {"spec.repetitions": "7"},
		"its suspension":  {"spec.suspend": "true"},
		"its schedule":    {"spec.schedule": "{cron: 0 2 * * 1-5, timeZone: Asia/Kolkata, startingDeadlineSeconds: 60}"},
		"what is known of it": {
			"spec.acknowledged": "[{variant: one, metric: P99Micros, step: read, operation: read, maxEffectPercent: 20, " +
				"reason: 'issue 42', until: '2026-12-24T18:00:00.5+01:00'}, {metric: P99Micros, reason: a, until: 2026-12-24}]",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if err := updated(t, "suite", nil, change); err != nil {
				t.Error(err)
			}
		})
	}
}
