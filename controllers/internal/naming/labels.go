package naming

import "maps"

// Labels of everything that the operator makes.
const (
	ManagedByLabel = "app.kubernetes.io/managed-by"
	NameLabel      = "app.kubernetes.io/name"
	ComponentLabel = "app.kubernetes.io/component"
	TargetLabel    = "mongobench.dev/target"
	RunLabel       = "mongobench.dev/run"

	// ManagedBy and Name are the values of the first two.
	ManagedBy = "mongobench-operator"
	Name      = "mongobench"
)

// Component is the part that an object plays, the value of ComponentLabel.
type Component string

// The parts that objects play.
const (
	ComponentMongod   Component = "mongod"
	ComponentTopology Component = "topology"
	ComponentLoad     Component = "load"
	ComponentPlan     Component = "plan"
	ComponentGate     Component = "gate"
	ComponentReport   Component = "report"
	// ComponentTarget is the BenchmarkTarget that a run makes for itself.
	ComponentTarget Component = "target"
)

// ForTarget are the labels of an object that belongs to a target.
func ForTarget(target string, component Component) map[string]string {
	return labels(SelectTarget(target), component)
}

// ForRun are the labels of an object that belongs to a run.
func ForRun(run string, component Component) map[string]string {
	return labels(SelectRun(run), component)
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

func labels(owner map[string]string, component Component) map[string]string {
	all := maps.Clone(owner)
	all[NameLabel] = Name
	all[ComponentLabel] = string(component)
	return all
}
