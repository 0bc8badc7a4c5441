package spec_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestCompileGolden compiles each specification testdata/NAME.yaml and compares the plan with testdata/NAME.json. A
// plan that changes for the same specification makes earlier results incomparable, so a difference here needs a reason.
func TestCompileGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("finding specifications: %d files, error %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			got := indented(t, spec.Compile(readSpec(t, file)))
			golden := strings.TrimSuffix(file, ".yaml") + ".json"
			rewrite(t, golden, got)
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
		})
	}
}

// rewrite writes a golden file when -update asks for it.
func rewrite(t *testing.T, golden, content string) {
	t.Helper()
	if !*update {
		return
	}
	if err := os.WriteFile(golden, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// indented is a plan as people read it.
func indented(t *testing.T, plan planv1alpha1.Plan) string {
	t.Helper()
	encoded, err := planv1alpha1.Encode(plan)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := json.Indent(&text, encoded, "", "  "); err != nil {
		t.Fatal(err)
	}
	text.WriteByte('\n')
	return text.String()
}

func readSpec(tb testing.TB, file string) benchv1alpha1.BenchmarkRunSpec {
	tb.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	var spec benchv1alpha1.BenchmarkRunSpec
	if err := yaml.UnmarshalStrict(content, &spec); err != nil {
		tb.Fatal(err)
	}
	return spec
}

func oneField(field benchv1alpha1.Field) benchv1alpha1.BenchmarkRunSpec {
	return benchv1alpha1.BenchmarkRunSpec{Dataset: benchv1alpha1.Dataset{Collections: []benchv1alpha1.Collection{
		{Name: "people", Fields: []benchv1alpha1.Field{field}},
	}}}
}

// compiledField is the plan's field next to _id.
func compiledField(field benchv1alpha1.Field) planv1alpha1.Field {
	return spec.Compile(oneField(field)).Collections[0].Fields[1]
}

func TestCompileAcceptsAnEmptySpecification(t *testing.T) {
	plan := spec.Compile(benchv1alpha1.BenchmarkRunSpec{})
	if plan.Pods != 1 || plan.Database != "mongobench" || plan.Seed != 1 || len(plan.Steps) != 3 {
		t.Errorf("got %+v", plan)
	}
}

func TestCompileIsBlindToDefaultsWrittenOut(t *testing.T) {
	implied := readSpec(t, "testdata/minimal.yaml")
	explicit := implied.DeepCopy()
	explicit.Seed = ptr.To(benchv1alpha1.DefaultSeed)
	explicit.LoadGenerator = &benchv1alpha1.LoadGenerator{Pods: new(int32(1))}
	explicit.Dataset.Database = ptr.To(benchv1alpha1.DefaultDatabase)
	collection := &explicit.Dataset.Collections[0]
	collection.Fields = append(collection.Fields, benchv1alpha1.Field{
		Name: "_id", Generator: benchv1alpha1.Generator{Type: benchv1alpha1.GeneratorObjectID},
	})
	collection.Options = &benchv1alpha1.CollectionOptions{}
	explicit.Workload.Steps[0].Operations[0].Collection = collection.Name
	if diff := cmp.Diff(spec.Compile(implied), spec.Compile(*explicit)); diff != "" {
		t.Errorf("plans (-implied +explicit):\n%s", diff)
	}
}

func TestSeeds(t *testing.T) {
	kind := benchv1alpha1.Generator{Type: benchv1alpha1.GeneratorInt}
	seeded := func(seed int64) benchv1alpha1.Generator {
		return benchv1alpha1.Generator{Type: benchv1alpha1.GeneratorInt, Seed: &seed}
	}
	tests := map[string]struct {
		one, other benchv1alpha1.Field
		wantEqual  bool
	}{
		"fields of different names are independent": {
			one: benchv1alpha1.Field{Name: "a", Generator: kind}, other: benchv1alpha1.Field{Name: "b", Generator: kind},
		},
		"fields of the same seed are equal whatever their names": {
			one:       benchv1alpha1.Field{Name: "a", Generator: seeded(7)},
			other:     benchv1alpha1.Field{Name: "b", Generator: seeded(7)},
			wantEqual: true,
		},
		"a given seed of 0 is not the same as none": {
			one: benchv1alpha1.Field{Name: "a", Generator: seeded(0)}, other: benchv1alpha1.Field{Name: "a", Generator: kind},
		},
		"different seeds are independent": {
			one:   benchv1alpha1.Field{Name: "a", Generator: seeded(1)},
			other: benchv1alpha1.Field{Name: "a", Generator: seeded(2)},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			one, other := compiledField(tc.one), compiledField(tc.other)
			if equal := one.Seed == other.Seed; equal != tc.wantEqual {
				t.Errorf("seeds %d and %d, want equal %t", one.Seed, other.Seed, tc.wantEqual)
			}
		})
	}
}

func TestLengthsAndRanges(t *testing.T) {
	text := func(settings *benchv1alpha1.BytesSettings) benchv1alpha1.Field {
		return benchv1alpha1.Field{Name: "f", Generator: benchv1alpha1.Generator{
			Type: benchv1alpha1.GeneratorString, ValueSettings: benchv1alpha1.ValueSettings{Bytes: settings},
		}}
	}
	tests := map[string]struct {
		field            benchv1alpha1.Field
		wantMin, wantMax int64
	}{
		"a String without lengths has the default": {field: text(nil), wantMin: 16, wantMax: 16},
		"a least length is the largest as well": {
			field: text(&benchv1alpha1.BytesSettings{MinLength: new(int32(40))}), wantMin: 40, wantMax: 40,
		},
		"a largest length is the least as well": {
			field: text(&benchv1alpha1.BytesSettings{MaxLength: new(int32(9))}), wantMin: 9, wantMax: 9,
		},
		"both lengths are taken": {
			field:   text(&benchv1alpha1.BytesSettings{MinLength: new(int32(0)), MaxLength: new(int32(9))}),
			wantMin: 0, wantMax: 9,
		},
		"an Int without limits has those of the API": {
			field:   benchv1alpha1.Field{Name: "f", Generator: benchv1alpha1.Generator{Type: benchv1alpha1.GeneratorInt}},
			wantMin: 0, wantMax: 2147483647,
		},
		"a Date without limits spans the years 2020 to 2030 in milliseconds": {
			field:   benchv1alpha1.Field{Name: "f", Generator: benchv1alpha1.Generator{Type: benchv1alpha1.GeneratorDate}},
			wantMin: 1577836800000, wantMax: 1893456000000,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := compiledField(tc.field)
			if got.Min != tc.wantMin || got.Max != tc.wantMax {
				t.Errorf("got %d to %d, want %d to %d", got.Min, got.Max, tc.wantMin, tc.wantMax)
			}
		})
	}
}

// TestTheCollectionThatGrowsIsTheFirstOfThePlan, wherever it is declared, since that is the one that load pods grow.
func TestTheCollectionThatGrowsIsTheFirstOfThePlan(t *testing.T) {
	plan := spec.Compile(benchv1alpha1.BenchmarkRunSpec{
		Dataset: benchv1alpha1.Dataset{Collections: []benchv1alpha1.Collection{{Name: "a"}, {Name: "b"}, {Name: "c"}}},
		Workload: benchv1alpha1.Workload{
			Growth: &benchv1alpha1.Growth{Collection: new("b"), Sizes: []int64{5, 9}},
		},
	})
	names := make([]string, 0, len(plan.Collections))
	for _, collection := range plan.Collections {
		names = append(names, collection.Name)
	}
	if want := []string{"b", "a", "c"}; !slices.Equal(names, want) {
		t.Errorf("the collections of the plan are %v, want %v", names, want)
	}
	if got := plan.Collections[0].DocumentCount; got != 5 {
		t.Errorf("it begins with %d documents, want those of the first checkpoint, 5", got)
	}
}
