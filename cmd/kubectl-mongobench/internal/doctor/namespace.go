package doctor

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/capacity"
)

// enforceLabel has the Pod Security level that a namespace refuses pods by.
const enforceLabel = "pod-security.kubernetes.io/enforce"

// namespace wants one in which pods of runs are let in.
func namespace(o Observation) Finding {
	const check = "namespace"
	level := o.Space.Value.Labels[enforceLabel]
	switch {
	case apierrors.IsNotFound(o.Space.Err):
		return fail(check, "kubectl create namespace "+o.Namespace, "there is no namespace %s", o.Namespace)
	case apierrors.IsForbidden(o.Space.Err):
		return warn(check, "ask someone with the right to check", "unknown: this user may not get namespace %s", o.Namespace)
	case o.Space.Err != nil:
		return unseen(check, "namespace "+o.Namespace, o.Space.Err)
	case o.Space.Value.Status.Phase == corev1.NamespaceTerminating:
		return fail(check, "take another one with -n", "%s is being deleted", o.Namespace)
	case level == "":
		return ok(check, "%s has no Pod Security level of its own; pods of runs pass the strictest, restricted", o.Namespace)
	default:
		return ok(check, "%s has the Pod Security level %s; pods of runs pass the strictest, restricted", o.Namespace, level)
	}
}

// smallRun is what a run takes that says nothing about resources: a standalone, a load pod and the topology Job.
func smallRun() corev1.ResourceList {
	var requests, limits capacity.Amount
	for _, c := range containers() {
		requests, limits = requests.Plus(c.requests), limits.Plus(c.limits)
	}
	asked, used := requests.List(), limits.List()
	return corev1.ResourceList{
		corev1.ResourceCPU: asked[corev1.ResourceCPU], corev1.ResourceRequestsCPU: asked[corev1.ResourceCPU],
		corev1.ResourceMemory: asked[corev1.ResourceMemory], corev1.ResourceRequestsMemory: asked[corev1.ResourceMemory],
		corev1.ResourceLimitsCPU: used[corev1.ResourceCPU], corev1.ResourceLimitsMemory: used[corev1.ResourceMemory],
		corev1.ResourcePods:                   resource.MustParse("3"),
		corev1.ResourcePersistentVolumeClaims: resource.MustParse("1"),
		corev1.ResourceRequestsStorage:        benchv1alpha1.DefaultStorageSize,
	}
}

// quotas tells whether a run of the default sizes still fits into every ResourceQuota.
func quotas(o Observation) []Finding {
	return policies(policy[corev1.ResourceQuota]{"quota", "ResourceQuota", quota}, o.Namespace, o.Quotas)
}

func quota(check string, found *corev1.ResourceQuota) Finding {
	var never, now, left []string
	for name, needs := range smallRun() {
		hard, limited := found.Spec.Hard[name]
		if !limited {
			continue
		}
		free := hard.DeepCopy()
		free.Sub(found.Status.Used[name])
		switch {
		case hard.Cmp(needs) < 0:
			never = append(never, fmt.Sprintf("%s of %s, and the smallest run takes %s", &hard, name, &needs))
		case free.Cmp(needs) < 0:
			now = append(now, fmt.Sprintf("%s of %s, and the smallest run takes %s", &free, name, &needs))
		default:
			left = append(left, fmt.Sprintf("%s of %s", &free, name))
		}
	}
	for _, words := range [][]string{never, now, left} {
		slices.Sort(words)
	}
	switch {
	case len(never) > 0:
		return fail(check, "raise it, or make the target and the load pods smaller than their defaults",
			"it allows only %s", strings.Join(never, "; "))
	case len(now) > 0:
		return warn(check, "free something, or wait", "it leaves only %s", strings.Join(now, "; "))
	case len(left) == 0:
		return ok(check, "it limits nothing that a run takes")
	default:
		return ok(check, "it leaves %s", strings.Join(left, ", "))
	}
}
