package run_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/testing/runtest"
)

// throughGateway has the load of a run go through a gateway of two pods.
func throughGateway(run *benchv1alpha1.BenchmarkRun) {
	run.Spec.LoadGenerator.Through = new(benchv1alpha1.WayGateway)
	run.Spec.LoadGenerator.Gateway = &benchv1alpha1.Gateway{Pods: new(int32(2))}
}

// startGateway plays the Job controller and the kubelet: the pods of the gateway serve.
func (p *play) startGateway() {
	p.t.Helper()
	var job batchv1.Job
	p.get(naming.Gateway(p.name.Name), &job)
	for i := range int(*job.Spec.Completions) {
		template := job.Spec.Template.DeepCopy()
		pod := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: p.namespace, Name: fmt.Sprintf("%s-%d", job.Name, i), Labels: template.Labels,
				Annotations: map[string]string{batchv1.JobCompletionIndexAnnotation: strconv.Itoa(i)},
			},
			Spec: template.Spec,
		}
		p.must(controllerutil.SetControllerReference(&job, pod, environment.Scheme))
		p.must(environment.Client.Create(p.t.Context(), pod))
		pod.Status.Phase, pod.Status.PodIP = corev1.PodRunning, fmt.Sprintf("10.0.0.%d", 7+i)
		pod.Status.PodIPs = []corev1.PodIP{{IP: pod.Status.PodIP}}
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
		p.must(environment.Client.Status().Update(p.t.Context(), pod))
	}
}

// TestALoadThroughAGateway is made after its gateway, and taken down with it when a pod of the gateway is lost.
func TestALoadThroughAGateway(t *testing.T) {
	t.Parallel()
	p := newPlay(t, throughGateway)
	p.toJob()
	p.idle()
	if got := p.names(); slices.Contains(got, "Job r-load") || !slices.Contains(got, "Job r-gateway") {
		t.Fatalf("before the gateway serves there are %v", got)
	}
	p.startGateway()
	p.settle()
	arguments := p.job().Spec.Template.Spec.Containers[0].Args
	if at := slices.Index(arguments, "--gateway"); at < 0 || arguments[at+1] != "http://10.0.0.7:7080" {
		t.Errorf("the load pods are told %v", arguments)
	}
	p.startPods(corev1.PodRunning)
	p.allSay(runtest.StepLoad, reportv1alpha1.ProgressRunning, 40)
	p.idle()
	var policy networkingv1.NetworkPolicy
	p.get("r-gateway", &policy)

	var pod corev1.Pod
	p.get("r-gateway-1", &pod)
	pod.Status.Phase, pod.Status.Reason, pod.Status.Message = corev1.PodFailed, "Evicted", "node was low on memory"
	p.must(environment.Client.Status().Update(t.Context(), &pod))
	p.pass(5 * time.Second)
	p.settle()
	p.want(benchv1alpha1.RunSucceeded, "False GatewayLost")
	p.collectAll()
	if got := p.names(); len(got) > 0 {
		t.Errorf("left are %v", got)
	}
}
