package doctor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/room"
)

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
	{
		check: "swappiness", words: []string{"swappiness"},
		look: "/proc/sys/vm/swappiness: 1, or 0",
	},
	{
		check: "CPU governor",
		look:  "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor: performance",
	},
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
	if o.Nodes.Err != nil || o.Runs.Err != nil {
		for _, s := range settings {
			findings = append(findings, warn(s.check, s.advice(),
				"unknown: it is told by what runs noted of nodes, and both may not be listed by this user"))
		}
		return findings
	}
	known := evidenceOf(o.Nodes.Value.All, o.Runs.Value)
	for _, s := range settings {
		findings = append(findings, s.judge(known))
	}
	return findings
}

func (s setting) advice() string { return "look on the nodes at " + s.look }

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
func evidenceOf(nodes []room.Node, runs []benchv1alpha1.BenchmarkRun) []evidence {
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

func tells(run *benchv1alpha1.BenchmarkRun, node room.Node) bool {
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
