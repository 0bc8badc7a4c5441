package run_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/testing/runtest"
)

// TestWhatTheCacheHasNotHeardOfIsKept: a watch breaks, and before it is made again a run comes to the verdict that
// there is nothing of it.
func TestWhatTheCacheHasNotHeardOfIsKept(t *testing.T) {
	t.Parallel()
	pods := []string{naming.PodConfigMap("r", 0), naming.PodConfigMap("r", 1)}
	for name, tc := range map[string]struct {
		play func(*play)
		want string
	}{
		"reports of a run that is cancelled": {func(p *play) {
			p.toMeasuring()
			p.fallBehind(pods...)
			p.handIn()
			p.change(`{"cancel":true}`)
		}, "False Cancelled"},
		"that it had come to measuring": {func(p *play) {
			p.toJob()
			p.startPods(corev1.PodRunning)
			p.allSay(runtest.StepLoad, reportv1alpha1.ProgressRunning, 40)
			p.settle()
			p.fallBehind(pods...)
			p.allSay(runtest.StepWrite, reportv1alpha1.ProgressRunning, 50)
			p.handIn()
			p.change(`{"cancel":true}`)
		}, "False Cancelled"},
		"what the collector told in time": {func(p *play) {
			p.toCollecting()
			p.fallBehind(naming.CollectedConfigMap("r"))
			p.collectReports()
			p.pass(25 * time.Hour)
		}, "True Completed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t)
			tc.play(p)
			p.collectAll()
			p.want(benchv1alpha1.RunSucceeded, tc.want)
			if p.run().Status.Result == nil {
				t.Error("what was measured is not in the status")
			}
			var place corev1.ConfigMap
			p.get(naming.ReportConfigMap("r"), &place)
			if len(place.BinaryData[reportv1alpha1.ReportKey]) == 0 {
				t.Error("the report is not stored")
			}
		})
	}
}
