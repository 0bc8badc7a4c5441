package estimate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/room"
	"github.com/mongobench/mongobench-operator/internal/capacity"
)

// Answer says whether pods fit on the nodes of a cluster.
type Answer string

// The answers.
const (
	// Yes: a place was found for every pod.
	Yes Answer = "yes"
	// NotNow: they would fit if nobody else were there.
	NotNow Answer = "not now"
	// No: they would not fit on empty nodes.
	No Answer = "no"
	// Perhaps: nothing speaks against it, and no place was found for every pod by trying.
	Perhaps Answer = "perhaps"
	// Unknown: the nodes or their pods could not be read.
	Unknown Answer = "unknown"
)

// Fit is an answer with its reason.
type Fit struct {
	Answer Answer `json:"answer"`
	Why    string `json:"why"`
}

// nodesNamed is how many nodes a reason names at most.
const nodesNamed = 8

// Fits looks for a place for every pod. It says no only for reasons that no scheduler gets round: parts are looked at
// one by one, and together as if a node could be cut to size.
func Fits(all []Pods, nodes room.Nodes) Fit {
	if len(nodes.All) == 0 {
		return Fit{No, "the cluster has no nodes"}
	}
	empty := func(node room.Node) capacity.Amount { return node.Has }
	if short := shortOf(all, nodes.All, empty); short != "" {
		return Fit{No, short}
	}
	if nodes.PodsUnknown != nil {
		return Fit{Unknown, "it does on empty nodes; what is taken of them this user may not see"}
	}
	if short := shortOf(all, nodes.All, room.Node.Free); short != "" {
		return Fit{NotNow, short}
	}
	if !tried(all, nodes.All) {
		return Fit{Perhaps, "there is room enough, and no place for every pod was found by trying"}
	}
	return Fit{Yes, "there is a place for every pod beside what is there"}
}

// shortOf says in words what nodes of which so much is free cannot hold; empty is nothing.
func shortOf(all []Pods, nodes []room.Node, free func(room.Node) capacity.Amount) string {
	var together, has capacity.Amount
	for _, pods := range all {
		fitting, said := 0, []string{}
		for _, node := range nodes {
			holds, why := pods.on(node, free(node))
			fitting += holds
			said = append(said, node.Name+": "+why)
		}
		if fitting < pods.Count {
			if more := len(said) - nodesNamed; more > 0 {
				said = append(said[:nodesNamed], fmt.Sprintf("and %d more nodes", more))
			}
			return fmt.Sprintf("%d of %d %s fit, each of which takes %s: %s", fitting, pods.Count, pods.Part, pods.each(),
				strings.Join(said, "; "))
		}
		together = together.Plus(pods.each().Times(pods.Count))
	}
	for _, node := range nodes {
		if node.Ready {
			has = has.Plus(free(node))
		}
	}
	if !has.Covers(together) {
		return fmt.Sprintf("all pods take %s together, and the nodes have %s", together, has)
	}
	return ""
}

// on is how many of the pods a node can hold of which so much is free, and how that comes.
func (p Pods) on(node room.Node, free capacity.Amount) (int, string) {
	if closed := node.Closed(p.where.selector, p.where.tolerations); closed != "" {
		return 0, "none, " + closed
	}
	each := p.each()
	free = free.Minus(capacity.Amount{CPUMillis: p.where.reservedMillis})
	holds := min(free.Holds(each), p.Count)
	if p.where.perNode > 0 {
		holds = min(holds, p.where.perNode)
	}
	return holds, fmt.Sprintf("%d (%s)", holds, free)
}

// tried puts every pod on the node that has the most CPU free, the largest pods first, as a scheduler might.
func tried(all []Pods, nodes []room.Node) bool {
	ordered := slices.SortedStableFunc(slices.Values(all), func(a, b Pods) int { return larger([]Pods{b}, []Pods{a}) })
	free := make([]capacity.Amount, len(nodes))
	for i, node := range nodes {
		free[i] = node.Free()
	}
	for _, pods := range ordered {
		held := make([]int, len(nodes))
		for range pods.Count {
			at := pods.place(nodes, free, held)
			if at < 0 {
				return false
			}
			free[at] = free[at].Minus(pods.each())
			held[at]++
		}
	}
	return true
}

// place is the index of the node that has the most CPU free among those that can hold one more of the pods; negative
// when none can. So many of them are held already.
func (p Pods) place(nodes []room.Node, free []capacity.Amount, held []int) int {
	one, best := p, -1
	one.Count = 1
	for i, node := range nodes {
		if p.where.perNode > 0 && held[i] >= p.where.perNode {
			continue
		}
		holds, _ := one.on(node, free[i])
		if holds > 0 && (best < 0 || free[i].CPUMillis > free[best].CPUMillis) {
			best = i
		}
	}
	return best
}
