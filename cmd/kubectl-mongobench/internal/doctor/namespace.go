package doctor

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/estimate"
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
	for _, pods := range defaultPods() {
		requests, limits = requests.Plus(pods.Requests), limits.Plus(pods.Limits)
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

// quota tells whether a run of the default sizes still fits into a ResourceQuota.
func quota(found *corev1.ResourceQuota) Finding {
	check := "quota " + found.Name
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

// policies has a finding for each object of a kind by which the namespace keeps pods out, and one when there is none or
// they could not be read.
func policies[T any](o Observation, check, kind string, all Read[[]T], examine func(*T) Finding) []Finding {
	if all.Err != nil {
		return []Finding{unseen(check, "the "+kind+"s of namespace "+o.Namespace, all.Err)}
	}
	if len(all.Value) == 0 {
		return []Finding{ok(check, "namespace %s has no %s", o.Namespace, kind)}
	}
	found := make([]Finding, 0, len(all.Value))
	for i := range all.Value {
		found = append(found, examine(&all.Value[i]))
	}
	return found
}

// rightsOf tells for each command whether the user may do what it does.
func rightsOf(o Observation) []Finding {
	const check = "rights"
	if o.Rights.Err != nil {
		return []Finding{unseen(check, "what this user may do", o.Rights.Err)}
	}
	var commands []string
	missing := map[string][]string{}
	for _, right := range o.Rights.Value {
		if !slices.Contains(commands, right.Command) {
			commands = append(commands, right.Command)
		}
		if !right.Allowed {
			missing[right.Command] = append(missing[right.Command], right.Verb+" "+right.Resource)
		}
	}
	findings := make([]Finding, 0, len(commands))
	for _, command := range commands {
		finding := ok(check+" for "+command, "this user may do all of it in namespace %s", o.Namespace)
		if lacks := missing[command]; len(lacks) > 0 {
			finding = fail(finding.Check, fmt.Sprintf(
				"let an administrator bind the cluster's role edit in namespace %s, to which the chart adds these", o.Namespace),
				"this user may not %s", strings.Join(lacks, ", "))
		}
		findings = append(findings, finding)
	}
	return findings
}

// topologyJob is the only pod that no field of a run changes.
const topologyJob = "the topology Job"

// defaultPods are those of a run that says nothing about resources, by their names here. Each has one container.
func defaultPods() map[string]estimate.Pods {
	return map[string]estimate.Pods{
		topologyJob: estimate.TopologyJob(benchv1alpha1.BenchmarkTargetSpec{}),

		"a member of the default size":   defaultMember(),
		"a load pod of the default size": estimate.LoadPods(benchv1alpha1.BenchmarkRunSpec{}),
	}
}

// defaultMember is a member of the default size.
func defaultMember() estimate.Pods {
	return estimate.TargetPods(benchv1alpha1.BenchmarkTargetSpec{MongoDB: &benchv1alpha1.MongoDBTarget{}})[0]
}

// limitRange tells what the API server would refuse of a run because of a LimitRange.
func limitRange(found *corev1.LimitRange) Finding {
	check := "limit range " + found.Name
	var always, byDefault []string
	for i := range found.Spec.Limits {
		item := &found.Spec.Limits[i]
		if item.Type == corev1.LimitTypePersistentVolumeClaim {
			byDefault = append(byDefault, claimed(item)...)
			continue
		}
		// A pod of a run has one container, so that what is said of pods and of containers is the same.
		for what, pods := range defaultPods() {
			into := &byDefault
			if what == topologyJob {
				into = &always
			}
			*into = append(*into, outside(what, pods, item)...)
		}
	}
	slices.Sort(byDefault)
	switch {
	case len(always) > 0:
		return fail(check, "change it: nothing in a run does", "%s", strings.Join(always, "; "))
	case len(byDefault) > 0:
		return warn(check, "set resources and the size of storage of the target, or resources of the load generator", "%s",
			strings.Join(slices.Compact(byDefault), "; "))
	default:
		return ok(check, "pods and volumes of the default sizes are within it")
	}
}

// outside says in words by what pods are not within a limit.
func outside(what string, pods estimate.Pods, item *corev1.LimitRangeItem) []string {
	var refused []string
	say := func(format string, arguments ...any) {
		refused = append(refused, what+" "+fmt.Sprintf(format, arguments...))
	}
	asked, used := pods.Requests.List(), pods.Limits.List()
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		requests, limits := asked[name], used[name]
		if most, set := item.Max[name]; set && limits.Cmp(most) > 0 {
			say("may use %s of %s, and at most %s is allowed", &limits, name, &most)
		}
		if least, set := item.Min[name]; set && requests.Cmp(least) < 0 {
			say("asks for %s of %s, and at least %s is wanted", &requests, name, &least)
		}
		ratio, set := item.MaxLimitRequestRatio[name]
		if has := limits.AsApproximateFloat64() / requests.AsApproximateFloat64(); set && has > ratio.AsApproximateFloat64() {
			say("has limits of %g times its requests of %s, and at most %s times is allowed", has, name, &ratio)
		}
	}
	return refused
}

func claimed(item *corev1.LimitRangeItem) []string {
	size := benchv1alpha1.DefaultStorageSize
	if most, set := item.Max[corev1.ResourceStorage]; set && size.Cmp(most) > 0 {
		return []string{fmt.Sprintf("a volume of the default size has %s, and at most %s is allowed", &size, &most)}
	}
	if least, set := item.Min[corev1.ResourceStorage]; set && size.Cmp(least) < 0 {
		return []string{fmt.Sprintf("a volume of the default size has %s, and at least %s is wanted", &size, &least)}
	}
	return nil
}
