package spec_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

// writing is a run with a write that declares no concern, one that does, one that has to be acknowledged, and a read.
const writing = `
dataset: {collections: [{name: c, documentCount: 10}]}
workload:
  steps:
    - name: s
      durationSeconds: 1
      operations:
        - {name: plain, kind: InsertOne}
        - {name: own, kind: DeleteOne, filter: "{}", writeConcern: {w: "2"}}
        - {name: returned, kind: FindOneAndUpdate, filter: "{}", update: '{"$set": {"a": 1}}'}
        - {name: read, kind: FindOne}
`

func runSpec(t *testing.T, text string) benchv1alpha1.BenchmarkRunSpec {
	t.Helper()
	var spec benchv1alpha1.BenchmarkRunSpec
	if err := yaml.UnmarshalStrict([]byte(text), &spec); err != nil {
		t.Fatal(err)
	}
	return spec
}

// concerns are what becomes of a declared durability.
type concerns struct {
	Durability                          string
	Load, Plain, Own, Returned, Reading *planv1alpha1.WriteConcern
}

// concernsOf are those of a plan of writing.
func concernsOf(plan planv1alpha1.Plan) concerns {
	got := concerns{Durability: plan.Durability}
	for _, step := range plan.Steps {
		if step.Kind == planv1alpha1.StepLoad {
			got.Load = step.WriteConcern
		}
		if step.Kind == planv1alpha1.StepMeasure {
			got.Plain, got.Own = step.Operations[0].WriteConcern, step.Operations[1].WriteConcern
			got.Returned, got.Reading = step.Operations[2].WriteConcern, step.Operations[3].WriteConcern
		}
	}
	return got
}

func TestDurabilityIsAWriteConcernOfMongoDB(t *testing.T) {
	own := &planv1alpha1.WriteConcern{W: "2"}
	memory := &planv1alpha1.WriteConcern{W: "1", Journal: benchv1alpha1.JournalNotRequired}
	synced := &planv1alpha1.WriteConcern{W: "1", Journal: benchv1alpha1.JournalRequired}
	majority := &planv1alpha1.WriteConcern{W: "majority"}
	const mongoDB = `{mongodb: {version: "6.0.5", replicaSet: {}`
	tests := map[string]struct {
		target string
		want   concerns
	}{
		"nothing declared": {mongoDB + "}}", concerns{Own: own}},
		"None": {
			mongoDB + ", durability: None}}",
			concerns{Durability: "None", Load: memory, Plain: &planv1alpha1.WriteConcern{W: "0"}, Own: own},
		},
		"Memory": {
			mongoDB + ", durability: Memory}}",
			concerns{Durability: "Memory", Load: memory, Plain: memory, Own: own, Returned: memory},
		},
		"Synced": {
			mongoDB + ", durability: Synced}}",
			concerns{Durability: "Synced", Load: synced, Plain: synced, Own: own, Returned: synced},
		},
		"Majority": {
			mongoDB + ", durability: Majority}}",
			concerns{Durability: "Majority", Load: majority, Plain: majority, Own: own, Returned: majority},
		},
		"a MariaDB, of which the server decides": {
			`{mariadb: {version: "10.11", durability: OSCache}}`,
			concerns{Durability: "OSCache", Own: own},
		},
		"a MariaDB without one is Synced": {
			`{mariadb: {version: "10.11"}}`, concerns{Durability: "Synced", Own: own},
		},
		"an existing MariaDB is what it is": {
			`{external: {product: MariaDB, uriSecretRef: {name: a, key: b}}}`, concerns{Own: own},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			declared := runSpec(t, "target: "+tc.target+writing)
			plan := spec.Compile(declared)
			if diff := cmp.Diff(tc.want, concernsOf(plan)); diff != "" {
				t.Errorf("concerns (-want +got):\n%s", diff)
			}
			referring := declared
			referring.Target, referring.TargetRef = nil, &benchv1alpha1.NameReference{Name: "t"}
			same := spec.CompileNormal(spec.NormaliseOn(referring, *declared.Target))
			if diff := cmp.Diff(plan, same); diff != "" {
				t.Errorf("the plan of a run that refers to the target (-inline +referring):\n%s", diff)
			}
		})
	}
}

// TestDurabilityIsNoPartOfTheDataset: what was loaded with one may be measured with another.
func TestDurabilityIsNoPartOfTheDataset(t *testing.T) {
	one := spec.Compile(runSpec(t, `target: {mongodb: {version: "6.0.5", durability: None}}`+writing))
	other := spec.Compile(runSpec(t, `target: {mongodb: {version: "6.0.5"}}`+writing))
	if one.Dataset != other.Dataset {
		t.Errorf("datasets %s and %s, want the same", one.Dataset, other.Dataset)
	}
}
