package doctor

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/estimate"
	"github.com/mongobench/mongobench-operator/internal/capacity"
)

// container is what one container of a run asks for, and may use.
type container struct {
	what             string
	requests, limits capacity.Amount
	// fixed says that no field of a run changes it.
	fixed bool
}

// containers are those of a run that says nothing about resources.
func containers() []container {
	topology, load := estimate.TopologyJob(), estimate.LoadPods(benchv1alpha1.BenchmarkRunSpec{})
	member := estimate.TargetPods(benchv1alpha1.BenchmarkTargetSpec{Topology: benchv1alpha1.TopologyStandalone})[0]
	return []container{
		{what: "the topology Job", requests: topology.Requests, limits: topology.Limits, fixed: true},
		{what: "a member of the default size", requests: member.Requests, limits: member.Limits},
		{what: "a load pod of the default size", requests: load.Requests, limits: load.Limits},
	}
}

// limitRanges tells what the API server would refuse of a run because of a LimitRange.
func limitRanges(o Observation) []Finding {
	return policies(policy[corev1.LimitRange]{"limit range", "LimitRange", limitRange}, o.Namespace, o.Limits)
}

func limitRange(check string, found *corev1.LimitRange) Finding {
	var always, byDefault []string
	for i := range found.Spec.Limits {
		item := &found.Spec.Limits[i]
		if item.Type == corev1.LimitTypePersistentVolumeClaim {
			byDefault = append(byDefault, claimed(item)...)
			continue
		}
		// A pod of a run has one container, so that what is said of pods and of containers is the same.
		for _, c := range containers() {
			refused := outside(c, item)
			if c.fixed {
				always = append(always, refused...)
			} else {
				byDefault = append(byDefault, refused...)
			}
		}
	}
	slices.Sort(byDefault)
	switch {
	case len(always) > 0:
		return fail(check, "change it: nothing in a run does", "%s", strings.Join(always, "; "))
	case len(byDefault) > 0:
		return warn(check, "set resources and storage.size of the target, or resources of the load generator", "%s",
			strings.Join(slices.Compact(byDefault), "; "))
	default:
		return ok(check, "pods and volumes of the default sizes are within it")
	}
}

// outside says in words by what a container is not within a limit.
func outside(c container, item *corev1.LimitRangeItem) []string {
	var refused []string
	asked, used := c.requests.List(), c.limits.List()
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		requests, limits := asked[name], used[name]
		if most, set := item.Max[name]; set && limits.Cmp(most) > 0 {
			refused = append(refused, fmt.Sprintf("%s may use %s of %s, and at most %s is allowed", c.what, &limits, name,
				&most))
		}
		if least, set := item.Min[name]; set && requests.Cmp(least) < 0 {
			refused = append(refused, fmt.Sprintf("%s asks for %s of %s, and at least %s is wanted", c.what, &requests, name,
				&least))
		}
		ratio, set := item.MaxLimitRequestRatio[name]
		if has := limits.AsApproximateFloat64() / requests.AsApproximateFloat64(); set && has > ratio.AsApproximateFloat64() {
			refused = append(refused, fmt.Sprintf(
				"%s has limits of %g times its requests of %s, and at most %s times is allowed", c.what, has, name, &ratio))
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
