package doctor

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/estimate"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/room"
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
	return append(findings, largest(all, o.Nodes.Value.PodsUnknown))
}

func nodeFinding(node room.Node, podsUnknown error) Finding {
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
func largest(all []room.Node, podsUnknown error) Finding {
	const check = "room"
	member := estimate.TargetPods(benchv1alpha1.BenchmarkTargetSpec{
		Topology: benchv1alpha1.TopologyStandalone,
	})[0].Requests
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
