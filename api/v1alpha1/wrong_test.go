package v1alpha1_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	rundecide "github.com/mongobench/mongobench-operator/controllers/run/decide"
	targetdecide "github.com/mongobench/mongobench-operator/controllers/target/decide"
	"github.com/mongobench/mongobench-operator/internal/spec/validation"
	"github.com/mongobench/mongobench-operator/internal/suite"
	"github.com/mongobench/mongobench-operator/internal/testing/golden"
)

// TestWhatIsSaidOfWrongObjects keeps what a user is told of objects that are wrong: one for each field of the schema,
// with a value that the field cannot have, and those of testdata/wrong.yaml, of which each field may be right and the
// whole is not. Whoever reads testdata/wrong.txt reads what users do.
func TestWhatIsSaidOfWrongObjects(t *testing.T) {
	const least = 150
	var told strings.Builder
	count := 0
	for _, kind := range []string{"target", "run", "suite"} {
		fmt.Fprintf(&told, "# %s\n", kindNames[kind])
		for _, one := range slices.Concat(wrongFields(t, kind), wrongWholes(t, kind)) {
			count++
			fmt.Fprintf(&told, "\n%s\n", one.shown)
			for _, message := range one.messages(t, kind) {
				fmt.Fprintf(&told, "  %s\n", message)
			}
		}
		told.WriteString("\n")
	}
	golden.Compare(t, filepath.Join("testdata", "wrong.txt"), told.String())
	if count < least {
		t.Errorf("%d wrong objects, want %d", count, least)
	}
}

// wrongObject is one that nobody can want.
type wrongObject struct {
	// shown is what is wrong, as an author would write it.
	shown string
	// path of the field that is wrong, as errors have it; empty where it is for the error to say.
	path   string
	object *unstructured.Unstructured
}

// messages are what a user is told: by the API server when the object is applied, or by its condition Accepted.
func (w wrongObject) messages(t *testing.T, kind string) []string {
	t.Helper()
	err := create(t, w.object.DeepCopy())
	if err != nil {
		return w.refusals(err)
	}
	errs := notAccepted(t, kind, w.object)
	if len(errs) == 0 {
		t.Errorf("%s: nothing is said", w.shown)
	}
	told := make([]string, 0, len(errs))
	for _, err := range errs {
		told = append(told, "Accepted: "+err.Error())
	}
	return told
}

// refusals are those of the API server that are about the field, or all of them.
func (w wrongObject) refusals(err error) []string {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil || len(status.Status().Details.Causes) == 0 {
		return []string{"apply: " + err.Error()}
	}
	var about, all []string
	for _, cause := range status.Status().Details.Causes {
		said := "apply: " + cause.Field + ": " + cause.Message
		all = append(all, said)
		if w.path != "" && strings.HasPrefix(cause.Field, w.path) {
			about = append(about, said)
		}
	}
	if len(about) > 0 {
		all = about
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// notAccepted is what the operator finds, which then makes nothing.
func notAccepted(t *testing.T, kind string, object *unstructured.Unstructured) field.ErrorList {
	t.Helper()
	switch kind {
	case "run":
		run := &benchv1alpha1.BenchmarkRun{}
		convert(t, object, run)
		errs := validation.ValidateRun(run)
		wantNothing(t, len(rundecide.Decide(rundecide.Observation{Run: run, Now: someday}).Desired))
		return errs
	case "target":
		target := &benchv1alpha1.BenchmarkTarget{}
		convert(t, object, target)
		wantNothing(t, len(targetdecide.Decide(targetdecide.Observation{Target: target, Now: someday}).Desired))
		return validation.ValidateTarget(target)
	default:
		declared := &benchv1alpha1.BenchmarkSuite{}
		convert(t, object, declared)
		_, errs := suite.Compile(declared)
		return errs
	}
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

// wantNothing wants that of what is not accepted nothing is made.
func wantNothing(t *testing.T, objects int) {
	t.Helper()
	if objects > 0 {
		t.Errorf("%d objects are made for what is not accepted", objects)
	}
}
