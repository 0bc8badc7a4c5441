package collect

import (
	"testing"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// TestWordsOfLimits: a report and a status name the same causes, and a search those that it has too.
func TestWordsOfLimits(t *testing.T) {
	for _, words := range []struct {
		told   string
		stored benchv1alpha1.LimitCause
	}{
		{reportv1alpha1.LimitedBySchedule, benchv1alpha1.LimitSchedule},
		{reportv1alpha1.LimitedByGenerator, benchv1alpha1.LimitGenerator},
		{reportv1alpha1.LimitedByGateway, benchv1alpha1.LimitGateway},
		{reportv1alpha1.LimitedByConnections, benchv1alpha1.LimitConnections},
		{reportv1alpha1.LimitedByHotShard, benchv1alpha1.LimitHotShard},
		{reportv1alpha1.LimitedByLocks, benchv1alpha1.LimitLocks},
		{reportv1alpha1.LimitedByFlowControl, benchv1alpha1.LimitFlowControl},
		{reportv1alpha1.LimitedByCache, benchv1alpha1.LimitCache},
		{reportv1alpha1.LimitedByJournal, benchv1alpha1.LimitJournal},
		{reportv1alpha1.LimitedByMajority, benchv1alpha1.LimitMajority},
		{reportv1alpha1.LimitedByCheckpoints, benchv1alpha1.LimitCheckpoints},
		{reportv1alpha1.LimitedByDisk, benchv1alpha1.LimitDisk},
		{reportv1alpha1.LimitedByThrottling, benchv1alpha1.LimitCPUThrottling},
		{reportv1alpha1.LimitedByCPU, benchv1alpha1.LimitServerCPU},
		{reportv1alpha1.LimitedByTickets, benchv1alpha1.LimitTickets},
		{reportv1alpha1.LimitedByNetwork, benchv1alpha1.LimitNetwork},
		{reportv1alpha1.LimitedByThreads, benchv1alpha1.LimitThreads},
		{reportv1alpha1.LimitedByNothingSeen, benchv1alpha1.LimitNothingSeen},
		{string(benchv1alpha1.SearchLimitGenerator), benchv1alpha1.LimitGenerator},
		{string(benchv1alpha1.SearchLimitThreads), benchv1alpha1.LimitThreads},
	} {
		if words.told != string(words.stored) {
			t.Errorf("a report says %s, and a status %s", words.told, words.stored)
		}
	}
}

func TestWhyFirstStepsWereLimitedMakesRoom(t *testing.T) {
	limit := func() *benchv1alpha1.StepLimit {
		return &benchv1alpha1.StepLimit{Cause: benchv1alpha1.LimitCache, Because: "it is full", Try: "a larger one"}
	}
	result := &benchv1alpha1.Result{Steps: []benchv1alpha1.StepResult{{LimitedBy: limit()}, {}, {LimitedBy: limit()}}}
	if !condense(result) || condense(result) {
		t.Error("it is condensed once")
	}
	first, last := result.Steps[0].LimitedBy, result.Steps[2].LimitedBy
	if first.Because != "" || first.Try != "" || first.Cause != benchv1alpha1.LimitCache || last.Because == "" {
		t.Errorf("the first step has %+v, and the last %+v; want the cause of both, and why of the last", first, last)
	}
}
