package harness

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

func TestPoll(t *testing.T) {
	asked := 0
	cases := map[string]struct {
		ask  func(context.Context) (bool, string, error)
		want string
	}{
		"yes at once": {
			ask: func(context.Context) (bool, string, error) { return true, "", nil },
		},
		"yes after an error that passes": {
			ask: func(context.Context) (bool, string, error) {
				asked++
				if asked == 1 {
					return false, "", errors.New("connection refused")
				}
				return true, "", nil
			},
		},
		"no for too long tells what was seen": {
			ask:  func(context.Context) (bool, string, error) { return false, "two pods", nil },
			want: "last seen: two pods",
		},
		"an answer that stays no ends at once": {
			ask: func(context.Context) (bool, string, error) {
				return false, "", fmt.Errorf("%w: it failed", errHopeless)
			},
			want: "it failed",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			err := Poll(t.Context(), 2*pollPeriod, tc.ask)
			switch {
			case tc.want == "" && err != nil:
				t.Errorf("got %v, want no error", err)
			case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
				t.Errorf("got %v, want an error that says %q", err, tc.want)
			}
		})
	}
}

func TestAServerIsAskedUntilItAnswers(t *testing.T) {
	kind := schema.GroupResource{Resource: "pods"}
	cases := map[string]struct {
		first error
		asked int
		want  func(error) bool
	}{
		"a refusal is an answer":          {first: apierrors.NewNotFound(kind, "a"), asked: 1, want: apierrors.IsNotFound},
		"a connection that broke is none": {first: errors.New("connection reset by peer"), asked: 2},
		"a server that is too slow":       {first: apierrors.NewTimeoutError("etcd", 1), asked: 2},
		"success":                         {asked: 1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			asked := 0
			err := answer(t.Context(), func(context.Context) error {
				if asked++; asked == 1 {
					return tc.first
				}
				return nil
			})
			if asked != tc.asked {
				t.Errorf("asked %d times, want %d", asked, tc.asked)
			}
			if ok := tc.want == nil && err == nil || tc.want != nil && tc.want(err); !ok {
				t.Errorf("unexpected: %v", err)
			}
		})
	}
}

func TestARunIsFinishedOnceItHasAVerdictAndStandsStill(t *testing.T) {
	run := func(succeeded, progressing metav1.ConditionStatus) *benchv1alpha1.BenchmarkRun {
		made := &benchv1alpha1.BenchmarkRun{}
		made.Status.Conditions = []metav1.Condition{
			{Type: benchv1alpha1.RunSucceeded, Status: succeeded},
			{Type: benchv1alpha1.RunProgressing, Status: progressing, Reason: "Loading"},
		}
		return made
	}
	cases := map[string]struct {
		run                 *benchv1alpha1.BenchmarkRun
		verdict, isFinished bool
	}{
		"it has just been created": {run: &benchv1alpha1.BenchmarkRun{}},
		"it runs":                  {run: run(metav1.ConditionUnknown, metav1.ConditionTrue)},
		"it is being removed":      {run: run(metav1.ConditionFalse, metav1.ConditionTrue), verdict: true},
		"it has ended":             {run: run(metav1.ConditionTrue, metav1.ConditionFalse), verdict: true, isFinished: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := HasVerdict(tc.run); got != tc.verdict {
				t.Errorf("HasVerdict: got %t, want %t", got, tc.verdict)
			}
			if got := finished(tc.run); got != tc.isFinished {
				t.Errorf("finished: got %t, want %t", got, tc.isFinished)
			}
		})
	}
	if !InStage("Loading")(run(metav1.ConditionUnknown, metav1.ConditionTrue)) {
		t.Error("a run that loads is not in Loading")
	}
}

func TestSlug(t *testing.T) {
	cases := map[string]string{
		"TestRunIsDeleted":               "e2e-run-is-deleted",
		"TestStandalone605":              "e2e-standalone605",
		"TestA/with_a_subtest":           "e2e-a-with-a-subtest",
		"Test" + strings.Repeat("x", 99): "e2e-" + strings.Repeat("x", maxNamespace-4),
	}
	for name, want := range cases {
		if got := Slug(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestStagesTellsWhatHasNotEnded(t *testing.T) {
	run := &benchv1alpha1.BenchmarkRun{}
	begin := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	end := metav1.NewMicroTime(begin.Add(1500 * time.Millisecond))
	run.Status.Stages = []benchv1alpha1.StageStatus{
		{Name: "Loading", StartTime: metav1.NewMicroTime(begin), CompletionTime: &end},
		{Name: "Measuring", StartTime: metav1.NewMicroTime(begin)},
	}
	if got, want := Stages(run), "Loading 1.5 s, Measuring not ended"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
