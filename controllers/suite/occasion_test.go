package suite_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/testing/suitetest"
)

// hourly compares each hour with the one before.
func hourly(s *benchv1alpha1.BenchmarkSuite) {
	fiveTimes(s)
	s.Spec.Baseline = nil
	s.Spec.Schedule = &benchv1alpha1.SuiteSchedule{Cron: "0 * * * *"}
}

// TestASuiteRunsTwiceByItsSchedule goes on by the clock of the test. Each reconcile is done by a reconciler of its own,
// as if the manager were restarted between any two.
func TestASuiteRunsTwiceByItsSchedule(t *testing.T) {
	t.Parallel()
	p := newPlay(t, hourly)
	p.now = time.Date(2026, time.November, 27, 12, 30, 0, 0, time.UTC)
	p.toEnd(steady)
	p.idle()
	first := p.suite().Status
	want := time.Date(2026, time.November, 27, 13, 0, 0, 0, time.UTC)
	if !first.Schedule.NextScheduleTime.Time.Equal(want) {
		t.Fatalf("next is %s, want %s", first.Schedule.NextScheduleTime, want)
	}
	if result := p.settle(); result.RequeueAfter != first.Schedule.NextScheduleTime.Sub(p.now) {
		t.Errorf("it looks again after %s", result.RequeueAfter)
	}

	p.now = first.Schedule.NextScheduleTime.Time
	p.settle()
	p.want(benchv1alpha1.SuiteComplete, "False RunsPending")
	p.toEnd(slower)
	p.idle()
	p.want(benchv1alpha1.SuiteComplete, "True AllSucceeded")
	p.want(benchv1alpha1.SuiteRegressed, "True MetricRegressed")
	second := p.suite().Status
	if second.Revision == first.Revision || !second.Schedule.LastScheduleTime.Equal(first.Schedule.NextScheduleTime) ||
		len(second.History) != 2 || second.Comparison[0].Baseline != "s@"+first.Revision {
		t.Errorf("the status is %+v", second)
	}
	made := p.created()
	if len(made) != 20 || len(slices.Compact(slices.Sorted(slices.Values(made)))) != 20 {
		t.Errorf("made %v", made)
	}

	p.edit(func(s *benchv1alpha1.BenchmarkSuite) {
		s.Spec.Acknowledged = []benchv1alpha1.Acknowledgement{{
			Metric: benchv1alpha1.MetricOperationsPerSecond, Reason: "issue 42", Until: "2026-11-27T13:45:00Z",
		}}
	})
	p.idle()
	p.want(benchv1alpha1.SuitePassed, "True RegressionAcknowledged")
	p.now = time.Date(2026, time.November, 27, 13, 45, 0, 0, time.UTC)
	p.idle()
	p.want(benchv1alpha1.SuitePassed, "False MetricRegressed")
}

// TestASuiteThatGitAsksToRunAgainDoesSoOnce has the annotation lie in Git, and be applied again and again.
func TestASuiteThatGitAsksToRunAgainDoesSoOnce(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	inGit := suitetest.Suite(p.namespace, "s")
	p.gitTool("argocd-controller", inGit)
	p.toEnd(steady)
	inGit.Annotations = map[string]string{benchv1alpha1.RunNowAnnotation: "2026-11-27"}
	for range 2 {
		p.gitTool("argocd-controller", inGit)
		p.gitTool("kustomize-controller", inGit)
		p.toEnd(steady)
		p.idle()
	}
	made := p.created()
	if len(made) != 8 || len(slices.Compact(slices.Sorted(slices.Values(made)))) != 8 {
		t.Errorf("made %v", made)
	}
	if status := p.suite().Status; status.RunNow != "2026-11-27" || len(status.History) != 2 || p.suite().Generation != 1 {
		t.Errorf("acted on %q, %d revisions", status.RunNow, len(status.History))
	}
	p.want(benchv1alpha1.SuiteComplete, "True AllSucceeded")
}

// TestAStatusThatIsNotWrittenStartsNothing has the write of the status fail that says why the suite starts again: then
// nothing is made, and what is made later is made once.
func TestAStatusThatIsNotWrittenStartsNothing(t *testing.T) {
	t.Parallel()
	p := newPlay(t, hourly)
	p.now = time.Date(2026, time.November, 27, 12, 30, 0, 0, time.UTC)
	p.toEnd(steady)
	p.now = p.now.Add(time.Hour)
	p.writes.Refuse = func(write string) error {
		if strings.HasPrefix(write, "update status") {
			return errors.New("the API server is away")
		}
		return nil
	}
	for range 3 {
		if _, err := p.reconcile(); err == nil {
			t.Error("the status was written")
		}
	}
	if made := p.created(); len(made) != 10 {
		t.Errorf("made %v", made)
	}
	p.writes.Refuse = nil
	p.toEnd(steady)
	made := p.created()
	if len(made) != 20 || len(slices.Compact(slices.Sorted(slices.Values(made)))) != 20 {
		t.Errorf("made %v", made)
	}
}

func TestAZoneThatThereIsNotIsToldWithItsField(t *testing.T) {
	t.Parallel()
	p := newPlay(t, hourly, func(s *benchv1alpha1.BenchmarkSuite) {
		s.Spec.Schedule.TimeZone = new("Europe/Bielefeld")
	})
	p.idle()
	p.want(benchv1alpha1.SuiteAccepted, "False Invalid")
	if said := p.message(benchv1alpha1.SuiteAccepted); !strings.Contains(said, "spec.schedule.timeZone") {
		t.Errorf("it says %q", said)
	}
}
