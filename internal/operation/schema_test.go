package operation_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/cel-go/cel"
	"sigs.k8s.io/yaml"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
)

// schema is what these tests read of the schema of a kind of objects.
type schema struct {
	Properties map[string]schema `json:"properties"`
	Items      *schema           `json:"items"`
	Enum       []string          `json:"enum"`
	Rules      []rule            `json:"x-kubernetes-validations"`
}

// rule is a CEL rule; FieldPath names the field that it is about.
type rule struct {
	Rule      string `json:"rule"`
	FieldPath string `json:"fieldPath"`

	program cel.Program
}

// operations is the schema of an operation of a run, with its rules compiled.
func operations(t *testing.T) schema {
	t.Helper()
	var definition struct {
		Spec struct {
			Versions []struct {
				Schema struct {
					OpenAPIV3Schema schema `json:"openAPIV3Schema"`
				} `json:"schema"`
			} `json:"versions"`
		} `json:"spec"`
	}
	text := read(t, "config", "crd", "mongobench.dev_benchmarkruns.yaml")
	if err := yaml.Unmarshal([]byte(text), &definition); err != nil {
		t.Fatal(err)
	}
	run := definition.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	found := *run.Properties["workload"].Properties["steps"].Items.Properties["operations"].Items
	compile(t, found.Rules)
	compile(t, found.Properties["operations"].Items.Rules)
	return found
}

func compile(t *testing.T, rules []rule) {
	t.Helper()
	environment, err := cel.NewEnv(cel.Variable("self", cel.DynType))
	if err != nil {
		t.Fatal(err)
	}
	for i := range rules {
		parsed, issues := environment.Compile(rules[i].Rule)
		if issues.Err() != nil {
			t.Fatalf("%s: %v", rules[i].Rule, issues.Err())
		}
		if rules[i].program, err = environment.Program(parsed); err != nil {
			t.Fatalf("%s: %v", rules[i].Rule, err)
		}
	}
}

// refusal is the rule that refuses an object, nil for none.
func (s schema) refusal(t *testing.T, object map[string]any) *rule {
	t.Helper()
	for i := range s.Rules {
		result, _, err := s.Rules[i].program.Eval(map[string]any{"self": object})
		if err != nil {
			t.Fatalf("%s: %v", s.Rules[i].Rule, err)
		}
		if result.Value() != true {
			return &s.Rules[i]
		}
	}
	return nil
}

// values are of every setting.
var values = map[operation.Setting]any{
	operation.Filter: "{}", operation.Projection: "{}", operation.Sort: []any{}, operation.Skip: 1, operation.Limit: 1,
	operation.LimitParameter: "p", operation.BatchSize: 1, operation.Fetch: "All", operation.Update: "{}",
	operation.WhenMissing: "Insert", operation.ReplaceKey: "k", operation.BatchDocuments: 1, operation.Pipeline: "[]",
	operation.Command: "{}", operation.Operations: []any{}, operation.Order: "Ordered", operation.MaxAwaitMillis: 1,
	operation.ReadConcern: "Local", operation.ReadPreference: "Primary",
	operation.WriteConcern: map[string]any{"w": "1"}, operation.Expect: map[string]any{"found": "All"},
}

// least is an operation of a kind with nothing but what it needs.
func least(kind operation.Kind) map[string]any {
	object := map[string]any{"kind": kind.String()}
	for _, setting := range kind.Row().Needs {
		object[string(setting)] = values[setting]
	}
	return object
}

// with is an object with one more setting.
func with(object map[string]any, setting operation.Setting, value any) map[string]any {
	object = maps.Clone(object)
	object[string(setting)] = value
	return object
}

const markers = "api/v1alpha1/operation_types.go: "

func TestTheSchemaKnowsEveryKind(t *testing.T) {
	known := operations(t).Properties["kind"].Enum
	for kind := range operation.Kinds() {
		if !slices.Contains(known, kind.String()) {
			t.Errorf(markers+"the enumeration of OperationKind lacks %s", kind)
		}
	}
	for _, name := range known {
		if _, err := operation.Parse(benchv1alpha1.OperationKind(name)); err != nil {
			t.Errorf("internal/operation/rows.go has no row of kind %s", name)
		}
	}
}

// TestTheSchemaTakesWhatTheRowsSay asks the rules of the schema for every kind with every setting.
func TestTheSchemaTakesWhatTheRowsSay(t *testing.T) {
	s := operations(t)
	for kind := range operation.Kinds() {
		object := least(kind)
		if refused := s.refusal(t, object); refused != nil {
			t.Errorf(markers+"%s with what it needs is refused by %s", kind, refused.Rule)
			continue
		}
		for setting, value := range values {
			if slices.Contains(slices.Concat(operation.Documents, operation.Plain), setting) {
				continue
			}
			refused := s.refusal(t, with(object, setting, value))
			switch takes := kind.Row().Takes(setting); {
			case takes && refused != nil:
				t.Errorf(markers+"%s takes %s, and is refused by %s", kind, setting, refused.Rule)
			case !takes && refused == nil:
				t.Errorf(markers+"%s does not take %s, and no rule refuses it", kind, setting)
			}
		}
	}
}

// TestTheSchemaNeedsWhatTheRowsSay asks the rules of the schema for every kind without each setting that it needs.
func TestTheSchemaNeedsWhatTheRowsSay(t *testing.T) {
	s := operations(t)
	for kind := range operation.Kinds() {
		for _, setting := range kind.Row().Needs {
			lacking := maps.Clone(least(kind))
			delete(lacking, string(setting))
			if !slices.Contains(operation.Documents, setting) && s.refusal(t, lacking) == nil {
				t.Errorf(markers+"%s needs %s, and no rule wants it", kind, setting)
			}
		}
	}
}

func TestTheSchemaAcknowledgesWhatTheRowsSay(t *testing.T) {
	s := operations(t)
	for kind := range operation.Kinds() {
		if row := kind.Row(); row.Takes(operation.WriteConcern) {
			none := with(least(kind), operation.WriteConcern, map[string]any{"w": "0"})
			if refused := s.refusal(t, none) != nil; refused != row.Acknowledged {
				t.Errorf(markers+"w: 0 of a %s is refused: %t, and it is always acknowledged: %t", kind, refused, row.Acknowledged)
			}
		}
	}
}

// TestTheSchemaNestsWhatTheRowsSay has every kind be a part of those that have parts.
func TestTheSchemaNestsWhatTheRowsSay(t *testing.T) {
	s := operations(t)
	nested := *s.Properties["operations"].Items
	for whole := range operation.Kinds() {
		if whole.Row().Effect != operation.ByParts {
			continue
		}
		for kind := range operation.Kinds() {
			part := least(kind)
			together := with(least(whole), operation.Operations, []any{part})
			refused := s.refusal(t, together) != nil || nested.refusal(t, part) != nil
			if may := slices.Contains(kind.Row().PartOf, whole); refused == may {
				t.Errorf(markers+"a %s as a part of a %s is refused: %t, and may be one: %t", kind, whole, refused, may)
			}
		}
	}
}
