package suite_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/suite"
)

func TestNamesOfRuns(t *testing.T) {
	long, thirty := strings.Repeat("a", 25), strings.Repeat("v", 30)
	tests := map[string]struct{ suite, variant, want string }{
		"what fits stays":               {"nightly", "small", "nightly-small-1-"},
		"dots become dashes":            {"my.nightly", "6.0.5", "my-nightly-6-0-5-1-"},
		"the longest that fits":         {"eighteen", thirty, "eighteen-" + thirty + "-1-"},
		"a long variant is cut":         {"nightly-1", thirty, "nightly-1-" + thirty[:22] + "-f41ae3-1-"},
		"a long suite is cut":           {strings.Repeat("s", 52), "v", strings.Repeat("s", 30) + "-3838b9-v-1-"},
		"both are cut":                  {long, long, "aaaaaaaaaaaa-2f521e-aaaaaaaaaaaa-2f521e-1-"},
		"no dash is left before a hash": {"aaaaaaaaaaa-bbbbbbbbbbbbbbb", long, "aaaaaaaaaaa-9af05e-aaaaaaaaaaaa-2f521e-1-"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			declared := small(t, "matrix: {include: [{name: \""+tc.variant+"\"}]}")
			declared.Name = tc.suite
			plan := compiled(t, declared)
			if diff := cmp.Diff(tc.want+plan.Variants[0].Hash, plan.Slots[0].Name); diff != "" {
				t.Errorf("name (-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzNames makes suites whose names are drawn: those of their runs and targets are unique and valid, and the same each
// time.
func FuzzNames(f *testing.F) {
	for seed := range uint64(50) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		declared := drawn(t, rand.New(rand.NewPCG(seed, 0)))
		plan, errs := suite.Compile(declared)
		checkThatNamesMeet(t, errs)
		if again, _ := suite.Compile(declared); !cmp.Equal(plan, again) {
			t.Errorf("the second plan is another one:\n%s", cmp.Diff(plan, again))
		}
		seen := map[string]bool{}
		for _, slot := range plan.Slots {
			checkName(t, slot.Name, seen)
			checkLabels(t, suite.Run(declared, plan, slot).Labels)
		}
		for _, variant := range plan.Variants {
			checkName(t, suite.TargetName(declared, variant), seen)
		}
	})
}

// drawn is a suite of up to two dimensions.
func drawn(t *testing.T, random *rand.Rand) *benchv1alpha1.BenchmarkSuite {
	t.Helper()
	declared := small(t, "targetReuse: PerVariant")
	declared.Name = word(random, 52, ".-")
	declared.Spec.Repetitions = new(1 + random.Int32N(5))
	matrix := &benchv1alpha1.Matrix{}
	for i := range random.IntN(3) {
		dimension := benchv1alpha1.Dimension{Name: fmt.Sprintf("d%d", i)}
		for range 1 + random.IntN(6) {
			dimension.Choices = append(dimension.Choices, benchv1alpha1.Choice{Name: word(random, 30, ".-")})
		}
		matrix.Dimensions = append(matrix.Dimensions, dimension)
	}
	declared.Spec.Matrix = matrix
	return declared
}

// word is a name of up to that many characters that begins and ends with a letter; letters are few, so names meet.
func word(random *rand.Rand, length int, inner string) string {
	const letters = "ab"
	name := make([]byte, 1+random.IntN(length))
	for i := range name {
		from := letters + inner
		if i == 0 || i == len(name)-1 || name[i-1] == '.' || name[i-1] == '-' {
			from = letters
		}
		name[i] = from[random.IntN(len(from))]
	}
	return string(name)
}

// checkThatNamesMeet wants no other errors: names are drawn without care, and nothing else can be wrong.
func checkThatNamesMeet(t *testing.T, errs field.ErrorList) {
	t.Helper()
	for _, err := range errs {
		if !strings.Contains(err.Error(), "Duplicate") && !strings.Contains(err.Error(), "would be called like") {
			t.Error(err)
		}
	}
}

func checkName(t *testing.T, name string, seen map[string]bool) {
	t.Helper()
	if problems := validation.IsDNS1123Label(name); len(problems) > 0 || len(name) > 52 {
		t.Errorf("%s, of %d characters: %v", name, len(name), problems)
	}
	if seen[name] {
		t.Errorf("%s is the name of two", name)
	}
	seen[name] = true
}

func checkLabels(t *testing.T, labels map[string]string) {
	t.Helper()
	for key, value := range labels {
		if problems := validation.IsValidLabelValue(value); len(problems) > 0 {
			t.Errorf("label %s: %s: %v", key, value, problems)
		}
	}
}

// TestATargetsNameIsThatOfItsContent keeps two specifications of one variant apart.
func TestATargetsNameIsThatOfItsContent(t *testing.T) {
	declared := &benchv1alpha1.BenchmarkSuite{ObjectMeta: metav1.ObjectMeta{Name: "s"}}
	got := suite.TargetName(declared, suite.Variant{Name: "6.0", Hash: "0a1b2c3d"})
	if diff := cmp.Diff("s-6-0-0a1b2c3d", got); diff != "" {
		t.Errorf("name (-want +got):\n%s", diff)
	}
}
