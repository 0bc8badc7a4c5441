package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/estimate"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
)

// nodesShown is how many nodes have a line of their own.
const nodesShown = 32

// nodes tells what each node has and how much of it is free, and then whether one has room for a member.
func nodes(o Observation) []Finding {
	const check = "nodes"
	switch {
	case apierrors.IsForbidden(o.Nodes.Err):
		return []Finding{warn(check, "ask for the right to list nodes and pods of the cluster",
			"unknown: this user may not list them, and only the scheduler knows whether runs fit")}
	case o.Nodes.Err != nil:
		return []Finding{unseen(check, "the nodes", o.Nodes.Err)}
	case len(o.Nodes.Value.All) == 0:
		return []Finding{fail(check, "add one, or wait until the autoscaler does", "the cluster has none")}
	}
	all := o.Nodes.Value.All
	findings := make([]Finding, 0, min(len(all), nodesShown)+2)
	for _, node := range all[:min(len(all), nodesShown)] {
		findings = append(findings, nodeFinding(node, o.Nodes.Value.PodsUnknown))
	}
	if more := len(all) - nodesShown; more > 0 {
		findings = append(findings, ok(check, "%d more are not shown", more))
	}
	return append(findings, largest(all, o.Nodes.Value.PodsUnknown), kernels(all))
}

// kernels names the nodes on which a mongod of today does not even start.
func kernels(all []estimate.Node) Finding {
	const check = "kernel"
	var bad []string
	for _, node := range all {
		if firstOfToday.StopsOn(node.Kernel) {
			bad = append(bad, fmt.Sprintf("%s (%s)", node.Name, node.Kernel))
		}
	}
	if len(bad) == 0 {
		return ok(check, "no node has one that MongoDB stops on")
	}
	return warn(check, "upgrade them to 7.0.14 or later, or keep targets of MongoDB 8.0 and later off these nodes",
		"MongoDB %s and later stops at its start on Linux 6.19 to 7.0.13, which %s", firstOfToday,
		strings.Join(present.First(bad, nodesShown, "%d more"), ", ")+" have")
}

// firstOfToday is the first release that some kernels are bad for.
var firstOfToday = mongod.Release{Major: 8}

func nodeFinding(node estimate.Node, podsUnknown error) Finding {
	check := "node " + node.Name
	has := fmt.Sprintf("%s, kernel %s, for pods %s", node.Type, node.Kernel, node.Has)
	closed := node.Closed(nil, nil)
	switch {
	case !node.Ready:
		return warn(check, "see kubectl describe node "+node.Name, "%s: %s", has, closed)
	case podsUnknown != nil:
		return warn(check, "ask for the right to list the pods of all namespaces",
			"%s; unknown: what is taken of it, for pods may not be listed", has)
	}
	what := fmt.Sprintf("%s, of that %s free, %d of %d pods there", has, node.Free(), node.Taken.Pods, node.Has.Pods)
	if closed != "" {
		what += "; " + closed
	}
	return ok(check, "%s", what)
}

// largest wants a node that has room for a member of the default size.
func largest(all []estimate.Node, podsUnknown error) Finding {
	const check = "room"
	member := defaultMember().Requests
	member.Pods = 1
	fits, ever := 0, 0
	for _, node := range all {
		if node.Closed(nil, nil) != "" {
			continue
		}
		if node.Has.Covers(member) {
			ever++
		}
		if node.Free().Covers(member) {
			fits++
		}
	}
	asks := fmt.Sprintf("a member of the default size, which asks for %s", member)
	switch {
	case ever == 0:
		return fail(check, "add a node, or declare smaller resources", "no node that takes any pod can hold %s", asks)
	case podsUnknown != nil:
		return warn(check, "ask for the right to list the pods of all namespaces",
			"%d of %d nodes are large enough for %s; unknown: whether they have room", ever, len(all), asks)
	case fits == 0:
		return warn(check, "free something, or declare smaller resources",
			"%d of %d nodes are large enough for %s, and none has room now", ever, len(all), asks)
	default:
		return ok(check, "%d of %d nodes have room for %s", fits, len(all), asks)
	}
}

// defaultClass marks the class that volumes get which name none.
const defaultClass = "storageclass.kubernetes.io/is-default-class"

// storage wants a default class that chooses a volume's place together with that of its pod.
func storage(o Observation) Finding {
	const check = "storage class"
	if o.Classes.Err != nil {
		return unseen(check, "the StorageClasses", o.Classes.Err)
	}
	const name = "name one in storage.volumeClaimTemplate.spec.storageClassName of targets, or take storage.emptyDir"
	byDefault := defaults(o.Classes.Value)
	if len(byDefault) == 0 {
		return warn(check, name, "none of %d is the default: targets that name none wait for a volume in vain",
			len(o.Classes.Value))
	}
	class := byDefault[0]
	what := fmt.Sprintf("%s of %s is the default", class.Name, class.Provisioner)
	if class.ReclaimPolicy != nil && *class.ReclaimPolicy == corev1.PersistentVolumeReclaimRetain {
		what += "; it keeps volumes when a run is over (Retain), and you have to delete them yourself"
	}
	switch {
	case len(byDefault) > 1:
		var names []string
		for _, class := range byDefault {
			names = append(names, class.Name)
		}
		return warn(check, "leave the mark on one of them", "%d are marked as the default, and the youngest counts: %s",
			len(byDefault), strings.Join(names, ", "))
	case class.VolumeBindingMode == nil || *class.VolumeBindingMode != storagev1.VolumeBindingWaitForFirstConsumer:
		return warn(check, name, "%s; it binds at once, so that a volume may lie where its member does not fit", what)
	default:
		return ok(check, "%s; it binds where the member is put (WaitForFirstConsumer)", what)
	}
}

// defaults are the classes that are marked, the one that counts first.
func defaults(all []storagev1.StorageClass) []storagev1.StorageClass {
	marked := slices.DeleteFunc(slices.Clone(all), func(class storagev1.StorageClass) bool {
		return class.Annotations[defaultClass] != "true"
	})
	slices.SortFunc(marked, func(a, b storagev1.StorageClass) int {
		return cmp.Or(b.CreationTimestamp.Compare(a.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
	})
	return marked
}

// setting of a node's kernel that changes what is measured.
type setting struct {
	check string
	// words are in the warning that a mongod writes about it at its start; none when it never does.
	words []string
	// silent says that a mongod which writes warnings, and none about this, has found it right.
	silent bool
	// look is where on a node it is, and what it should be.
	look string
}

// settings are those of MongoDB's notes for production
// (https://www.mongodb.com/docs/manual/administration/production-notes/).
var settings = []setting{
	{
		check: "transparent huge pages", words: []string{"transparent_hugepage", "transparent huge pages"}, silent: true,
		look: "/sys/kernel/mm/transparent_hugepage/enabled: never or madvise up to MongoDB 7.0, always since 8.0",
	},
	{check: "swappiness", words: []string{"swappiness"}, look: "/proc/sys/vm/swappiness: 1, or 0"},
	{check: "CPU governor", look: "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor: performance"},
	{
		check: "overcommit", words: []string{"overcommit_memory"},
		look: "/proc/sys/vm/overcommit_memory: 1 since MongoDB 8.0, otherwise 0 or 1",
	},
	{
		check: "max_map_count", words: []string{"max_map_count"},
		look: "/proc/sys/vm/max_map_count: at least 128000, and twice the number of connections",
	},
	{
		check: "cgroup version",
		look:  "/sys/fs/cgroup/cgroup.controllers is there with version 2, whose limits mongod sees from 4.4.14 on",
	},
}

// evidence is what is known of a node: the youngest finished run all of whose pods ran on nodes like it.
type evidence struct {
	node string
	run  *benchv1alpha1.BenchmarkRun
}

// kernel tells of each setting what servers said of it at their start, and on which nodes none has said anything.
func kernel(o Observation) []Finding {
	findings := make([]Finding, 0, len(settings))
	known := evidenceOf(o.Nodes.Value.All, o.Runs.Value)
	for _, s := range settings {
		finding := s.judge(known)
		if o.Nodes.Err != nil || o.Runs.Err != nil {
			finding = s.unknown("it is told by what runs noted of nodes, and both may not be listed by this user")
		}
		findings = append(findings, finding)
	}
	return findings
}

func (s setting) advice() string { return "look on the nodes at " + s.look }

func (s setting) unknown(format string, arguments ...any) Finding {
	return warn(s.check, s.advice(), "unknown: "+format, arguments...)
}

// judge sorts the nodes by what is known of them, and tells the gravest.
func (s setting) judge(known []evidence) Finding {
	var warned, fine, unsaid, unmeasured []string
	said := ""
	for _, e := range known {
		if e.run == nil {
			unmeasured = append(unmeasured, e.node)
			continue
		}
		warning, spoke := s.warning(e.run)
		switch {
		case warning != "":
			warned = append(warned, e.node)
			said = fmt.Sprintf("mongod %s said in run %s: %s", e.run.Status.Server.Version, nameOfRun(e.run), warning)
		case s.silent && spoke:
			fine = append(fine, e.node)
		default:
			unsaid = append(unsaid, e.node)
		}
	}
	switch {
	case len(warned) > 0:
		return warn(s.check, s.advice(), "on nodes like %s %s", strings.Join(warned, ", "), said)
	case len(unmeasured) > 0:
		return warn(s.check, s.advice(), "unknown: no run has been measured on node %s yet", strings.Join(unmeasured, ", "))
	case len(unsaid) > 0:
		return warn(s.check, s.advice(), "unknown: runs on nodes like %s do not tell it", strings.Join(unsaid, ", "))
	case len(fine) > 0:
		return ok(s.check, "the servers of runs on nodes like %s found nothing wrong with it", strings.Join(fine, ", "))
	default:
		return warn(s.check, s.advice(), "unknown: there are no nodes")
	}
}

// warning is what the server of a run said about the setting, and whether it said anything at all: one that did not
// may not have been asked.
func (s setting) warning(run *benchv1alpha1.BenchmarkRun) (text string, spoke bool) {
	for _, warning := range run.Status.Server.StartupWarnings {
		lower := strings.ToLower(warning)
		if slices.ContainsFunc(s.words, func(word string) bool { return strings.Contains(lower, word) }) {
			return warning, true
		}
	}
	return "", len(run.Status.Server.StartupWarnings) > 0
}

func nameOfRun(run *benchv1alpha1.BenchmarkRun) string { return run.Namespace + "/" + run.Name }

// evidenceOf finds for each node the youngest run that tells of it. A run does not note the names of its nodes, only
// their types and kernels: one that was on several kinds of them tells of none.
func evidenceOf(nodes []estimate.Node, runs []benchv1alpha1.BenchmarkRun) []evidence {
	known := make([]evidence, 0, len(nodes))
	for _, node := range nodes {
		found := evidence{node: node.Name}
		for i := range runs {
			run := &runs[i]
			if tells(run, node) && (found.run == nil || ended(found.run).Before(ended(run))) {
				found.run = run
			}
		}
		known = append(known, found)
	}
	return known
}

func tells(run *benchv1alpha1.BenchmarkRun, node estimate.Node) bool {
	noted := run.Status.Fingerprint
	return run.Status.Result != nil && noted != nil && run.Status.Server != nil &&
		slices.Equal(noted.NodeTypes, []string{node.Type}) && slices.Equal(noted.Kernels, []string{node.Kernel}) &&
		ended(run).After(node.Created)
}

// ended is when a run did.
func ended(run *benchv1alpha1.BenchmarkRun) time.Time {
	if succeeded := apimeta.FindStatusCondition(run.Status.Conditions, benchv1alpha1.RunSucceeded); succeeded != nil {
		return succeeded.LastTransitionTime.Time
	}
	return run.CreationTimestamp.Time
}
