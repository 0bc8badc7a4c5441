package engine_test

import (
	"context"
	"testing"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// Two load generators, each with connections of its own, load a real server and search together.
func TestTwoPodsSearchOnARealServer(t *testing.T) {
	server := mongotest.Shared(t, "6.0.5")
	plan := everything(benchv1alpha1.ClientWire)
	plan.Pods, plan.Database = 2, "together"
	plan.Collections[0].DocumentCount = documents
	plan.Steps = []planv1.Step{plan.Steps[0], plan.Steps[1], plan.Steps[6]}
	search := plan.Steps[2].Search
	search.Lowest, search.Highest, search.MaxSeconds = 20, 40, 60
	pods := drivertest.Pods(plan, nil)
	for _, pod := range pods {
		target, err := mongo.Open(t.Context(), mongo.Config{URIs: []string{server.URI()}, Connections: 4})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = target.Close(context.WithoutCancel(t.Context())) })
		pod.Target, pod.NewAlarm = target, nil
	}
	checkTogether(t, pods)
}

// checkTogether has pods follow their plan, which ends with a search from 20/s on.
func checkTogether(t *testing.T, pods []*engine.Engine) {
	t.Helper()
	reports, err := drivertest.Follow(t.Context(), pods)
	if err != nil {
		t.Fatal(err)
	}
	merged, err := result.Merge(reports)
	if err != nil {
		t.Fatal(err)
	}
	whole := merged.Steps[2]
	found := whole.Search
	if found == nil || len(found.Trials) == 0 || found.Trials[0].Rate != 20 {
		t.Fatalf("the search is %+v, want trials from 20/s on", found)
	}
	last := found.Trials[len(found.Trials)-1]
	count, _ := totals(whole)
	if count+last.Errors+last.Dropped != last.Due {
		t.Errorf("%d operations were answered, and %d were due in the last trial, %+v", count, last.Due, last)
	}
	for pod, report := range reports {
		// To prepare is the work of pod 0.
		checkPart(t, pod, report.Steps[len(report.Steps)-1], last)
	}
	if _, err := result.Doubts(merged); err != nil {
		t.Error(err)
	}
}

// checkPart looks at what one of two pods did of the last trial.
func checkPart(t *testing.T, pod int, part reportv1.Step, last reportv1.Trial) {
	t.Helper()
	sent, _ := totals(part)
	if last.LimitedBy != reportv1.LimitedByGenerator && (sent < last.Due/4 || sent > last.Due*3/4) {
		t.Errorf("pod %d sent %d of %d operations of the last trial, want about half", pod, sent, last.Due)
	}
	if (part.Search != nil) != (pod == 0) {
		t.Errorf("pod %d has the search %+v", pod, part.Search)
	}
}
