package product

import (
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Group is the sets of a target whose members play the same part.
type Group struct {
	// Set is the first of them; all have members alike.
	Set
	// Sets and Count are the numbers of sets and of members.
	Sets, Count int
}

// Groups joins sets whose members play the same part; such sets follow each other.
func Groups(sets []Set) []Group {
	var all []Group
	for i, s := range sets {
		if i == 0 || s.Component != sets[i-1].Component {
			all = append(all, Group{Set: s})
		}
		last := &all[len(all)-1]
		last.Sets, last.Count = last.Sets+1, last.Count+s.Members
	}
	return all
}

// KeptApart says whether no two members of a set may share a node. Routers are no replica set: any of them may be lost.
func (s Set) KeptApart(spec benchv1alpha1.BenchmarkTargetSpec) bool {
	return *spec.Placement.Spread == benchv1alpha1.SpreadRequired && s.Members > 1 && s.Volume != nil
}

// ShardsPerNode is the most members with measured data that one node may hold; 0 is no limit.
func ShardsPerNode(spec benchv1alpha1.BenchmarkTargetSpec) int {
	return int(ptr.Deref(spec.Placement.ShardsPerNode, 0))
}
