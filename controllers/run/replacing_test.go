package run_test

import (
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/testing/runtest"
)

// replacePod plays the Job controller: another pod with the index of one that has failed.
func (p *play) replacePod(index string) *corev1.Pod {
	p.t.Helper()
	job := p.job()
	var failed corev1.Pod
	p.get(job.Name+"-"+index, &failed)
	made := &corev1.Pod{ObjectMeta: *failed.ObjectMeta.DeepCopy(), Spec: *job.Spec.Template.Spec.DeepCopy()}
	made.Name, made.ResourceVersion, made.UID = failed.Name+"-again", "", ""
	made.Annotations[batchv1.JobIndexFailureCountAnnotation] = "1"
	p.must(environment.Client.Create(p.t.Context(), made))
	made.Status.Phase = corev1.PodRunning
	p.must(environment.Client.Status().Update(p.t.Context(), made))
	return made
}

func TestALoadPodThatIsLostWhileLoadingIsReplaced(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.toJob()
	p.startPods(corev1.PodRunning)
	p.allSay(runtest.StepLoad, reportv1alpha1.ProgressRunning, 40)
	p.settle()
	p.endPod(1, corev1.ContainerStateTerminated{ExitCode: 137, Reason: "OOMKilled"})
	p.podSays(0, runtest.Progress(runtest.StepRead, reportv1alpha1.ProgressWaiting, 0))
	p.podSays(1, runtest.Progress(runtest.StepRead, reportv1alpha1.ProgressWaiting, 0))
	p.pass(6 * time.Second)
	p.idle()
	p.want(benchv1alpha1.RunSucceeded, "Unknown NotEnded")
	key := planv1alpha1.GateKey(runtest.StepRead)
	if _, open := p.gate()[key]; open {
		t.Error("the measuring begins without load pod 1")
	}

	made := p.replacePod("1")
	p.pass(10 * time.Second)
	p.podSays(1, runtest.Progress(runtest.StepLoad, reportv1alpha1.ProgressRunning, 60))
	p.idle()
	p.want(benchv1alpha1.RunProgressing, "True Loading")
	if said := p.message(benchv1alpha1.RunProgressing); strings.Contains(said, "is replaced") {
		t.Errorf("Progressing still says %q", said)
	}
	ready := runtest.Progress(runtest.StepRead, reportv1alpha1.ProgressWaiting, 0)
	ready.Pod = string(made.UID)
	p.podSays(1, ready)
	p.settle()
	if _, open := p.gate()[key]; !open {
		t.Error("the measuring does not begin, although all load pods are ready")
	}

	p.allSay(runtest.StepWrite, reportv1alpha1.ProgressDone, 100)
	p.reportAll()
	p.collectAll()
	p.want(benchv1alpha1.RunSucceeded, "True Completed")
}
