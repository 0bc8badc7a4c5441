package v1alpha1_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	rundecide "github.com/mongobench/mongobench-operator/controllers/run/decide"
	suitedecide "github.com/mongobench/mongobench-operator/controllers/suite/decide"
	targetdecide "github.com/mongobench/mongobench-operator/controllers/target/decide"
	"github.com/mongobench/mongobench-operator/internal/spec/validation"
	"github.com/mongobench/mongobench-operator/internal/suite"
	"github.com/mongobench/mongobench-operator/internal/testing/golden"
)

// TestWhatIsSaidOfWrongObjects keeps what a user is told of objects that are wrong: one for each field of the schema,
// with a value that the field cannot have, and those of testdata/wrong.yaml. Whoever reads testdata/wrong.txt reads
// what users do.
func TestWhatIsSaidOfWrongObjects(t *testing.T) {
	const least = 150
	var told strings.Builder
	count := 0
	for _, kind := range []string{"target", "run", "suite"} {
		var hit []string
		fmt.Fprintf(&told, "# %s\n", kindNames[kind])
		for _, one := range slices.Concat(wrongFields(t, kind), wrongValues(t, kind)) {
			count++
			hit = append(hit, one.path)
			fmt.Fprintf(&told, "\n%s: %s\n", one.path, one.shown)
			for _, said := range one.answers(t, kind) {
				fmt.Fprintf(&told, "  %s\n", said.text)
				hit = append(hit, index.ReplaceAllString(said.field, "[0]"))
			}
		}
		told.WriteString("\n")
		wantEachField(t, kind, hit)
	}
	golden.Compare(t, filepath.Join("testdata", "wrong.txt"), told.String())
	if count < least {
		t.Errorf("%d wrong objects, want %d", count, least)
	}
}

// TestRightObjectsComeToPods shows that the bases of the wrong objects, as they are, are not accepted in vain: to be
// wrong is why of the others nothing is made.
func TestRightObjectsComeToPods(t *testing.T) {
	inline := changes{"spec.targetRef": "", "spec.target": "{mongodb: {version: \"6.0.5\"}}"}
	for kind, changed := range map[string]changes{"target": nil, "run": inline, "suite": nil} {
		if said, made := judged(t, kind, object(t, kind, changed)); len(said) > 0 || made == 0 {
			t.Errorf("%s: %d objects are made, and it is said: %v", kind, made, said)
		}
	}
}

// TestUnionsThatTheSchemaDoesNotKnow has targets that only a schema of another version lets through: one of a product
// that this version does not know, which is none for it, and one of two.
func TestUnionsThatTheSchemaDoesNotKnow(t *testing.T) {
	for declared, want := range map[string]string{
		"{}": "exactly one of mongodb, mariadb, ferretdb and external must be set; another was made for a later version",
		`{mongodb: {version: "6.0.5"}, mariadb: {version: "11.4"}}`: "exactly one of mongodb, mariadb, ferretdb and " +
			"external",
		`{mongodb: {version: "6.0.5", replicaSet: {}, sharded: {}}}`: "at most one of standalone, replicaSet and sharded",
	} {
		for kind, changed := range map[string]changes{
			"target": {"spec": declared}, "run": {"spec.target": declared, "spec.targetRef": ""},
			"suite": {"spec.template.spec.target": declared, "spec.template.spec.targetRef": ""},
		} {
			said, made := judged(t, kind, object(t, kind, changed))
			if made > 0 || len(said) != 1 || !strings.Contains(said[0].text, want) {
				t.Errorf("%s of %s: %d objects are made, and it is said: %v; want %q", kind, declared, made, said, want)
			}
		}
	}
}

// wrongObject is one that nobody can want.
type wrongObject struct {
	// path of the field that is wrong, as errors have it, and shown is its value as an author would write it.
	path, shown string
	// alone says that nothing but the field is wrong.
	alone  bool
	object *unstructured.Unstructured
}

// answer is one thing that is said of an object, and the field that it is said of.
type answer struct{ field, text string }

// answers are what a user is told: by the API server when the object is applied, or by its condition Accepted.
func (w wrongObject) answers(t *testing.T, kind string) []answer {
	t.Helper()
	if err := create(t, w.object.DeepCopy()); err != nil {
		all := refusals(err)
		other := func(a answer) bool { return !strings.HasPrefix(a.field, w.path) }
		if w.alone && slices.ContainsFunc(all, other) {
			t.Errorf("%s: %s: something else is wrong, too: %v", w.path, w.shown, all)
		}
		return all
	}
	all, made := judged(t, kind, w.object)
	if len(all) == 0 {
		t.Errorf("%s: %s: nothing is said", w.path, w.shown)
	}
	if made > 0 {
		t.Errorf("%s: %s: %d objects are made for what is not accepted", w.path, w.shown, made)
	}
	return all
}

// unknown is how the API server calls a field that the schema does not have; it is no cause.
var unknown = regexp.MustCompile(`unknown field "([^"]+)"`)

// unchecked is what the API server adds where it has not come to the rules in CEL.
const unchecked = "some validation rules were not checked because the object was invalid; correct the existing " +
	"errors to complete validation"

// refusals are what the API server says.
func refusals(err error) []answer {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil || len(status.Status().Details.Causes) == 0 {
		at := ""
		if found := unknown.FindStringSubmatch(err.Error()); found != nil {
			at = found[1]
		}
		return []answer{{at, "apply: " + err.Error()}}
	}
	var all []answer
	for _, cause := range status.Status().Details.Causes {
		if !strings.HasSuffix(cause.Message, unchecked) {
			all = append(all, answer{cause.Field, "apply: " + cause.Field + ": " + cause.Message})
		}
	}
	slices.SortFunc(all, func(a, b answer) int { return strings.Compare(a.text, b.text) })
	return slices.Compact(all)
}

// judged is what the operator finds wrong with an object that the API server took, and how many objects it makes for
// it: without any there is no pod, either.
func judged(t *testing.T, kind string, object *unstructured.Unstructured) (all []answer, made int) {
	t.Helper()
	var errs field.ErrorList
	switch kind {
	case "run":
		errs, made = judgedRun(t, object)
	case "target":
		errs, made = judgedTarget(t, object)
	default:
		return judgedSuite(t, object)
	}
	return accepted(errs), made
}

// decisions are how often the operator decides on an object: the first time it only writes into the status whose turn
// it is.
const decisions = 3

func judgedRun(t *testing.T, object *unstructured.Unstructured) (errs field.ErrorList, made int) {
	t.Helper()
	run := &benchv1alpha1.BenchmarkRun{}
	convert(t, object, run)
	errs = validation.ValidateRun(run)
	for range decisions {
		observed := rundecide.Observation{Run: run, Now: someday, Turn: rundecide.Turn{Admitted: true}}
		decision := rundecide.Decide(observed)
		run.Status = decision.Status
		made += len(decision.Desired)
	}
	return errs, made
}

func judgedTarget(t *testing.T, object *unstructured.Unstructured) (errs field.ErrorList, made int) {
	t.Helper()
	target := &benchv1alpha1.BenchmarkTarget{}
	convert(t, object, target)
	errs = validation.ValidateTarget(target)
	for range decisions {
		observed := targetdecide.Observation{Target: target, Now: someday}
		observed.Turn.Admitted = true
		decision := targetdecide.Decide(observed)
		if decision.Trouble != nil {
			t.Error(decision.Trouble)
		}
		target.Status = decision.Status
		made += len(decision.Desired)
	}
	return errs, made
}

// judgedSuite asks the API server about the objects of a suite, as the operator does before it makes the first.
func judgedSuite(t *testing.T, object *unstructured.Unstructured) (all []answer, made int) {
	t.Helper()
	declared := &benchv1alpha1.BenchmarkSuite{}
	convert(t, object, declared)
	observed := suitedecide.Observation{Suite: declared, Now: someday}
	observed.Plan, observed.Invalid = suite.Compile(declared)
	all = accepted(observed.Invalid)
	for _, probe := range suitedecide.Probes(&observed) {
		content, err := benchv1alpha1.ToUnstructured(probe.Object)
		if err != nil {
			t.Fatal(err)
		}
		if err := create(t, &unstructured.Unstructured{Object: content}); err != nil {
			observed.Refusals = append(observed.Refusals, suitedecide.RefusalOf(probe.Variant, err))
		}
	}
	decision := suitedecide.Decide(observed)
	if said := apimeta.FindStatusCondition(decision.Status.Conditions, benchv1alpha1.SuiteAccepted); len(all) == 0 &&
		said != nil && said.Status == metav1.ConditionFalse {
		all = []answer{{"spec", "Accepted: " + said.Message}}
	}
	return all, len(decision.Desired) + len(decision.Create)
}

// accepted are errors as they are in the condition Accepted.
func accepted(errs field.ErrorList) []answer {
	all := make([]answer, 0, len(errs))
	for _, err := range errs {
		all = append(all, answer{err.Field, "Accepted: " + err.Error()})
	}
	return all
}

var (
	// kindNames are what the kinds are called by their users.
	kindNames = map[string]string{
		"run": "BenchmarkRun", "target": "BenchmarkTarget", "suite": "BenchmarkSuite",
	}
	someday = time.Date(2026, time.November, 24, 12, 0, 0, 0, time.UTC)
)

func convert(t *testing.T, object *unstructured.Unstructured, into any) {
	t.Helper()
	if err := benchv1alpha1.FromUnstructured(object.Object, into); err != nil {
		t.Fatal(err)
	}
}
