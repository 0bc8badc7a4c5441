package decide

import (
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/controllers/internal/settings"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

// templates are those of the pods among what is desired, by the kinds and names of their makers.
func templates(t *testing.T, objects []desired.Object) map[string]corev1.PodTemplateSpec {
	t.Helper()
	found := map[string]corev1.PodTemplateSpec{}
	for _, object := range objects {
		switch object := object.(type) {
		case *appsv1.StatefulSet:
			found[object.Name] = object.Spec.Template
		case *batchv1.Job:
			found[object.Name] = object.Spec.Template
		}
	}
	if len(found) == 0 {
		t.Fatal("no pods are desired")
	}
	return found
}

// TestSettingsReachEveryPod: what the operator and the target say of pods is said of members of every part, and of the
// topology Job, which has to run wherever they do.
func TestSettingsReachEveryPod(t *testing.T) {
	for name, target := range map[string]*benchv1alpha1.BenchmarkTarget{
		"a sharded cluster": targettest.Sharded("bench", "cluster"), "MariaDB": targettest.MariaDB("bench", "rows"),
		"another's database": targettest.External("bench", "theirs"),
	} {
		t.Run(name, func(t *testing.T) {
			o := observe(target)
			o.Settings.PodDefaults = benchv1alpha1.PodSettings{
				ImagePullSecrets: []benchv1alpha1.PullSecret{{Name: "registry"}}, PriorityClassName: new("low"),
			}
			*target.Spec.PodsField() = &benchv1alpha1.PodSettings{
				NodeSelector:      map[string]string{"pool": "bench"},
				Tolerations:       []corev1.Toleration{{Key: "bench", Operator: corev1.TolerationOpExists}},
				Labels:            map[string]string{"team": "db"},
				PriorityClassName: new("high"),
			}
			o.Settings.Platform = settings.PlatformOpenShift
			if strings.HasPrefix(name, "MariaDB") { // The topology Job is made once the server works.
				o.MemberPods = []corev1.Pod{targettest.MemberPod(target, "mariadb", 0)}
				targettest.Ready(&o.MemberPods[0], start)
			}
			for maker, pod := range templates(t, decided(o).Desired) {
				wantSettings(t, maker, pod)
			}
		})
	}
}

func wantSettings(t *testing.T, maker string, pod corev1.PodTemplateSpec) {
	t.Helper()
	switch spec := pod.Spec; {
	case spec.NodeSelector["pool"] != "bench" || spec.NodeSelector[corev1.LabelOSStable] != "linux":
		t.Errorf("%s: node selector %v", maker, spec.NodeSelector)
	case len(spec.Tolerations) != 1 || len(spec.ImagePullSecrets) != 1 || spec.PriorityClassName != "high":
		t.Errorf("%s: tolerations %v, pull secrets %v, priority %s", maker, spec.Tolerations,
			spec.ImagePullSecrets, spec.PriorityClassName)
	case pod.Labels["team"] != "db" || pod.Labels["sidecar.istio.io/inject"] != "false":
		t.Errorf("%s: labels %v", maker, pod.Labels)
	case spec.SecurityContext.RunAsUser != nil || spec.SecurityContext.FSGroup != nil:
		t.Errorf("%s: OpenShift would refuse %v", maker, spec.SecurityContext)
	}
	for _, container := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		if container.Resources.Requests.StorageEphemeral().IsZero() {
			t.Errorf("%s: container %s reserves none of the node's disk", maker, container.Name)
		}
	}
}

func TestSettingsReachTheCommunityOperator(t *testing.T) {
	target := targettest.ReplicaSet("bench", "set", 3)
	provider := benchv1alpha1.ProviderMongoDBCommunity
	target.Spec.MongoDB.Provider = &provider
	target.Spec.MongoDB.PodSettings = &benchv1alpha1.PodSettings{NodeSelector: map[string]string{"pool": "bench"}}
	for _, object := range decided(observe(target)).Desired {
		made, ok := object.(*unstructured.Unstructured)
		if !ok {
			continue
		}
		path := []string{"spec", "statefulSet", "spec", "template", "spec", "nodeSelector", "pool"}
		if got, _, err := unstructured.NestedString(made.Object, path...); err != nil || got != "bench" {
			t.Errorf("node selector %q, error %v", got, err)
		}
		return
	}
	t.Error("the other operator is not asked for anything")
}

// TestSidecarsAreNotTakenForTheServer: a mesh may put its proxy before the server.
func TestSidecarsAreNotTakenForTheServer(t *testing.T) {
	beside := func(o *Observation) {
		for i := range o.MemberPods {
			pod := &o.MemberPods[i]
			pod.Spec.Containers = append([]corev1.Container{{Name: "istio-proxy"}}, pod.Spec.Containers...)
			proxy := corev1.ContainerStatus{
				Name: "istio-proxy", RestartCount: 3, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}},
				LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
					ExitCode: 1, FinishedAt: metav1.NewTime(o.Now),
				}},
			}
			pod.Status.ContainerStatuses = append([]corev1.ContainerStatus{proxy}, pod.Status.ContainerStatuses...)
		}
	}
	if got := decided(with(ready(time.Hour), beside)).Status; !isTrue(got.Conditions, benchv1alpha1.TargetReady) {
		t.Errorf("a proxy that restarted counts as the server: %v", got.Conditions)
	}
	crashed := with(ready(time.Hour), func(o *Observation) {
		targettest.Restarted(&o.MemberPods[0], o.Now, corev1.ContainerStateTerminated{ExitCode: 14, Message: "fassert"})
		beside(o)
	})
	got := decided(crashed).Status
	if isTrue(got.Conditions, benchv1alpha1.TargetReady) {
		t.Fatal("a mongod that restarted beside a proxy is not seen")
	}
	for _, condition := range got.Conditions {
		if condition.Type == benchv1alpha1.TargetReady && !strings.Contains(condition.Message, "container mongod ended") {
			t.Errorf("the condition says %q", condition.Message)
		}
	}
}

func isTrue(conditions []metav1.Condition, of string) bool {
	return slices.ContainsFunc(conditions, func(c metav1.Condition) bool {
		return c.Type == of && c.Status == metav1.ConditionTrue
	})
}

func TestMembersReserveTheirNodesDisk(t *testing.T) {
	for name, tc := range map[string]struct {
		medium         product.Medium
		own            string
		request, limit string
	}{
		"data on a volume":             {product.MediumPersistentVolume, "", "64Mi", "0"},
		"data on the disk of the node": {product.MediumEmptyDir, "", "10Gi", "0"},
		"what the target says":         {product.MediumEmptyDir, "12Gi", "12Gi", "12Gi"},
	} {
		target := targettest.Standalone("bench", "alone", "6.0.5")
		target.Spec.MongoDB.Storage = storageOn(tc.medium)
		if tc.own != "" {
			target.Spec.MongoDB.Resources = &corev1.ResourceRequirements{Limits: corev1.ResourceList{
				corev1.ResourceEphemeralStorage: targettest.Quantity(tc.own),
			}}
		}
		container := templates(t, decided(observe(target)).Desired)["alone-mongod"].Spec.Containers[0]
		request, limit := container.Resources.Requests.StorageEphemeral(), container.Resources.Limits.StorageEphemeral()
		if request.String() != tc.request || limit.String() != tc.limit {
			t.Errorf("%s: %s is reserved, and the limit is %s", name, request, limit)
		}
	}
}
