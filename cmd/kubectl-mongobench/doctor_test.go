package main

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/doctor"
)

// put makes an object for the time of a test, and writes its status.
func put[T client.Object](t *testing.T, object T, status func()) {
	t.Helper()
	if err := environment.client.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	// The test's own context has ended by then. A pod is not waited for: no kubelet would ever let it go.
	t.Cleanup(func() { _ = environment.client.Delete(context.Background(), object, client.GracePeriodSeconds(0)) })
	if status == nil {
		return
	}
	status()
	if err := environment.client.Status().Update(t.Context(), object); err != nil {
		t.Fatal(err)
	}
}

// putNode makes a node that is ready.
func putNode(t *testing.T, name, cpu, memory string) {
	t.Helper()
	node := &corev1.Node{}
	node.Name, node.Labels = name, map[string]string{corev1.LabelOSStable: "linux"}
	put(t, node, func() {
		node.Status.Capacity = corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory),
			corev1.ResourcePods: resource.MustParse("110"),
		}
		node.Status.Allocatable = node.Status.Capacity
		node.Status.NodeInfo.KernelVersion, node.Status.NodeInfo.Architecture = "6.1.0", "amd64"
		node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	})
	// A node that was not seen yet is kept free by a taint, which a controller takes away.
	if err := environment.client.Get(t.Context(), client.ObjectKeyFromObject(node), node); err != nil {
		t.Fatal(err)
	}
	node.Spec.Taints = nil
	if err := environment.client.Update(t.Context(), node); err != nil {
		t.Fatal(err)
	}
}

// putOperator makes the Deployment that config/manager has.
func putOperator(t *testing.T, namespace string, ready int32) {
	t.Helper()
	content, err := os.ReadFile(root + "/config/manager/manager.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for part := range strings.SplitSeq(string(content), "\n---\n") {
		if !strings.Contains(part, "kind: Deployment") {
			continue
		}
		operator := &appsv1.Deployment{}
		if err := yaml.Unmarshal([]byte(part), operator); err != nil {
			t.Fatal(err)
		}
		operator.Namespace = namespace
		put(t, operator, func() {
			operator.Status = appsv1.DeploymentStatus{
				ObservedGeneration: operator.Generation, Replicas: 1, UpdatedReplicas: 1, ReadyReplicas: ready,
				AvailableReplicas: ready,
			}
		})
		return
	}
	t.Fatal("there is no Deployment in config/manager")
}

// found are the findings of doctor by their checks.
func found(t *testing.T, out string) map[string]doctor.Finding {
	t.Helper()
	var read examination
	if err := json.Unmarshal([]byte(out), &read); err != nil {
		t.Fatalf("%v in\n%s", err, out)
	}
	by := map[string]doctor.Finding{}
	for _, finding := range read.Findings {
		by[finding.Check] = finding
	}
	return by
}

func TestDoctorOfAClusterWithoutAnything(t *testing.T) {
	here := namespace(t)
	out, errOut, code := run(t, here, "doctor")
	if code != exitFailed || errOut != "" {
		t.Errorf("exit code %d, %q", code, errOut)
	}
	wantIn(t, out, "fail  operator", "To do: install the chart", "fail  nodes", "warn  storage class",
		"ok    kind benchmarkruns.mongobench.dev", "ok    kind benchmarksuites.mongobench.dev",
		"ok    kind benchmarktargets.mongobench.dev", "it is of this version", "ok    rights for run",
		"ok    rights for report",
		"ok    rights for rm", "ok    namespace", "ok    quota", "ok    limit range", "ok    prometheus",
		"warn  CPU governor", "warn  cgroup version")
	if strings.Contains(out, "\x1b") {
		t.Errorf("there are colours in what is piped:\n%q", out)
	}
}

func TestDoctorOfAClusterThatIsReady(t *testing.T) {
	here := namespace(t)
	putOperator(t, namespace(t), 1)
	putNode(t, "doctors-node", "4", "8Gi")
	binding := storagev1.VolumeBindingWaitForFirstConsumer
	class := &storagev1.StorageClass{Provisioner: "example.com/disk", VolumeBindingMode: &binding}
	class.Name, class.Annotations = "disk", map[string]string{"storageclass.kubernetes.io/is-default-class": "true"}
	put(t, class, nil)
	quota := &corev1.ResourceQuota{Spec: corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{
		corev1.ResourceRequestsCPU: resource.MustParse("8"),
	}}}
	quota.Namespace, quota.Name = here, "team"
	put(t, quota, nil)
	pod := &corev1.Pod{Spec: corev1.PodSpec{NodeName: "doctors-node", Containers: []corev1.Container{{
		Name: "neighbour", Image: "none", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse("1500m"), corev1.ResourceMemory: resource.MustParse("2Gi"),
		}},
	}}}}
	pod.Namespace, pod.Name = namespace(t), "neighbour"
	put(t, pod, nil)
	out, errOut, code := run(t, here, "doctor", "-o", "json")
	if code != 0 {
		t.Fatalf("exit code %d: %s%s", code, out, errOut)
	}
	by := found(t, out)
	for check, words := range map[string]string{
		"operator":      "mongobench-operator, version 0.1.0, 1 of 1 ready",
		"storage class": "disk of example.com/disk is the default; it binds where the member is put",
		"node doctors-node": "4 cores, 8 GiB, amd64, kernel 6.1.0, for pods 4 CPU and 8192 MiB, of that 2500m CPU and " +
			"6144 MiB free, 1 of",
		"room":                   "1 of 1 nodes have room",
		"quota team":             "it leaves 8 of requests.cpu",
		"transparent huge pages": "unknown: no run has been measured on node doctors-node yet",
	} {
		if !strings.Contains(by[check].Found, words) {
			t.Errorf("%+v does not say %q", by[check], words)
		}
	}
	measuredOn(t, createRun(t, here, "measured"))
	out, _, _ = run(t, here, "doctor", "-o", "json")
	pages := found(t, out)["transparent huge pages"]
	want := "in run " + here + "/measured: transparent_hugepage is always"
	if pages.Level != doctor.Warn || !strings.Contains(pages.Found, want) {
		t.Errorf("once a run was measured: %+v", pages)
	}
}

// measuredOn plays the end of a run on the node of a test, later than that was made.
func measuredOn(t *testing.T, run *benchv1alpha1.BenchmarkRun) {
	t.Helper()
	end(t, run, "True", "Completed", 37400)
	tell(t, run, func() {
		for i := range run.Status.Conditions {
			run.Status.Conditions[i].LastTransitionTime = metav1.NewTime(time.Now().Add(time.Hour))
		}
		run.Status.Server = &benchv1alpha1.ServerFingerprint{
			Version: "6.0.5", StartupWarnings: []string{"transparent_hugepage is always"},
		}
		run.Status.Fingerprint = &benchv1alpha1.RunFingerprint{
			NodeTypes: []string{"4 cores, 8 GiB, amd64"}, Kernels: []string{"6.1.0"},
		}
	})
}

func TestDoctorSaysWhatTheUserMayNotSee(t *testing.T) {
	out, _, code := run(t, namespace(t), "doctor", "--as", "nobody", "-o", "json")
	if code != exitFailed {
		t.Errorf("exit code %d", code)
	}
	by := found(t, out)
	for _, check := range []string{
		"operator", "storage class", "nodes", "namespace", "quota", "limit range", "kind benchmarkruns.mongobench.dev",
		"transparent huge pages",
	} {
		if finding := by[check]; finding.Level != doctor.Warn || !strings.Contains(finding.Found, "unknown: ") {
			t.Errorf("%s: %+v is not unknown", check, finding)
		}
	}
	if finding := by["rights for rm"]; finding.Level != doctor.Fail ||
		!strings.Contains(finding.Found, "delete benchmarktargets") {
		t.Errorf("%+v", finding)
	}
}

func TestDoctorOfAClusterThatIsAway(t *testing.T) {
	_, errOut, code := run(t, "default", "doctor", "--server", "https://127.0.0.1:1")
	if code != exitFailed || !strings.Contains(errOut, "asking the API server") {
		t.Errorf("exit code %d: %s", code, errOut)
	}
}
