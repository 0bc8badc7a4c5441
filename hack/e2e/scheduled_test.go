//go:build e2e

package e2e

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
)

// TestScheduledSuiteRunsTwice has a suite be measured again each minute that it has ended by, until it was twice; then
// its schedule is taken back, and it is asked for once more. Nothing changes meanwhile, so that each revision is
// compared with the one before, and has runs of its own.
func TestScheduledSuiteRunsTwice(t *testing.T) {
	t.Parallel()
	n := cluster.Namespace(t)
	const repetitions = 2
	run := harness.Run("template", harness.Standalone("6.0.5"))
	run.Spec.Workload.Steps = []benchv1alpha1.Step{harness.Reads("find", 2)}
	suite := variants("minutely", run, "only", []benchv1alpha1.Choice{{Name: "one"}})
	suite.Spec.Baseline, suite.Spec.Repetitions = nil, new(int32(repetitions))
	suite.Spec.RevisionHistoryLimit = new(int32(100)) // Nothing is to be removed that is counted below.
	suite.Spec.Schedule = &benchv1alpha1.SuiteSchedule{Cron: "* * * * *", TimeZone: new("Europe/Berlin")}
	n.Apply(t, suite)
	n.WaitSuite(t, suite, "measured twice by its schedule", func(s *benchv1alpha1.BenchmarkSuite) bool {
		return len(scheduledRevisions(s)) >= 2
	})
	changeSuite(t, n, suite, func(s *benchv1alpha1.BenchmarkSuite) {
		s.Spec.Schedule = nil
		s.Annotations = map[string]string{benchv1alpha1.RunNowAnnotation: "once-more"}
	})
	ended := n.WaitSuite(t, suite, "measured once more", func(s *benchv1alpha1.BenchmarkSuite) bool {
		return s.Status.RunNow == "once-more" && harness.SuiteComplete(4)(s)
	})

	status := &ended.Status
	if status.Schedule != nil || status.Occasion == nil || status.Occasion.RunNow == nil {
		t.Errorf("the last occasion is %+v; of the schedule there is %+v", status.Occasion, status.Schedule)
	}
	revisions := scheduledRevisions(ended)
	if len(revisions) < 2 || revisions[0].Occasion.ScheduleTime.Equal(revisions[1].Occasion.ScheduleTime) ||
		revisions[0].Revision == revisions[1].Revision || revisions[0].Occasion.Content != revisions[1].Occasion.Content {
		t.Errorf("the revisions of the schedule are %+v", revisions)
	}
	if len(status.Comparison) == 0 || status.Comparison[0].Baseline != suite.Name+"@"+status.History[1].Revision {
		t.Errorf("compared are %+v; the history is %+v", status.Comparison, status.History)
	}
	if made, want := len(runsByName(t, n)), repetitions*len(status.History); made != want {
		t.Errorf("there are %d runs of %d revisions, want %d", made, len(status.History), want)
	}
	cluster.Summary.Figure("scheduled suite: %d revisions; %s", len(status.History), harness.Describe(status.Conditions))
}

// scheduledRevisions are those of the history that the schedule began, and that are complete.
func scheduledRevisions(suite *benchv1alpha1.BenchmarkSuite) []benchv1alpha1.RevisionStatus {
	var found []benchv1alpha1.RevisionStatus
	for _, one := range suite.Status.History {
		if one.CompletionTime != nil && one.Occasion != nil && one.Occasion.ScheduleTime != nil {
			found = append(found, one)
		}
	}
	return found
}

func changeSuite(
	t *testing.T, n *harness.Namespace, suite *benchv1alpha1.BenchmarkSuite, edit func(*benchv1alpha1.BenchmarkSuite),
) {
	t.Helper()
	seen := &benchv1alpha1.BenchmarkSuite{}
	n.Fetch(t, suite.Name, seen)
	before := seen.DeepCopy()
	edit(seen)
	if err := n.Patch(t.Context(), seen, client.MergeFrom(before)); err != nil {
		t.Fatalf("changing suite %s: %v", suite.Name, err)
	}
}
