package decide

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/settings"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// loadPod is the template of the load pods of a run that is changed like this.
func loadPod(t *testing.T, change func(*world)) corev1.PodTemplateSpec {
	t.Helper()
	w := newWorld(t)
	change(w)
	w.settle()
	w.targetReady()
	for _, object := range Decide(w.Observation).Desired {
		if job, ok := object.(*batchv1.Job); ok {
			return job.Spec.Template
		}
	}
	t.Fatal("no Job is desired")
	return corev1.PodTemplateSpec{}
}

func TestLoadPodsAreKeptApartAsAsked(t *testing.T) {
	separated := func(by benchv1alpha1.Separation) *corev1.Affinity {
		return loadPod(t, func(w *world) {
			w.Run.Spec.LoadGenerator = &benchv1alpha1.LoadGenerator{Separation: &by}
		}).Spec.Affinity
	}
	if got := separated(benchv1alpha1.SeparationNone); got != nil {
		t.Errorf("with None: %v", got)
	}
	preferred := separated(benchv1alpha1.SeparationPreferred).PodAntiAffinity
	if len(preferred.RequiredDuringSchedulingIgnoredDuringExecution) > 0 ||
		len(preferred.PreferredDuringSchedulingIgnoredDuringExecution) != 2 {
		t.Errorf("with Preferred: %v", preferred)
	}
	required := separated(benchv1alpha1.SeparationRequired).PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	if len(required) != 1 || required[0].TopologyKey != corev1.LabelHostname ||
		required[0].LabelSelector.MatchExpressions[0].Key != naming.MemberLabel {
		t.Errorf("with Required: %v", required)
	}
}

func TestLoadPodsHaveTheSettingsOfOperatorAndRun(t *testing.T) {
	pod := loadPod(t, func(w *world) {
		w.Settings.Platform = settings.PlatformOpenShift
		w.Settings.PodDefaults.ImagePullSecrets = []benchv1alpha1.PullSecret{{Name: "registry"}}
		w.Run.Spec.LoadGenerator = &benchv1alpha1.LoadGenerator{PodSettings: &benchv1alpha1.PodSettings{
			NodeSelector: map[string]string{"pool": "load"}, Labels: map[string]string{"team": "db"},
		}}
	})
	switch spec := pod.Spec; {
	case spec.NodeSelector["pool"] != "load" || spec.NodeSelector[corev1.LabelOSStable] != "linux":
		t.Errorf("node selector %v", spec.NodeSelector)
	case len(spec.ImagePullSecrets) != 1 || pod.Labels["team"] != "db" || pod.Labels[naming.RunLabel] != "r":
		t.Errorf("pull secrets %v, labels %v", spec.ImagePullSecrets, pod.Labels)
	case spec.SecurityContext.RunAsUser != nil || spec.SecurityContext.FSGroup != nil:
		t.Errorf("OpenShift would refuse %v", spec.SecurityContext)
	case pod.Annotations["linkerd.io/inject"] != "disabled":
		t.Errorf("annotations %v", pod.Annotations)
	}
}
