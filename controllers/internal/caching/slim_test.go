package caching

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// meta is that of an object of a component, controlled by a kind of a group.
func meta(component naming.Component, group, kind string) metav1.ObjectMeta {
	made := metav1.ObjectMeta{
		Namespace: "bench", Name: "a", UID: "1", ResourceVersion: "2", Labels: naming.ForRun("r", component),
		ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "m"}},
	}
	if kind != "" {
		made.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: group, Kind: kind, Name: "r", UID: "3", Controller: new(true),
		}}
	}
	return made
}

const ourGroup = "mongobench.dev/v1alpha1"

func TestSlim(t *testing.T) {
	large := strings.Repeat("x", MaxDataBytes)
	identity := metav1.ObjectMeta{Namespace: "bench", Name: "a", UID: "1", ResourceVersion: "2"}
	lean := func(component naming.Component, group, kind string, change ...func(*metav1.ObjectMeta)) metav1.ObjectMeta {
		kept := meta(component, group, kind)
		kept.ManagedFields = nil
		for _, c := range change {
			c(&kept)
		}
		return kept
	}
	cut := func(m *metav1.ObjectMeta) { m.Annotations = map[string]string{naming.CutAnnotation: "true"} }
	for name, tc := range map[string]struct{ object, want any }{
		"a load pod's ConfigMap keeps what it says, and that there is a report": {
			&corev1.ConfigMap{
				ObjectMeta: meta(naming.ComponentReport, ourGroup, "BenchmarkRun"), Data: map[string]string{"progress": "{}"},
				BinaryData: map[string][]byte{"report": []byte(large)},
			},
			&corev1.ConfigMap{
				ObjectMeta: lean(naming.ComponentReport, ourGroup, "BenchmarkRun"), Data: map[string]string{"progress": "{}"},
				BinaryData: map[string][]byte{"report": {}},
			},
		},
		"data that is too large is cut, which is said": {
			&corev1.ConfigMap{
				ObjectMeta: meta(naming.ComponentPlan, ourGroup, "BenchmarkRun"), Data: map[string]string{"plan": large},
			},
			&corev1.ConfigMap{ObjectMeta: lean(naming.ComponentPlan, ourGroup, "BenchmarkRun", cut)},
		},
		"what a suite stores is not held": {
			&corev1.ConfigMap{
				ObjectMeta: meta(naming.ComponentSuiteResult, ourGroup, "BenchmarkSuite"),
				Data:       map[string]string{"a": "b"}, BinaryData: map[string][]byte{"result": []byte("x")},
			},
			&corev1.ConfigMap{ObjectMeta: lean(naming.ComponentSuiteResult, ourGroup, "BenchmarkSuite")},
		},
		"of a ConfigMap with our label and no owner the name is left": {
			&corev1.ConfigMap{ObjectMeta: meta(naming.ComponentReport, "", ""), Data: map[string]string{"progress": "{}"}},
			&corev1.ConfigMap{ObjectMeta: identity},
		},
		"and of one with another owner": {
			&corev1.ConfigMap{
				ObjectMeta: meta(naming.ComponentReport, "example.org/v1", "Other"), Data: map[string]string{"a": ""},
			},
			&corev1.ConfigMap{ObjectMeta: identity},
		},
		"a pod keeps where it is and how it is": {
			&corev1.Pod{
				ObjectMeta: meta(naming.ComponentLoad, "batch/v1", "Job"),
				Spec: corev1.PodSpec{NodeName: "n", Containers: []corev1.Container{{
					Name: "load", Args: []string{large}, Env: []corev1.EnvVar{{Name: "A", Value: large}},
				}}},
				Status: corev1.PodStatus{Phase: corev1.PodRunning},
			},
			&corev1.Pod{
				ObjectMeta: lean(naming.ComponentLoad, "batch/v1", "Job"),
				Spec:       corev1.PodSpec{NodeName: "n", Containers: []corev1.Container{{Name: "load"}}},
				Status:     corev1.PodStatus{Phase: corev1.PodRunning},
			},
		},
		"a run stays as it is, but for what kubectl notes": {
			&benchv1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{
				Name: "r", Annotations: map[string]string{corev1.LastAppliedConfigAnnotation: large, "a": "b"},
			}},
			&benchv1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: "r", Annotations: map[string]string{"a": "b"}}},
		},
		"what is no object passes": {"a tombstone", "a tombstone"},
	} {
		t.Run(name, func(t *testing.T) { checkSlim(t, tc.object, tc.want) })
	}
}

// checkSlim wants Slim to leave something of an object, and to leave that as it is when it is called once more.
func checkSlim(t *testing.T, object, want any) {
	t.Helper()
	got, err := Slim(object)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	again, err := Slim(got)
	if diff := cmp.Diff(want, again); diff != "" || err != nil {
		t.Errorf("the second time: %v (-want +got):\n%s", err, diff)
	}
}

func TestMergedReportsAreLeftOut(t *testing.T) {
	selector := WithoutReports(labels.SelectorFromSet(labels.Set{naming.ManagedByLabel: naming.ManagedBy}))
	for component, want := range map[naming.Component]bool{
		naming.ComponentReport: true, naming.ComponentCollected: true, naming.ComponentStoredReport: false,
	} {
		if got := selector.Matches(labels.Set(naming.ForRun("r", component))); got != want {
			t.Errorf("component %s is cached: %t, want %t", component, got, want)
		}
	}
}

func TestARunThatIsAtItsEndIsHeldWithoutWhatItDid(t *testing.T) {
	run := func(succeeded, progressing metav1.ConditionStatus) *benchv1alpha1.BenchmarkRun {
		return &benchv1alpha1.BenchmarkRun{
			Spec: benchv1alpha1.BenchmarkRunSpec{
				TargetRef:     &benchv1alpha1.NameReference{Name: "t"},
				LoadGenerator: &benchv1alpha1.LoadGenerator{PodSettings: &benchv1alpha1.PodSettings{}},
				Dataset:       benchv1alpha1.Dataset{Collections: []benchv1alpha1.Collection{{Name: "people"}}},
				Workload: benchv1alpha1.Workload{
					Growth: &benchv1alpha1.Growth{}, Steps: []benchv1alpha1.Step{{Name: "mixed"}},
				},
			},
			Status: benchv1alpha1.BenchmarkRunStatus{Conditions: []metav1.Condition{
				{Type: benchv1alpha1.RunSucceeded, Status: succeeded}, {Type: benchv1alpha1.RunProgressing, Status: progressing},
			}},
		}
	}
	for name, tc := range map[string]struct {
		run  *benchv1alpha1.BenchmarkRun
		held bool
	}{
		"it goes on":                 {run(metav1.ConditionUnknown, metav1.ConditionTrue), true},
		"it has a verdict":           {run(metav1.ConditionTrue, metav1.ConditionTrue), true},
		"nothing is left to do":      {run(metav1.ConditionTrue, metav1.ConditionFalse), false},
		"nothing is left, it failed": {run(metav1.ConditionFalse, metav1.ConditionFalse), false},
	} {
		t.Run(name, func(t *testing.T) {
			want := tc.run.DeepCopy()
			if !tc.held {
				want.Spec.Dataset, want.Spec.Workload.Steps = benchv1alpha1.Dataset{}, nil
				want.Spec.LoadGenerator.PodSettings = nil
			}
			checkSlim(t, tc.run, want)
		})
	}
}

func TestTextsOfRunsAtTheirEndAreShared(t *testing.T) {
	run := func() *benchv1alpha1.BenchmarkRun {
		return &benchv1alpha1.BenchmarkRun{Status: benchv1alpha1.BenchmarkRunStatus{Conditions: []metav1.Condition{
			{Type: benchv1alpha1.RunSucceeded, Status: metav1.ConditionTrue, Message: strings.Repeat("m", 10)},
			{Type: benchv1alpha1.RunProgressing, Status: metav1.ConditionFalse},
		}}}
	}
	first, second := run(), run()
	for _, held := range []*benchv1alpha1.BenchmarkRun{first, second} {
		if _, err := Slim(held); err != nil {
			t.Fatal(err)
		}
	}
	one, other := first.Status.Conditions[0].Message, second.Status.Conditions[0].Message
	//nolint:gosec // Where a text lies is what is tested.
	if one != other || unsafe.StringData(one) != unsafe.StringData(other) {
		t.Errorf("%q and %q are there twice", one, other)
	}
}
