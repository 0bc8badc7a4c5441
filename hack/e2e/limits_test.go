//go:build e2e

package e2e

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
)

const (
	// sleeping is the part of a filter that takes a while and no processor, long enough for the log of slow commands.
	sleeping = `"function() { sleep(150); return true; }"`
	// slowRate leaves the server idle, and is more than one thread can do of what sleeps.
	slowRate = int64(20)
)

// TestWhatLimitsStepsOfOneRun limits the steps of a run by two causes on purpose: by a schedule that asks for little,
// and by a single thread that has to wait. Neither depends on how busy the machine is, of which something else may be
// said first.
func TestWhatLimitsStepsOfOneRun(t *testing.T) {
	t.Parallel()
	n := cluster.Namespace(t)
	target := harness.Standalone("6.0.5")
	run := harness.Run("bench", target)
	paced, crowded := harness.Reads("paced", 8), harness.Reads("crowded", 12)
	paced.Arrival = &benchv1alpha1.Arrival{OperationsPerSecond: new(slowRate)}
	crowded.Threads, crowded.Arrival = new(int32(1)), &benchv1alpha1.Arrival{OperationsPerSecond: new(slowRate)}
	crowded.Operations[0].Filter = `{"_id": {"$param": "id"}, "$where": ` + sleeping + `}`
	run.Spec.Workload.Steps = []benchv1alpha1.Step{paced, crowded}
	n.Apply(t, run)

	ended := n.WaitSuccess(t, run)
	for name, cause := range map[string]benchv1alpha1.LimitCause{
		"paced": benchv1alpha1.LimitSchedule, "crowded": benchv1alpha1.LimitThreads,
	} {
		at := slices.IndexFunc(ended.Status.Result.Steps, func(s benchv1alpha1.StepResult) bool { return s.Name == name })
		if at < 0 {
			t.Errorf("step %s is not in the result", name)
			continue
		}
		limit := ended.Status.Result.Steps[at].LimitedBy
		if limit == nil || limit.Cause != cause && !slices.Contains(limit.AlsoSeen, cause) || limit.Because == "" ||
			limit.Try == "" {
			t.Errorf("step %s is limited by %+v, want %s, why, and what to try", name, limit, cause)
			continue
		}
		cluster.Summary.Figure("step %s is limited by %s (%s): %s", name, limit.Cause, limit.Certainty, limit.Because)
	}
	checkEvidence(t, n.Report(t, ended))
	checkLimitShown(t, n, ended)
}

// checkEvidence looks for the plans of the operations, which the load's user may ask for, and for what only the
// observer may: which commands were slow, and the diagnostic data.
func checkEvidence(t *testing.T, report reportv1alpha1.Report) {
	t.Helper()
	explained := harness.StepOf(t, report, "paced").Explained
	if len(explained) != 1 || explained[0].Operation != "read" || explained[0].Stages != "IDHACK" ||
		explained[0].Examined == nil || explained[0].Examined.Found != 1 {
		t.Errorf("explained %+v, want that the document is found by its _id", explained)
	}
	const sleeps = "find {filter: {$where: ?, _id: ?}, limit: ?, singleBatch: ?}"
	slow := harness.StepOf(t, report, "crowded").Slow
	if len(slow) != 1 || len(slow[0].Slowest) == 0 || slow[0].Slowest[0].Shape != sleeps {
		t.Errorf("slow %+v, want what sleeps, without its values", slow)
	}
	checkDiagnostics(t, report)
}

// checkDiagnostics looks for the diagnostic data of each server.
func checkDiagnostics(t *testing.T, report reportv1alpha1.Report) {
	t.Helper()
	for _, member := range report.Members {
		kept := member.Diagnostics
		if kept == nil || kept.Samples < 5 || len(kept.Data) == 0 {
			t.Errorf("of %s %+v is kept, want diagnostic data", member.Name, kept)
			continue
		}
		cluster.Summary.Figure("diagnostic data of %s: %d samples in %d bytes", member.Name, kept.Samples, len(kept.Data))
	}
}

// checkLimitShown wants kubectl to show what limited the step in the row, which is the one with the highest throughput.
func checkLimitShown(t *testing.T, n *harness.Namespace, ended *benchv1alpha1.BenchmarkRun) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	said, err := exec.CommandContext(ctx, filepath.Join(harness.KubectlFolder(t), "kubectl"), "get", "benchmarkrun",
		ended.Name, "--namespace", n.Name, "--output", "wide").CombinedOutput()
	head, row, _ := strings.Cut(string(said), "\n")
	at := strings.Index(head, "LIMITED BY")
	if err != nil || at < 0 || len(row) < at || !strings.HasPrefix(row[at:], string(benchv1alpha1.LimitSchedule)) ||
		!strings.Contains(row, " paced ") {
		t.Errorf("kubectl (%v) does not show that step paced is limited by its schedule:\n%s", err, said)
	}
}
