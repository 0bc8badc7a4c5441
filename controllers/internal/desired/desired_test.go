package desired_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
)

func statefulSet(change func(*appsv1.StatefulSet)) *appsv1.StatefulSet {
	set := &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Name: "s", Labels: map[string]string{"a": "b"}},
		Spec: appsv1.StatefulSetSpec{
			Replicas: new(int32(3)),
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{{
				Name: "mongod", Args: []string{"--port", "27017"},
				Resources: corev1.ResourceRequirements{
					Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1024Mi")},
				},
			}}}},
		},
	}
	change(set)
	return set
}

func role(change func(*rbacv1.Role)) *rbacv1.Role {
	r := &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Name: "r"},
		Rules:      []rbacv1.PolicyRule{{Verbs: []string{"get"}, Resources: []string{"configmaps"}, APIGroups: []string{""}}},
	}
	change(r)
	return r
}

func policy(change func(*networkingv1.NetworkPolicy)) *networkingv1.NetworkPolicy {
	p := &networkingv1.NetworkPolicy{Spec: networkingv1.NetworkPolicySpec{
		PodSelector: metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}},
	}}
	change(p)
	return p
}

func asIs[T any](*T) {}

func TestUpToDate(t *testing.T) {
	container := func(set *appsv1.StatefulSet) *corev1.Container { return &set.Spec.Template.Spec.Containers[0] }
	for name, tc := range map[string]struct {
		desired, observed desired.Object
		want              bool
	}{
		"the same": {statefulSet(asIs), statefulSet(asIs), true},
		"what the server filled in is left alone": {statefulSet(asIs), statefulSet(func(set *appsv1.StatefulSet) {
			set.UID, set.ResourceVersion, set.Status.Replicas = "u", "1", 3
			container(set).ImagePullPolicy = corev1.PullAlways
			set.Labels["theirs"] = "too"
			container(set).Resources.Limits[corev1.ResourceMemory] = resource.MustParse("1Gi")
		}), true},
		"a sidecar that a webhook put in is left alone": {statefulSet(asIs), statefulSet(func(set *appsv1.StatefulSet) {
			set.Spec.Template.Spec.Containers = append(set.Spec.Template.Spec.Containers, corev1.Container{Name: "proxy"})
		}), true},
		"a selector of pods with one requirement too many": {policy(asIs), policy(func(p *networkingv1.NetworkPolicy) {
			p.Spec.PodSelector.MatchExpressions = []metav1.LabelSelectorRequirement{{
				Key: "b", Operator: metav1.LabelSelectorOpExists,
			}}
		}), false},
		"a changed number": {statefulSet(asIs), statefulSet(func(set *appsv1.StatefulSet) {
			set.Spec.Replicas = new(int32(1))
		}), false},
		"a label that is gone": {
			statefulSet(asIs), statefulSet(func(set *appsv1.StatefulSet) { set.Labels = nil }), false,
		},
		"a changed argument": {statefulSet(asIs), statefulSet(func(set *appsv1.StatefulSet) {
			container(set).Args[1] = "27018"
		}), false},
		"a further argument": {statefulSet(asIs), statefulSet(func(set *appsv1.StatefulSet) {
			container(set).Args = append(container(set).Args, "--quiet")
		}), false},
		"a container that is gone": {statefulSet(asIs), statefulSet(func(set *appsv1.StatefulSet) {
			set.Spec.Template.Spec.Containers = nil
		}), false},
		"an owner that is gone": {
			statefulSet(func(set *appsv1.StatefulSet) { set.OwnerReferences = []metav1.OwnerReference{{UID: "u"}} }),
			statefulSet(asIs), false,
		},
		"a ConfigMap that others write into": {
			&corev1.ConfigMap{}, &corev1.ConfigMap{Data: map[string]string{"progress": "50"}}, true,
		},
		"a ConfigMap with another content": {
			&corev1.ConfigMap{Data: map[string]string{"a": "1"}}, &corev1.ConfigMap{Data: map[string]string{"a": "2"}}, false,
		},
		"the same rules": {role(asIs), role(asIs), true},
		"a further rule": {role(asIs), role(func(r *rbacv1.Role) {
			r.Rules = append(r.Rules, rbacv1.PolicyRule{Verbs: []string{"*"}})
		}), false},
		"a further verb": {role(asIs), role(func(r *rbacv1.Role) {
			r.Rules[0].Verbs = append(r.Rules[0].Verbs, "delete")
		}), false},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := desired.UpToDate(tc.desired, tc.observed)
			if err != nil || got != tc.want {
				t.Errorf("got %t, want %t, error %v", got, tc.want, err)
			}
		})
	}
}

// TestSameStatus compares statuses as the API server has them: it keeps whole seconds of times, and nothing of what is
// empty.
func TestSameStatus(t *testing.T) {
	run := func(change func(*benchv1alpha1.BenchmarkRun)) *benchv1alpha1.BenchmarkRun {
		made := &benchv1alpha1.BenchmarkRun{Status: benchv1alpha1.BenchmarkRunStatus{
			Conditions: []metav1.Condition{{Type: "A", LastTransitionTime: metav1.Unix(5, 0)}},
		}}
		change(made)
		return made
	}
	for name, tc := range map[string]struct {
		one, other desired.Object
		want       bool
	}{
		"the same": {run(asIs), run(asIs), true},
		"another specification": {run(asIs), run(func(r *benchv1alpha1.BenchmarkRun) {
			r.Spec.CleanupPolicy = new(benchv1alpha1.CleanupKeep)
		}), true},
		"a part of a second later": {run(asIs), run(func(r *benchv1alpha1.BenchmarkRun) {
			r.Status.Conditions[0].LastTransitionTime = metav1.Unix(5, 7)
		}), true},
		"a second later": {run(asIs), run(func(r *benchv1alpha1.BenchmarkRun) {
			r.Status.Conditions[0].LastTransitionTime = metav1.Unix(6, 0)
		}), false},
		"a list that is empty instead of none": {&benchv1alpha1.BenchmarkRun{}, &benchv1alpha1.BenchmarkRun{
			Status: benchv1alpha1.BenchmarkRunStatus{Conditions: []metav1.Condition{}},
		}, true},
		"no status any more": {run(asIs), &benchv1alpha1.BenchmarkRun{}, false},
		"another target": {&benchv1alpha1.BenchmarkTarget{}, &benchv1alpha1.BenchmarkTarget{
			Status: benchv1alpha1.BenchmarkTargetStatus{Conditions: []metav1.Condition{{Type: "A"}}},
		}, false},
		"another suite": {&benchv1alpha1.BenchmarkSuite{}, &benchv1alpha1.BenchmarkSuite{
			Status: benchv1alpha1.BenchmarkSuiteStatus{Conditions: []metav1.Condition{{Type: "A"}}},
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := desired.SameStatus(tc.one, tc.other)
			if err != nil || got != tc.want {
				t.Errorf("got %t, want %t, error %v", got, tc.want, err)
			}
		})
	}
}

func TestSameStatusOfAnotherKindIsAnError(t *testing.T) {
	if _, err := desired.SameStatus(statefulSet(asIs), statefulSet(asIs)); err == nil {
		t.Error("a StatefulSet was compared")
	}
}
