//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	promv1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
)

// alertTime is how long an alert may take to come or to go: the minute after which a run counts as stuck, and several
// scrapes and evaluations, on a machine that is busy.
const alertTime = 5 * time.Minute

// alert is one of the chart's, about an object that one of its labels names.
type alert struct{ name, label, object string }

// TestAlertsFire has a real Prometheus find what the chart's alerts are about: a result in doubt, and a run that is in
// one stage for longer than it should. The alerts go with the runs. TestDashboardsAreNotEmpty has the third one, of a
// suite.
func TestAlertsFire(t *testing.T) {
	t.Parallel()
	n := cluster.Namespace(t)
	prometheus := cluster.Prometheus(t)
	doubted := harness.Run("doubted", harness.Standalone("6.0.5"))
	// More is due than any server answers, so that operations are dropped whatever else the machine does.
	flooded := harness.Reads("flooded", harness.Seconds)
	flooded.Arrival = &benchv1alpha1.Arrival{OperationsPerSecond: new(int64(100_000)), MaxQueued: new(int64(100))}
	doubted.Spec.Workload.Steps = []benchv1alpha1.Step{flooded}
	stuck := harness.Run("stuck", harness.Standalone("6.0.5"))
	// Longer than the minute for which a run may be in one stage here, and next to no load.
	paced := harness.Reads("paced", 100)
	paced.Arrival = &benchv1alpha1.Arrival{OperationsPerSecond: new(scheduled)}
	stuck.Spec.Workload.Steps = []benchv1alpha1.Step{paced}
	n.Apply(t, doubted, stuck)

	inDoubt := alert{"MongobenchResultUntrusted", "run", doubted.Name}
	atRest := alert{"MongobenchRunStuck", "run", stuck.Name}
	// First the one that goes by itself, when the run does.
	n.WaitRun(t, stuck, "measuring", harness.InStage(benchv1alpha1.StageMeasuring))
	waitAlert(t, prometheus, n, atRest)
	n.WaitSuccess(t, doubted)
	waitAlert(t, prometheus, n, inDoubt)
	for _, run := range []*benchv1alpha1.BenchmarkRun{doubted, stuck} {
		if err := n.Delete(t.Context(), run); err != nil {
			t.Fatalf("deleting run %s: %v", run.Name, err)
		}
	}
	waitAlerts(t, prometheus, n, "gone", func(standing map[alert]promv1.Alert) bool { return len(standing) == 0 })
}

// waitAlert waits until an alert is firing, and wants its words to name the object.
func waitAlert(t *testing.T, prometheus *harness.Prometheus, n *harness.Namespace, wanted alert) {
	t.Helper()
	began := time.Now()
	var found promv1.Alert
	waitAlerts(t, prometheus, n, wanted.name+" is firing", func(standing map[alert]promv1.Alert) bool {
		found = standing[wanted]
		return found.State == "firing"
	})
	if found.Labels["severity"] != "warning" {
		t.Errorf("the labels of %s are %v, and its severity is not that of the chart's values", wanted.name, found.Labels)
	}
	for _, annotation := range []model.LabelName{"summary", "description"} {
		text := string(found.Annotations[annotation])
		if !strings.Contains(text, wanted.object) || !strings.Contains(text, n.Name) {
			t.Errorf("the %s of %s names no %s in %s: %q", annotation, wanted.name, wanted.object, n.Name, text)
		}
	}
	cluster.Summary.Figure("alert %s of %s %s: firing after %.1f s of waiting: %s", wanted.name, wanted.label,
		wanted.object, time.Since(began).Seconds(), found.Annotations["summary"])
}

// waitAlerts waits until those of the namespace are as wanted.
func waitAlerts(
	t *testing.T, prometheus *harness.Prometheus, n *harness.Namespace, what string,
	wanted func(map[alert]promv1.Alert) bool,
) {
	t.Helper()
	err := harness.Poll(t.Context(), alertTime, func(ctx context.Context) (bool, string, error) {
		all, err := prometheus.Alerts(ctx)
		standing := map[alert]promv1.Alert{}
		for _, one := range all.Alerts {
			if string(one.Labels["namespace"]) != n.Name {
				continue
			}
			for _, label := range []string{"run", "suite"} {
				if object := one.Labels[model.LabelName(label)]; object != "" {
					standing[alert{string(one.Labels["alertname"]), label, string(object)}] = one
				}
			}
		}
		return wanted(standing), fmt.Sprint(standing), err
	})
	if err != nil {
		t.Fatalf("waiting for alerts (%s): %v", what, err)
	}
}
