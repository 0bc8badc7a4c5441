package v1alpha1_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

const (
	collection = "spec.dataset.collections.0."
	aField     = collection + "fields.0"
	anIndex    = collection + "indexes.0."
	step       = "spec.workload.steps.0."
	operation  = step + "operations.0"
)

// rule is a rule of the schema, found by its message, with an object that obeys it and one that does not.
type rule struct {
	kind           string
	accept, reject changes
}

// rules of what is created. Those about changes are in TestChanges.
var rules = merged(
	specRules, collectionRules, targetRules, shardingRules, workloadRules, actionRules, operationRules, suiteRules,
)

func merged(tables ...map[string]rule) map[string]rule {
	all := map[string]rule{}
	for _, table := range tables {
		maps.Copy(all, table)
	}
	return all
}

// nameRule is what runs and targets are told whose names no Service could have.
const nameRule = "name must be lower case letters, digits and dashes, begin with a letter and not end with a dash: " +
	"Services, Jobs and pods are named after it"

// specRules are those about the target and the dataset.
var specRules = map[string]rule{
	"name must be no more than 52 characters, so that the names of its pods fit into 63": {
		"run", changes{"metadata.name": strings.Repeat("a", 52)}, changes{"metadata.name": strings.Repeat("a", 53)},
	},
	nameRule: {
		"target", changes{"metadata.name": "mongo-6-0-5"}, changes{"metadata.name": "mongo-6.0.5"},
	},
	"exactly one of target and targetRef must be set": {
		"run",
		changes{"spec.targetRef": "", "spec.target": `{mongodb: {version: "6.0.5"}}`},
		changes{"spec.target": `{mongodb: {version: "6.0.5"}}`},
	},
	"database must not be one of MongoDB's own: admin, local, config": {
		"run", changes{"spec.dataset.database": "shop"}, changes{"spec.dataset.database": "admin"},
	},
	"load is for documents that a run loads; of an existing dataset none are": {
		"run",
		changes{"spec.dataset.existing": "{writes: Allowed, sampledKeys: 1000000}"},
		changes{"spec.dataset.existing": "{}", "spec.dataset.load": "{threads: 2}"},
	},
	"name must not start with system.": {
		"run", changes{collection + "name": "systems"}, changes{collection + "name": "system.users"},
	},
	"document is required with type Document and forbidden with any other": {
		"run",
		changes{aField: "{name: a, type: Document, document: {fields: [{name: b, type: Int}]}}"},
		changes{aField: "{name: a, type: Int, document: {fields: [{name: b, type: Int}]}}"},
	},
	"array is required with type Array and forbidden with any other": {
		"run",
		changes{aField: "{name: a, type: Array, array: {maxItems: 1, element: {type: Int}}}"},
		changes{aField: "{name: a, type: Array}"},
	},
	"minItems must be no more than maxItems": {
		"run",
		changes{aField: "{name: a, type: Array, array: {minItems: 2, maxItems: 2, element: {type: Int}}}"},
		changes{aField: "{name: a, type: Array, array: {minItems: 3, maxItems: 2, element: {type: Int}}}"},
	},
	"an array of arrays is declared by a name with brackets: cells[3][3]": {
		"run",
		changes{aField: "{name: a, type: Array, array: {maxItems: 2, element: {type: UUID}}}"},
		changes{aField: "{name: a, type: Array, array: {maxItems: 2, element: {type: Array}}}"},
	},
	"a document in a document or array is declared by a name with dots, and an array by one with brackets: sizes[1-3]": {
		"run",
		changes{aField: "{name: a, type: Document, document: {fields: [{name: b.c, type: Int}]}}"},
		changes{aField: "{name: a, type: Document, document: {fields: [{name: b, type: Document}]}}"},
	},
	"sequence may be set only with type Sequence": {
		"run",
		changes{aField: "{name: a, type: Sequence, sequence: {start: 5}}"},
		changes{aField: "{name: a, type: Int, sequence: {start: 5}}"},
	},
	"step must not be 0": {
		"run",
		changes{aField: "{name: a, type: Sequence, sequence: {step: -1}}"},
		changes{aField: "{name: a, type: Sequence, sequence: {step: 0}}"},
	},
	"integer may be set only with type Int or Long": {
		"run",
		changes{aField: "{name: a, type: Long, integer: {max: 5}}"},
		changes{aField: "{name: a, type: Bool, integer: {max: 5}}"},
	},
	"min must be no more than max": {
		"run",
		changes{aField: "{name: a, type: Int, integer: {min: 5, max: 5}}"},
		changes{aField: "{name: a, type: Int, integer: {max: -1}}"},
	},
	"double may be set only with type Double": {
		"run",
		changes{aField: `{name: a, type: Double, double: {max: "5"}}`},
		changes{aField: `{name: a, type: Int, double: {max: "5"}}`},
	},
	"bool may be set only with type Bool": {
		"run",
		changes{aField: "{name: a, type: Bool, bool: {truePercent: 5}}"},
		changes{aField: "{name: a, type: Int, bool: {truePercent: 5}}"},
	},
	"date may be set only with type Date or Timestamp": {
		"run",
		changes{aField: `{name: a, type: Date, date: {min: "2020-01-01T00:00:00Z"}}`},
		changes{aField: `{name: a, type: Int, date: {min: "2020-01-01T00:00:00Z"}}`},
	},
	"min and max are not possible with offsets": {
		"run",
		changes{aField: `{name: a, type: Date, date: {minOffsetSeconds: -60, maxOffsetSeconds: 0}}`},
		changes{aField: `{name: a, type: Date, date: {max: "2020-01-01T00:00:00Z", minOffsetSeconds: 0}}`},
	},
	"minOffsetSeconds and maxOffsetSeconds are given together": {
		"run",
		changes{aField: `{name: a, type: Date, date: {minOffsetSeconds: -60, maxOffsetSeconds: -60}}`},
		changes{aField: `{name: a, type: Date, date: {minOffsetSeconds: -60}}`},
	},
	"minOffsetSeconds must be no more than maxOffsetSeconds": {
		"run",
		changes{aField: `{name: a, type: Date, date: {minOffsetSeconds: -60, maxOffsetSeconds: -60}}`},
		changes{aField: `{name: a, type: Date, date: {minOffsetSeconds: -59, maxOffsetSeconds: -60}}`},
	},
	"min must be no later than max": {
		"run",
		changes{aField: `{name: a, type: Date, date: {min: "2020-01-01T00:00:00Z", max: "2020-01-01T00:00:00Z"}}`},
		changes{aField: `{name: a, type: Date, date: {min: "2020-01-01T00:00:01Z", max: "2020-01-01T00:00:00Z"}}`},
	},
	"bytes may be set only with type String, Binary or Regex": {
		"run",
		changes{aField: "{name: a, type: Binary, bytes: {maxLength: 5}}"},
		changes{aField: "{name: a, type: Int, bytes: {maxLength: 5}}"},
	},
	"minLength must be no more than maxLength": {
		"run",
		changes{aField: "{name: a, type: String, bytes: {minLength: 50}}"},
		changes{aField: "{name: a, type: String, bytes: {minLength: 6, maxLength: 5}}"},
	},
	"choice is required with type Choice and forbidden with any other": {
		"run",
		changes{aField: "{name: a, type: Choice, choice: {values: [{value: 1}]}}"},
		changes{aField: "{name: a, type: Choice}"},
	},
	"zipfian may be set only with type Zipfian, ScrambledZipfian or Latest": {
		"run",
		changes{aField: "{name: a, type: Int, distribution: {type: ScrambledZipfian, zipfian: {thetaThousandths: 500}}}"},
		changes{aField: "{name: a, type: Int, distribution: {type: Uniform, zipfian: {thetaThousandths: 500}}}"},
	},
	"exponential may be set only with type Exponential": {
		"run",
		changes{aField: "{name: a, type: Int, distribution: {type: Exponential, exponential: {drawsPercent: 5}}}"},
		changes{aField: "{name: a, type: Int, distribution: {type: Zipfian, exponential: {drawsPercent: 5}}}"},
	},
	"serial may be set only with type Serial": {
		"run",
		changes{aField: "{name: _id, type: Serial, serial: {prefix: user, digits: 5, order: Hashed}}"},
		changes{aField: "{name: a, type: String, serial: {digits: 5}}"},
	},
	"either preset alone, or dataset and workload, must be set": {
		"run",
		changes{"spec.dataset": "", "spec.workload": "", "spec.preset": "{name: YCSB-B, parameters: {recordcount: '5'}}"},
		changes{"spec.preset": "{name: YCSB-B}"},
	},
	"gateway goes with through: Gateway": {
		"run",
		changes{"spec.loadGenerator": "{through: Gateway, gateway: {poolSize: 5}}"},
		changes{"spec.loadGenerator": "{gateway: {poolSize: 5}}"},
	},
	"nuRand is required with type NURand and forbidden with any other": {
		"run",
		changes{aField: "{name: a, type: Int, distribution: {type: NURand, nuRand: {a: 255}}}"},
		changes{aField: "{name: a, type: Int, distribution: {type: NURand}}"},
	},
	"hotSpot may be set only with type HotSpot": {
		"run",
		changes{aField: "{name: a, type: Int, distribution: {type: HotSpot, hotSpot: {hotRangePercent: 5}}}"},
		changes{aField: "{name: a, type: Int, distribution: {type: Uniform, hotSpot: {hotRangePercent: 5}}}"},
	},
	"expireAfterSeconds needs an index on one field": {
		"run",
		changes{anIndex + "expireAfterSeconds": "0"},
		changes{anIndex + "expireAfterSeconds": "0", anIndex + "keys": "[{field: a}, {field: b}]"},
	},
	"an index with a Hashed key cannot be Unique": {
		"run",
		changes{anIndex + "properties": "[Unique, Sparse]"},
		changes{anIndex + "properties": "[Unique]", anIndex + "keys": "[{field: a, type: Hashed}]"},
	},
}

func TestRules(t *testing.T) {
	for message, tc := range rules {
		t.Run(message, func(t *testing.T) {
			if err := create(t, object(t, tc.kind, tc.accept)); err != nil {
				t.Errorf("an object that obeys: %v", err)
			}
			wantRefusal(t, create(t, object(t, tc.kind, tc.reject)), message)
		})
	}
}

// TestEveryRuleIsTested fails when a rule of the schema is in neither table.
func TestEveryRuleIsTested(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "config", "crd", "mongobench.dev_*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("finding definitions: %d files, error %v", len(files), err)
	}
	found := map[string]bool{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var definition any
		if err := yaml.Unmarshal(content, &definition); err != nil {
			t.Fatal(err)
		}
		collectMessages(definition, found)
	}
	for message := range found {
		_, created := rules[message]
		_, changed := fixedFields[message]
		if !created && !changed {
			t.Errorf("no test has an object that is refused with %q", message)
		}
	}
	for message := range rules {
		if !found[message] {
			t.Errorf("no rule has the message %q any more", message)
		}
	}
}

func collectMessages(value any, found map[string]bool) {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			collectMessages(item, found)
		}
	case map[string]any:
		list, _ := value["x-kubernetes-validations"].([]any)
		for _, item := range list {
			found[messageOf(item)] = true
		}
		for _, item := range value {
			collectMessages(item, found)
		}
	}
}

func messageOf(rule any) string {
	content, _ := rule.(map[string]any)
	message, _ := content["message"].(string)
	return message
}
