package run_test

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/testing/runtest"
)

// kueue is the version whose own definitions the API server checks our Workloads by.
const kueue = "sigs.k8s.io/kueue@v0.15.0"

// installKueue has the API server know Kueue's kinds.
func installKueue(t *testing.T) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", kueue)
	command.Dir = t.TempDir()
	output, err := command.Output()
	if err != nil {
		t.Fatalf("fetching %s: %v", kueue, err)
	}
	var module struct {
		Dir string `json:"Dir"`
	}
	if err := json.Unmarshal(output, &module); err != nil {
		t.Fatal(err)
	}
	definitions := filepath.Join(module.Dir, "config", "components", "crd", "bases", "kueue.x-k8s.io_")
	paths := []string{
		definitions + "workloads.yaml", definitions + "resourceflavors.yaml", definitions + "workloadpriorityclasses.yaml",
	}
	_, err = envtest.InstallCRDs(environment.Config, envtest.CRDInstallOptions{Paths: paths, MaxTime: 5 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
}

func kueueObject(kind, namespace, name string) *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(schema.GroupVersionKind{Group: "kueue.x-k8s.io", Version: "v1beta2", Kind: kind})
	object.SetNamespace(namespace)
	object.SetName(name)
	return object
}

// workload is that of the run; nil when there is none.
func (p *play) workload() *unstructured.Unstructured {
	p.t.Helper()
	object := kueueObject("Workload", p.namespace, "r-workload")
	err := environment.Client.Get(p.t.Context(), client.ObjectKeyFromObject(object), object)
	if client.IgnoreNotFound(err) != nil {
		p.t.Fatal(err)
	}
	if err != nil {
		return nil
	}
	return object
}

// kueueSays plays Kueue: its scheduler, which admits, and its preemption, which takes back.
func (p *play) kueueSays(admission map[string]any, conditions ...string) {
	p.t.Helper()
	object := p.workload()
	list := make([]any, 0, len(conditions))
	for _, said := range conditions {
		words := strings.SplitN(said, " ", 3)
		list = append(list, map[string]any{
			"type": words[0], "status": words[1], "reason": "Played", "message": words[2],
			"lastTransitionTime": p.now.UTC().Format("2006-01-02T15:04:05Z"),
		})
	}
	status := map[string]any{"conditions": list}
	if admission != nil {
		status["admission"] = admission
	}
	object.Object["status"] = status
	p.must(environment.Client.Status().Update(p.t.Context(), object))
}

// TestKueueAdmitsARunAsAWhole plays Kueue with its own definitions: nothing is made before it has room, all pods go
// to the nodes that it says, a run that it evicts is taken down and gives the room back, and one that has ended does
// so for good.
func TestKueueAdmitsARunAsAWhole(t *testing.T) {
	installKueue(t)
	p := newPlay(t, func(run *benchv1alpha1.BenchmarkRun) {
		run.Labels = map[string]string{"kueue.x-k8s.io/queue-name": "team", "kueue.x-k8s.io/priority-class": "urgent"}
	})
	makeFlavor(t)
	p.idle()
	p.want(benchv1alpha1.RunAdmitted, "False QuotaPending")
	p.want(benchv1alpha1.RunProgressing, "True Queued")
	if got := p.names(); len(got) > 0 {
		t.Errorf("made before there is room: %v", got)
	}
	checkAsked(t, p.workload())

	room := map[string]any{"clusterQueue": "all", "podSetAssignments": []any{
		map[string]any{"name": "load", "count": int64(2), "flavors": map[string]any{"cpu": "fast", "memory": "fast"}},
		map[string]any{"name": "members", "count": int64(3), "flavors": map[string]any{"cpu": "fast"}},
	}}
	p.kueueSays(room, "QuotaReserved True reserved", "Admitted True admitted")
	p.toMeasuring()
	p.want(benchv1alpha1.RunAdmitted, "True Admitted")
	checkFlavored(p)

	p.kueueSays(room, "QuotaReserved True reserved", "Admitted True admitted", "Evicted True preempted by others")
	p.idle()
	p.want(benchv1alpha1.RunAdmitted, "True Admitted")
	p.want(benchv1alpha1.RunProgressing, "True Queued")
	p.collectGarbage()
	p.idle()
	p.want(benchv1alpha1.RunAdmitted, "False QuotaPending")
	p.want(benchv1alpha1.RunSucceeded, "Unknown NotEnded")
	checkVacated(t, p.workload())
	if attempts := p.run().Status.Attempts; len(attempts) != 1 || attempts[0].Reason != benchv1alpha1.ReasonSuspended ||
		!strings.Contains(attempts[0].Message, "preempted by others") {
		t.Errorf("the attempts are %+v", attempts)
	}

	p.kueueSays(room, "QuotaReserved True reserved", "Admitted True admitted", "Evicted False admitted again")
	p.toMeasuring()
	p.allSay(runtest.StepWrite, reportv1alpha1.ProgressDone, 100)
	p.reportAll()
	p.settle()
	p.collectAll()
	p.want(benchv1alpha1.RunSucceeded, "True Completed")
	if left := p.workload(); left != nil {
		t.Errorf("a run that has ended keeps its room: %v", left.Object["status"])
	}
}

// makeFlavor makes the flavor of nodes and the priority that the test's run is about.
func makeFlavor(t *testing.T) {
	t.Helper()
	flavor := kueueObject("ResourceFlavor", "", "fast")
	flavor.Object["spec"] = map[string]any{
		"nodeLabels":  map[string]any{"pool": "fast"},
		"tolerations": []any{map[string]any{"key": "fast", "operator": "Exists"}},
	}
	class := kueueObject("WorkloadPriorityClass", "", "urgent")
	class.Object["value"], class.Object["description"] = int64(7), "for a test"
	g := gomega.NewWithT(t)
	for _, object := range []*unstructured.Unstructured{flavor, class} {
		g.Eventually(func() error { return environment.Client.Create(t.Context(), object) }, "1m").Should(gomega.Succeed())
	}
}

// checkFlavored wants members and load pods on the flavor's nodes, and Kueue not asked again for them.
func checkFlavored(p *play) {
	p.t.Helper()
	job, target := p.job(), &benchv1alpha1.BenchmarkTarget{}
	p.get("r", target)
	settings := target.Spec.Pods()
	if job.Labels["kueue.x-k8s.io/queue-name"] != "" || target.Labels["kueue.x-k8s.io/queue-name"] != "" {
		p.t.Errorf("Kueue is asked once more: %v, %v", job.Labels, target.Labels)
	}
	pod := job.Spec.Template.Spec
	if settings == nil || settings.NodeSelector["pool"] != "fast" || pod.NodeSelector["pool"] != "fast" ||
		len(settings.Tolerations) != 1 || len(pod.Tolerations) != 1 {
		p.t.Errorf("members go to %+v, load pods to %v, %v", settings, pod.NodeSelector, pod.Tolerations)
	}
}

// checkAsked looks at what Kueue is asked for.
func checkAsked(t *testing.T, workload *unstructured.Unstructured) {
	t.Helper()
	if workload == nil {
		t.Fatal("Kueue was not asked")
	}
	declared, _, _ := unstructured.NestedMap(workload.Object, "spec")
	sets, _, _ := unstructured.NestedSlice(declared, "podSets")
	counts := map[string]int64{}
	for _, one := range sets {
		set, _ := one.(map[string]any)
		name, _, _ := unstructured.NestedString(set, "name")
		counts[name], _, _ = unstructured.NestedInt64(set, "count")
		containers, _, _ := unstructured.NestedSlice(set, "template", "spec", "containers")
		container, _ := containers[0].(map[string]any)
		if requests, _, _ := unstructured.NestedStringMap(container, "resources", "limits"); requests["cpu"] == "" {
			t.Errorf("pod set %s asks for %v", name, container["resources"])
		}
	}
	if len(counts) != 2 || counts["load"] != 2 || counts["members"] != 3 {
		t.Errorf("it is asked for %v, want 2 load pods and 3 members", counts)
	}
	if declared["queueName"] != "team" || declared["priority"] != int64(7) {
		t.Errorf("it is asked in queue %v with priority %v", declared["queueName"], declared["priority"])
	}
	if owner := metav1.GetControllerOf(workload); owner == nil || owner.Kind != "BenchmarkRun" {
		t.Errorf("the Workload does not go with its run: %+v", owner)
	}
}

// checkVacated looks at what Kueue is told when there is nothing left of an evicted run.
func checkVacated(t *testing.T, workload *unstructured.Unstructured) {
	t.Helper()
	status, _, _ := unstructured.NestedMap(workload.Object, "status")
	if status["admission"] != nil {
		t.Errorf("the Workload holds %v", status["admission"])
	}
	list, _, _ := unstructured.NestedSlice(status, "conditions")
	said := map[string]string{}
	for _, one := range list {
		condition, _ := one.(map[string]any)
		kind, _ := condition["type"].(string)
		said[kind], _ = condition["status"].(string)
	}
	for kind, want := range map[string]string{
		"QuotaReserved": "False", "Admitted": "False", "Evicted": "True", "Requeued": "True",
	} {
		if said[kind] != want {
			t.Errorf("%s is %q, want %q", kind, said[kind], want)
		}
	}
}
