package run_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/testing/runtest"
)

// TestARunThatCouldNotBeStoredStartsNothing: the report of an earlier run, which somebody kept by deleting that run
// without what it owns, is found before anything is measured.
func TestARunThatCouldNotBeStoredStartsNothing(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	kept := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: naming.ReportConfigMap(p.name.Name)},
		Data:       map[string]string{"a": "b"},
	}
	p.must(environment.Client.Create(t.Context(), kept))
	for range 3 {
		_, _ = p.reconcile() // It says that it cannot be made, and is tried again.
	}
	if got := p.names(); len(got) > 0 {
		t.Errorf("these were made: %v", got)
	}
	if said := p.message(benchv1alpha1.RunProgressing); !strings.Contains(said, "ConfigMap r-report") ||
		!strings.Contains(said, "exists already") {
		t.Errorf("Progressing says %q", said)
	}
	p.want(benchv1alpha1.RunSucceeded, "Unknown NotEnded")
	p.pass(time.Minute)
	p.settle()
	p.want(benchv1alpha1.RunSucceeded, "False ConfigError")
	if said := p.message(benchv1alpha1.RunSucceeded); !strings.Contains(said, "ConfigMap r-report") ||
		!strings.Contains(said, "remove the one that is in the way") {
		t.Errorf("Succeeded says %q", said)
	}
	p.idle()
	p.want(benchv1alpha1.RunProgressing, "False Finished")
	var after corev1.ConfigMap
	p.get(kept.Name, &after)
	if after.Data["a"] != "b" || len(after.OwnerReferences) > 0 {
		t.Errorf("the report that was there became %v", after)
	}
}

// TestWhatAnEarlierRunLeftIsWaitedFor: it is of a run of the same name, and goes by itself.
func TestWhatAnEarlierRunLeftIsWaitedFor(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	earlier := p.run()
	earlier.UID = "earlier"
	left := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: naming.ReportConfigMap(p.name.Name)},
	}
	p.must(controllerutil.SetControllerReference(earlier, left, environment.Scheme))
	p.must(environment.Client.Create(t.Context(), left))
	for range 3 {
		_, _ = p.reconcile()
	}
	p.pass(time.Minute)
	_, err := p.reconcile()
	if err == nil || !strings.Contains(err.Error(), "is being removed") {
		t.Errorf("got error %v", err)
	}
	p.want(benchv1alpha1.RunSucceeded, "Unknown NotEnded")
	p.must(environment.Client.Delete(t.Context(), left))
	p.settle()
	p.want(benchv1alpha1.RunProgressing, "True Provisioning")
	if got := p.names(); !slices.Contains(got, "BenchmarkTarget r") {
		t.Errorf("there are %v, and no target", got)
	}
}

// TestAQuotaThatIsReachedIsSeenBeforeAnythingStarts: the same for an object that a quota does not let be made.
func TestAQuotaThatIsReachedIsSeenBeforeAnythingStarts(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	quota := &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: "none"},
		Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{"count/configmaps": resource.MustParse("0")}},
	}
	p.must(environment.Client.Create(t.Context(), quota))
	// The API server refuses by the status, which a controller keeps that does not run here.
	quota.Status = corev1.ResourceQuotaStatus{
		Hard: quota.Spec.Hard, Used: corev1.ResourceList{"count/configmaps": resource.MustParse("0")},
	}
	p.must(environment.Client.Status().Update(t.Context(), quota))
	// It learns of a quota behind the write of it.
	gomega.NewWithT(t).Eventually(func() error {
		return environment.Client.Create(t.Context(), &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, GenerateName: "probe-"},
		})
	}, wakeTime, "50ms").Should(gomega.MatchError(gomega.ContainSubstring("exceeded quota")))
	if _, err := p.reconcile(); err != nil { // The first pass only says that it is the run's turn.
		t.Fatal(err)
	}
	_, err := p.reconcile()
	if got := p.names(); err == nil || !strings.Contains(err.Error(), "exceeded quota") || len(got) > 0 {
		t.Errorf("got error %v; these were made: %v", err, got)
	}
}

// TestWhatCannotBeStoredIsKept: for hours, with the cause in words.
func TestWhatCannotBeStoredIsKept(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.toCollecting()
	p.patch(naming.CollectedConfigMap(p.name.Name), func(answer *corev1.ConfigMap) {
		answer.Data = map[string]string{reportv1alpha1.TroubleKey: "exceeded quota: etcd"}
	})
	p.pass(20 * time.Hour)
	p.settle()
	p.want(benchv1alpha1.RunSucceeded, "Unknown NotEnded")
	if said := p.message(benchv1alpha1.RunProgressing); !strings.Contains(said, "exceeded quota: etcd") {
		t.Errorf("Progressing says %q", said)
	}
	// Somebody deleted the place; it is made again.
	p.must(environment.Client.Delete(t.Context(), &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: naming.ReportConfigMap(p.name.Name)},
	}))
	p.patch(naming.CollectedConfigMap(p.name.Name), func(answer *corev1.ConfigMap) {
		answer.Data[reportv1alpha1.MissingKey] = naming.ReportConfigMap(p.name.Name)
	})
	if _, err := p.reconcile(); err != nil {
		t.Fatal(err)
	}
	p.collectReports()
	p.settle()
	p.want(benchv1alpha1.RunSucceeded, "True Completed")
}

// TestTheLastReportThatIsLeftIsCollectedByAJob: load pod 0 is gone when all have handed in.
func TestTheLastReportThatIsLeftIsCollectedByAJob(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.toMeasuring()
	p.handIn()
	p.allSay(runtest.StepWrite, reportv1alpha1.ProgressDone, 100)
	p.endPod(0, corev1.ContainerStateTerminated{ExitCode: 137, Reason: "OOMKilled"})
	p.settle()
	p.pass(5 * time.Second)
	p.settle()
	if !slices.Contains(p.names(), "Job r-collect") {
		t.Fatalf("there are %v, and no Job that collects", p.names())
	}
	p.collectReports()
	p.settle()
	p.want(benchv1alpha1.RunSucceeded, "True Completed")
	if slices.Contains(p.names(), "Job r-collect") {
		t.Error("the Job that collects is left")
	}
}

// TestWhatMakesNoSenseEndsTheRun has the collector be hostile: the status is written all the same.
func TestWhatMakesNoSenseEndsTheRun(t *testing.T) {
	t.Parallel()
	for name, told := range map[string]string{
		"objects by the thousand": `{"version":"` + reportv1alpha1.Version + `","summary":{"steps":[` +
			strings.Repeat(`{},`, 20_000) + `{}]}}`,
		"more than is held": strings.Repeat("x", 900<<10),
		"no JSON":           "{",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t)
			p.toCollecting()
			p.patch(naming.CollectedConfigMap(p.name.Name), func(answer *corev1.ConfigMap) {
				answer.Data = map[string]string{reportv1alpha1.CollectedKey: told}
			})
			p.settle()
			p.want(benchv1alpha1.RunSucceeded, "False ReportMissing")
		})
	}
}

// TestAStatusThatIsRefusedBecomesOneThatIsNot: figures that the schema of the status has no room for.
func TestAStatusThatIsRefusedBecomesOneThatIsNot(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.toCollecting()
	p.collectReports()
	p.patch(naming.CollectedConfigMap(p.name.Name), func(answer *corev1.ConfigMap) {
		told, err := reportv1alpha1.DecodeCollected([]byte(answer.Data[reportv1alpha1.CollectedKey]))
		p.must(err)
		told.Summary.Steps[0].Client = strings.Repeat("x", 300) // 128 at most.
		encoded, err := reportv1alpha1.EncodeCollected(told)
		p.must(err)
		answer.Data[reportv1alpha1.CollectedKey] = string(encoded)
	})
	p.settle()
	p.want(benchv1alpha1.RunSucceeded, "False ReportMissing")
	if said := p.message(benchv1alpha1.RunSucceeded); !strings.Contains(said, "stored in ConfigMap r-report") ||
		!strings.Contains(said, "client") {
		t.Errorf("Succeeded says %q", said)
	}
	p.collectGarbage()
	p.settle()
	p.want(benchv1alpha1.RunProgressing, "False Finished")
}

// TestAClockThatWasSetBackCostsNoResult: the end of a step lies before its beginning.
func TestAClockThatWasSetBackCostsNoResult(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.toMeasuring()
	p.handIn()
	for i := range 2 {
		p.write(i, func(own *corev1.ConfigMap) {
			report, err := reportv1alpha1.Decode(own.BinaryData[reportv1alpha1.ReportKey])
			p.must(err)
			for s := range report.Steps {
				report.Steps[s].End = report.Steps[s].MeasureStart.Add(-3 * time.Second)
			}
			encoded, err := reportv1alpha1.Encode(report)
			p.must(err)
			own.BinaryData[reportv1alpha1.ReportKey] = encoded
		})
	}
	p.allSay(runtest.StepWrite, reportv1alpha1.ProgressDone, 100)
	p.settle()
	p.collectReports()
	p.settle()
	p.want(benchv1alpha1.RunSucceeded, "True Completed")
	if step := p.run().Status.Result.Steps[0]; *step.DurationMillis < 0 {
		t.Errorf("the first step took %d ms", *step.DurationMillis)
	}
}
