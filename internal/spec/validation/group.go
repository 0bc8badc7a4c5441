package validation

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// groups checks that every operation has a group and every group operations, and that no group waits for ever.
func (c stepCheck) groups() {
	for i := range c.step.Operations {
		named := c.step.Operations[i].Group
		path := c.path.Child("operations").Index(i).Child("group")
		switch {
		case len(c.step.Groups) == 0:
			c.Refuse(named != "", path, named, "the step has no groups")
		case named == "":
			c.Add(field.Required(path, "the step has groups: name the one whose threads send the operation"))
		default:
			c.Refuse(!slices.ContainsFunc(c.step.Groups, groupCalled(named)), path, named, "the step has no group of this name")
		}
	}
	pods, most := *c.spec.LoadGenerator.Pods, int32(0)
	for i := range c.step.Groups {
		most = max(most, *c.step.Groups[i].Threads)
	}
	c.Refuse(len(c.step.Groups) > 0 && most < pods, c.path.Child("groups"), most,
		"one of the groups must have at least as many threads as there are load pods, %d, so that every pod has a worker",
		pods)
	for i := range c.step.Groups {
		c.group(&c.step.Groups[i], c.path.Child("groups").Index(i))
	}
}

// groupCalled says whether a group has a name.
func groupCalled(name string) func(benchv1alpha1.Group) bool {
	return func(g benchv1alpha1.Group) bool { return g.Name == name }
}

func (c stepCheck) group(group *benchv1alpha1.Group, path *field.Path) {
	sends := func(o benchv1alpha1.Operation) bool { return o.Group == group.Name }
	c.Refuse(!slices.ContainsFunc(c.step.Operations, sends), path.Child("name"), group.Name,
		"no operation of the step has this group")
	c.schedule(group.Arrival, path.Child("arrival"))
	c.others(group, path)
	working := func(s benchv1alpha1.ThreadStage) bool { return *s.Threads > 0 || *s.FromThreads > 0 }
	c.Refuse(len(group.ThreadStages) > 0 && !slices.ContainsFunc(group.ThreadStages, working),
		path.Child("threadStages"), len(group.ThreadStages), "must have a stage with more than 0 threads")
	if group.StartAfterGroup == nil && c.step.DurationSeconds != nil {
		c.Refuse(*group.StartAfterSeconds >= *c.step.DurationSeconds, path.Child("startAfterSeconds"),
			*group.StartAfterSeconds, "must be less than the step's durationSeconds, %d: the group would never begin",
			*c.step.DurationSeconds)
	}
}

// others checks the groups that a group waits for.
func (c stepCheck) others(group *benchv1alpha1.Group, path *field.Path) {
	for name, other := range map[string]*string{
		"startAfterGroup": group.StartAfterGroup, "stopWithGroup": group.StopWithGroup,
	} {
		if other == nil {
			continue
		}
		at := slices.IndexFunc(c.step.Groups, groupCalled(*other))
		switch {
		case at < 0:
			c.Refuse(true, path.Child(name), *other, "the step has no group of this name")
		case *other == group.Name:
			c.Refuse(true, path.Child(name), *other, "a group cannot wait for itself")
		case *c.step.Groups[at].Threads < *c.spec.LoadGenerator.Pods:
			c.Refuse(true, path.Child(name), *other, "that group must have at least as many threads as there are load pods, "+
				"%d: each pod waits for its own part of it", *c.spec.LoadGenerator.Pods)
		case !c.ends(&c.step.Groups[at], nil):
			c.Refuse(true, path.Child(name), *other, "that group works until the end of the step: give it a durationSeconds, "+
				"an operationCount or a stopWithGroup that ends")
		}
	}
	after := ptr.Deref(group.StartAfterGroup, "")
	c.Refuse(after != group.Name && c.waitsForItself(group), path.Child("startAfterGroup"), after,
		"the groups wait for each other: none of them would begin")
}

// ends says whether a group ends before its step does. Seen are the groups that were asked for already.
func (c stepCheck) ends(group *benchv1alpha1.Group, seen []string) bool {
	if group.DurationSeconds != nil || group.OperationCount != nil {
		return true
	}
	if group.StopWithGroup == nil || slices.Contains(seen, group.Name) {
		return false
	}
	at := slices.IndexFunc(c.step.Groups, groupCalled(*group.StopWithGroup))
	return at >= 0 && c.ends(&c.step.Groups[at], append(seen, group.Name))
}

// waitsForItself says whether a group begins after one that begins after it.
func (c stepCheck) waitsForItself(group *benchv1alpha1.Group) bool {
	next := group
	for range c.step.Groups {
		if next.StartAfterGroup == nil {
			return false
		}
		at := slices.IndexFunc(c.step.Groups, groupCalled(*next.StartAfterGroup))
		if at < 0 {
			return false
		}
		if next = &c.step.Groups[at]; next.Name == group.Name {
			return true
		}
	}
	return false
}
