package queue

import (
	"cmp"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// Kind is what waits.
type Kind int

const (
	// KindRun is a run, from its admission to its end.
	KindRun Kind = iota
	// KindTarget is a target that somebody made by itself, while it is being deployed.
	KindTarget
)

// State is what a version of a run or target says of its place.
type State int

const (
	// Out is neither in the line nor admitted: suspended, cancelled, being deleted before its turn, or at its end.
	Out State = iota
	// Waiting is in the line.
	Waiting
	// Admitted holds a place, as its status says.
	Admitted
)

// Run is one version of a run, or of a target, as far as the queue is concerned.
type Run struct {
	Kind Kind
	Name types.NamespacedName
	UID  types.UID
	// Version is the resource version. What an older one says than is known already is not heeded.
	Version string
	// Created and then the name are the order of the line of a namespace.
	Created time.Time
	// Since is when it had its turn, as its status says, also of one that has ended; zero when that is not known.
	Since time.Time
	// Group is the line that the run waits in, in the words that people are told.
	Group string
	// Named says that the group is one that runs name. Any other is the pool of the nodes of their targets, and pools
	// that may have a node in common are like one.
	Named bool
	// Pool has the labels that a node must have for the members of the target.
	Pool map[string]string
	// Max is how many of the group may be admitted at once, this one among them. 0: no limit.
	Max int
	// PoolMax is how many of all namespaces may be admitted at once on nodes that this one may use too, before it
	// is, whatever their groups: what a namespace allows itself, it does not allow others. 0: no limit.
	PoolMax int
	// Target is the name of the target of a run, in its namespace, or that of the target itself. Baseline is the name of
	// the other target of a run with a duet; empty: there is none.
	Target, Baseline string
	// Locks are what no two runs may have at once, unless both share it: the databases of the targets that others may
	// refer to.
	Locks  []string
	Shares bool
	State  State
}

// key tells a run from a target of its name.
type key struct {
	kind Kind
	name types.NamespacedName
}

func (r Run) key() key { return key{r.Kind, r.Name} }

// targets are the keys of the targets that a run refers to, or its own.
func (r Run) targets() []key {
	var keys []key
	for _, name := range []string{r.Target, r.Baseline} {
		if name != "" {
			keys = append(keys, key{KindTarget, types.NamespacedName{Namespace: r.Name.Namespace, Name: name}})
		}
	}
	return keys
}

// compare is the order of the line of a namespace.
func compare(a, b Run) int {
	return cmp.Or(
		a.Created.Compare(b.Created),
		cmp.Compare(a.Name.Namespace, b.Name.Namespace),
		cmp.Compare(a.Name.Name, b.Name.Name),
		cmp.Compare(a.Kind, b.Kind),
	)
}

// newer says whether a is a later version than b. Versions that cannot be compared count as the later one.
func newer(a, b Run) bool {
	order, err := resourceversion.CompareResourceVersion(a.Version, b.Version)
	return err != nil || order > 0
}

// older says whether a is an earlier version than b.
func older(a, b Run) bool {
	order, err := resourceversion.CompareResourceVersion(a.Version, b.Version)
	return err == nil && order < 0
}
