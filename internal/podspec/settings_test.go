package podspec_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/podspec"
)

func zone(when corev1.UnsatisfiableConstraintAction, skew int32) corev1.TopologySpreadConstraint {
	return corev1.TopologySpreadConstraint{
		TopologyKey: corev1.LabelTopologyZone, WhenUnsatisfiable: when, MaxSkew: skew,
	}
}

// onArch is a wish for nodes.
func onArch(arch string) *benchv1alpha1.NodeAffinity {
	return &benchv1alpha1.NodeAffinity{NodeAffinity: &corev1.NodeAffinity{
		PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{{
			Weight: 1, Preference: corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{
				{Key: corev1.LabelArchStable, Operator: corev1.NodeSelectorOpIn, Values: []string{arch}},
			}},
		}},
	}}
}

func TestSettingsAreMerged(t *testing.T) {
	system := corev1.Toleration{Key: "system", Operator: corev1.TolerationOpExists}
	bench := corev1.Toleration{Key: "bench", Operator: corev1.TolerationOpExists}
	below := benchv1alpha1.PodSettings{
		NodeSelector:              map[string]string{"os": "linux", "pool": "all"},
		Labels:                    map[string]string{"inject": "false"},
		Tolerations:               []corev1.Toleration{system},
		ImagePullSecrets:          []benchv1alpha1.PullSecret{{Name: "registry"}},
		TopologySpreadConstraints: []corev1.TopologySpreadConstraint{zone(corev1.DoNotSchedule, 1)},
		Affinity:                  onArch("amd64"),
		PriorityClassName:         new("low"),
		RuntimeClassName:          new("gvisor"),
		ImagePullPolicy:           new(corev1.PullAlways),
	}
	kept := below.DeepCopy()
	own := benchv1alpha1.PodSettings{
		NodeSelector:     map[string]string{"pool": "fast"},
		Labels:           map[string]string{"inject": "true", "team": "db"},
		Annotations:      map[string]string{"a": "b"},
		Tolerations:      []corev1.Toleration{bench, system},
		ImagePullSecrets: []benchv1alpha1.PullSecret{{Name: "own"}, {Name: "registry"}},
		TopologySpreadConstraints: []corev1.TopologySpreadConstraint{
			zone(corev1.DoNotSchedule, 2), zone(corev1.ScheduleAnyway, 1),
		},
		Affinity:          onArch("arm64"),
		PriorityClassName: new("high"),
		ImagePullPolicy:   new(corev1.PullNever),
	}
	want := benchv1alpha1.PodSettings{
		NodeSelector:              map[string]string{"os": "linux", "pool": "fast"},
		Labels:                    map[string]string{"inject": "true", "team": "db"},
		Annotations:               map[string]string{"a": "b"},
		Tolerations:               []corev1.Toleration{system, bench},
		ImagePullSecrets:          []benchv1alpha1.PullSecret{{Name: "registry"}, {Name: "own"}},
		TopologySpreadConstraints: own.TopologySpreadConstraints,
		Affinity:                  own.Affinity,
		PriorityClassName:         new("high"),
		RuntimeClassName:          new("gvisor"),
		ImagePullPolicy:           new(corev1.PullNever),
	}
	if diff := cmp.Diff(want, podspec.Merge(below, &own)); diff != "" {
		t.Errorf("merged (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(*kept, podspec.Merge(below, nil)); diff != "" {
		t.Errorf("with nothing, or what they were merged into has changed (-want +got):\n%s", diff)
	}
}

func TestImagesArePulledAsTheSettingsSay(t *testing.T) {
	for name, tc := range map[string]struct {
		said      *corev1.PullPolicy
		init, own corev1.PullPolicy
	}{
		"nothing is said": {nil, "", corev1.PullIfNotPresent},
		"always":          {new(corev1.PullAlways), corev1.PullAlways, corev1.PullAlways},
	} {
		t.Run(name, func(t *testing.T) {
			pod := corev1.PodTemplateSpec{Spec: corev1.PodSpec{
				InitContainers: []corev1.Container{{Name: "init"}},
				Containers:     []corev1.Container{{Name: "load", ImagePullPolicy: corev1.PullIfNotPresent}},
			}}
			podspec.Apply(benchv1alpha1.PodSettings{ImagePullPolicy: tc.said}, &pod, nil)
			if got := pod.Spec.InitContainers[0].ImagePullPolicy; got != tc.init {
				t.Errorf("the init container's is %q, want %q", got, tc.init)
			}
			if got := pod.Spec.Containers[0].ImagePullPolicy; got != tc.own {
				t.Errorf("the container's is %q, want %q", got, tc.own)
			}
		})
	}
}

func TestUserAndGroups(t *testing.T) {
	ids := func(who benchv1alpha1.PodIDs) *benchv1alpha1.PodSecurityContext {
		return &benchv1alpha1.PodSecurityContext{IDs: &who}
	}
	for name, tc := range map[string]struct {
		below, own              *benchv1alpha1.PodSecurityContext
		user, group, fileSystem *int64
	}{
		"nothing is said": {nil, nil, new(int64(999)), new(int64(999)), new(int64(999))},
		"OpenShift":       {ids(benchv1alpha1.PodIDsNamespace), nil, nil, nil, nil},
		"the image's on OpenShift": {
			ids(benchv1alpha1.PodIDsNamespace), ids(benchv1alpha1.PodIDsImage),
			new(int64(999)), new(int64(999)), new(int64(999)),
		},
		"a user of one's own": {
			nil, &benchv1alpha1.PodSecurityContext{RunAsUser: new(int64(7))}, new(int64(7)), new(int64(7)), new(int64(7)),
		},
		"a group of the operator's and a user of one's own": {
			&benchv1alpha1.PodSecurityContext{RunAsGroup: new(int64(0))},
			&benchv1alpha1.PodSecurityContext{RunAsUser: new(int64(7))},
			new(int64(7)), new(int64(0)), new(int64(0)),
		},
		"only a group for the volumes, on OpenShift": {
			ids(benchv1alpha1.PodIDsNamespace), &benchv1alpha1.PodSecurityContext{FSGroup: new(int64(5))},
			nil, nil, new(int64(5)),
		},
		"the namespace's, whatever the operator says": {
			&benchv1alpha1.PodSecurityContext{RunAsUser: new(int64(7))}, ids(benchv1alpha1.PodIDsNamespace), nil, nil, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			settings := podspec.Merge(benchv1alpha1.PodSettings{SecurityContext: tc.below},
				&benchv1alpha1.PodSettings{SecurityContext: tc.own})
			pod := corev1.PodTemplateSpec{Spec: corev1.PodSpec{SecurityContext: podspec.PodSecurity(podspec.MongodUser)}}
			podspec.Apply(settings, &pod, nil)
			got := pod.Spec.SecurityContext
			for what, diff := range map[string]string{
				"user": cmp.Diff(tc.user, got.RunAsUser), "group": cmp.Diff(tc.group, got.RunAsGroup),
				"group of volumes": cmp.Diff(tc.fileSystem, got.FSGroup),
			} {
				if diff != "" {
					t.Errorf("%s (-want +got):\n%s", what, diff)
				}
			}
			if got.RunAsNonRoot == nil || !*got.RunAsNonRoot {
				t.Error("the pod may run as root")
			}
		})
	}
}

func TestWhatTheOperatorHasWrittenStays(t *testing.T) {
	pod := corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"part": "member"}, Annotations: podspec.StayAnnotations()},
		Spec: corev1.PodSpec{
			Affinity:                  &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{}},
			TopologySpreadConstraints: []corev1.TopologySpreadConstraint{zone(corev1.DoNotSchedule, 9)},
		},
	}
	settings := podspec.Merge(podspec.BuiltIn(), &benchv1alpha1.PodSettings{
		Labels: map[string]string{"part": "mine", "sidecar.istio.io/inject": "true"},
		TopologySpreadConstraints: []corev1.TopologySpreadConstraint{
			zone(corev1.DoNotSchedule, 1), zone(corev1.ScheduleAnyway, 1),
		},
		Affinity: onArch("amd64"),
	})
	alike := map[string]string{"part": "member"}
	podspec.Apply(settings, &pod, alike)
	if pod.Labels["part"] != "member" || pod.Labels["sidecar.istio.io/inject"] != "true" {
		t.Errorf("labels %v", pod.Labels)
	}
	if pod.Annotations["karpenter.sh/do-not-disrupt"] != "true" || pod.Annotations["linkerd.io/inject"] != "disabled" {
		t.Errorf("annotations %v", pod.Annotations)
	}
	if pod.Spec.Affinity.PodAntiAffinity == nil || pod.Spec.Affinity.NodeAffinity == nil {
		t.Errorf("affinity %v", pod.Spec.Affinity)
	}
	spread := zone(corev1.ScheduleAnyway, 1)
	spread.LabelSelector = &metav1.LabelSelector{MatchLabels: alike}
	want := []corev1.TopologySpreadConstraint{zone(corev1.DoNotSchedule, 9), spread}
	if diff := cmp.Diff(want, pod.Spec.TopologySpreadConstraints); diff != "" {
		t.Errorf("constraints (-want +got):\n%s", diff)
	}
	if pod.Spec.NodeSelector[corev1.LabelOSStable] != "linux" {
		t.Errorf("node selector %v", pod.Spec.NodeSelector)
	}
}
