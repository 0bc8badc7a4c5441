package naming

import (
	"maps"
)

// Labels of everything that the operator makes.
const (
	ManagedByLabel = "app.kubernetes.io/managed-by"
	NameLabel      = "app.kubernetes.io/name"
	ComponentLabel = "app.kubernetes.io/component"
	TargetLabel    = "mongobench.dev/target"
	RunLabel       = "mongobench.dev/run"
	SuiteLabel     = "mongobench.dev/suite"
	// SetLabel has the name of the set that a member belongs to.
	SetLabel = "mongobench.dev/set"
	// MemberLabel has the name of the target that a pod is a member of: it serves requests, and nothing else does.
	MemberLabel = "mongobench.dev/member-of"
	// PartitionedLabel is on a member that is cut off; the target's own NetworkPolicy then does not speak for it.
	PartitionedLabel = "mongobench.dev/partitioned"
	// ClientLabel has the name of the target whose members a load pod may reach.
	ClientLabel = "mongobench.dev/client-of"

	// ManagedBy and Name are the values of the first two.
	ManagedBy = "mongobench-operator"
	Name      = "mongobench"
)

// Component is the part that an object plays, the value of ComponentLabel.
type Component string

// The parts that objects play.
const (
	// ComponentMongod holds data; ComponentConfig and ComponentMongos are the other parts of a sharded cluster.
	ComponentMongod   Component = "mongod"
	ComponentConfig   Component = "config-server"
	ComponentMongos   Component = "mongos"
	ComponentTopology Component = "topology"
	ComponentLoad     Component = "load"
	ComponentPlan     Component = "plan"
	ComponentGate     Component = "gate"
	ComponentReport   Component = "report"
	// ComponentPartition cuts members off.
	ComponentPartition Component = "partition"
	// ComponentTarget is the BenchmarkTarget that a run makes for itself.
	ComponentTarget Component = "target"
	// ComponentSuiteResult holds the samples and the comparison of one revision of a suite, and ComponentSuiteHistory the
	// figures of many.
	ComponentSuiteResult  Component = "suite-result"
	ComponentSuiteHistory Component = "suite-history"
)

// ForTarget are the labels of an object that belongs to a target.
func ForTarget(target string, component Component) map[string]string {
	return labels(SelectTarget(target), component)
}

// ForRun are the labels of an object that belongs to a run.
func ForRun(run string, component Component) map[string]string {
	return labels(SelectRun(run), component)
}

// ForSuite are the labels of an object that belongs to a suite.
func ForSuite(name string, component Component) map[string]string {
	return labels(SelectSuite(name), component)
}

// SelectSuite are the labels that find everything that belongs to a suite.
func SelectSuite(name string) map[string]string {
	return map[string]string{ManagedByLabel: ManagedBy, SuiteLabel: name}
}

// SelectTarget are the labels that find everything that belongs to a target.
func SelectTarget(target string) map[string]string {
	return map[string]string{ManagedByLabel: ManagedBy, TargetLabel: target}
}

// SelectRun are the labels that find everything that belongs to a run.
func SelectRun(run string) map[string]string {
	return map[string]string{ManagedByLabel: ManagedBy, RunLabel: run}
}

// SelectComponent are the labels that find one part of a target, as a StatefulSet's selector does.
func SelectComponent(target string, component Component) map[string]string {
	selector := SelectTarget(target)
	selector[ComponentLabel] = string(component)
	return selector
}

// ForMember are the labels of the pods of one of a target's sets.
func ForMember(target, set string, component Component) map[string]string {
	all := ForTarget(target, component)
	all[SetLabel] = set
	all[MemberLabel] = target
	return all
}

// SelectMembers are the labels that find the members of a target, of all sets, and none of its other pods.
func SelectMembers(target string) map[string]string {
	return map[string]string{MemberLabel: target}
}

// SelectSet are the labels that find the members of one set of a target.
func SelectSet(target, set string, component Component) map[string]string {
	selector := SelectComponent(target, component)
	selector[SetLabel] = set
	return selector
}

func labels(owner map[string]string, component Component) map[string]string {
	all := maps.Clone(owner)
	all[NameLabel] = Name
	all[ComponentLabel] = string(component)
	return all
}
