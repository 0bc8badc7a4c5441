package reason

import (
	"slices"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Condition is a condition of a kind.
type Condition struct{ Kind, Type string }

// Reason is one reason of some conditions. Two may have one name, where it means something else in another condition.
type Reason struct {
	// Name is what the condition holds.
	Name string
	// Of are the conditions that have it by themselves; see Described.Mirrors.
	Of []Condition
	// Meaning is the comment of the constant, and Remedy what to do; empty when there is nothing to be done.
	Meaning, Remedy string
}

// Described is a condition with what it says.
type Described struct {
	Condition
	// Says is the comment of the constant.
	Says string
	// Mirrors are the conditions whose reasons it takes over.
	Mirrors []Condition
}

const (
	run    = "BenchmarkRun"
	target = "BenchmarkTarget"
	suite  = "BenchmarkSuite"
)

var (
	runAccepted    = Condition{run, benchv1alpha1.RunAccepted}
	runAdmitted    = Condition{run, benchv1alpha1.RunAdmitted}
	runTargetReady = Condition{run, benchv1alpha1.RunTargetReady}
	runDataLoaded  = Condition{run, benchv1alpha1.RunDataLoaded}
	runProgressing = Condition{run, benchv1alpha1.RunProgressing}
	runSucceeded   = Condition{run, benchv1alpha1.RunSucceeded}
	runComplete    = Condition{run, benchv1alpha1.RunComplete}
	runTrusted     = Condition{run, benchv1alpha1.RunTrusted}
	runKept        = Condition{run, benchv1alpha1.RunObjectivesKept}
	targetAccepted = Condition{target, benchv1alpha1.TargetAccepted}
	targetReady    = Condition{target, benchv1alpha1.TargetReady}
	targetStalled  = Condition{target, benchv1alpha1.TargetStalled}
	suiteAccepted  = Condition{suite, benchv1alpha1.SuiteAccepted}
	suiteComplete  = Condition{suite, benchv1alpha1.SuiteComplete}
	suiteRegressed = Condition{suite, benchv1alpha1.SuiteRegressed}
	suitePassed    = Condition{suite, benchv1alpha1.SuitePassed}
)

// Conditions of all kinds, in the order in which they are decided.
var Conditions = []Described{
	{
		Condition: runAccepted,
		Says:      "says whether the specification makes sense as a whole",
	},
	{
		Condition: runAdmitted,
		Says:      "says whether it is the run's turn to start",
	},
	{
		Condition: runTargetReady,
		Says:      "says whether the target can be measured",
		Mirrors:   []Condition{targetReady},
	},
	{
		Condition: runDataLoaded,
		Says:      "says whether the dataset is loaded and counted",
	},
	{
		Condition: runProgressing,
		Says:      "says whether the run is under way; its reason is the stage",
	},
	{
		Condition: runSucceeded,
		Says:      "says how the run ended: True, False, and Unknown until then",
	},
	{
		Condition: runComplete,
		Says: "says whether the run has ended, with success or without: False until then, and True from the moment " +
			"at which Succeeded is True or False. It has the reason and the message of Succeeded then. It is " +
			"never taken back",
		Mirrors: []Condition{runSucceeded},
	},
	{
		Condition: runTrusted,
		Says:      "says whether to believe the numbers: True, False, and Unknown until there are any",
	},
	{
		Condition: runKept,
		Says: "says whether every objective of the run's steps was kept: True or False once they were measured. A run " +
			"without objectives does not have it",
	},
	{
		Condition: targetAccepted,
		Says:      "says whether the specification makes sense as a whole",
	},
	{
		Condition: targetReady,
		Says:      "says whether the target can be measured",
	},
	{
		Condition: targetStalled,
		Says:      "is True once the operator has given up: the reason is the cause",
		Mirrors:   []Condition{targetReady},
	},
	{
		Condition: suiteAccepted,
		Says:      "says whether the specification makes sense as a whole, including every variant's run",
	},
	{
		Condition: suiteComplete,
		Says: "says whether everything that the current content asks for is done. `kubectl wait` and GitOps tools " +
			"read it",
	},
	{
		Condition: suiteRegressed,
		Says: "says whether anything got worse: True, False if it is shown that nothing did by as much as matters, " +
			"or Unknown if neither is shown",
	},
	{
		Condition: suitePassed,
		Says: "says whether every run succeeded and no verdict is one that spec.failOn names. It has the reasons " +
			"of Regressed, or those of Complete if not all runs succeeded. Of a search it says whether a variant was found, " +
			"and has the outcome as its reason",
		Mirrors: []Condition{suiteRegressed, suiteComplete},
	},
}

// All are the reasons of all conditions.
var All = slices.Concat(ofRuns, doubts, ofTargets, ofSuites)

// Remedy is what to do about a reason; empty when there is nothing to be done.
func Remedy(name string) string {
	for _, known := range All {
		if known.Name == name && known.Remedy != "" {
			return known.Remedy
		}
	}
	return ""
}

// Doubts are the reasons with which a run is not to be trusted although it was measured.
func Doubts() []string {
	var names []string
	for _, doubt := range doubts {
		if doubt.Remedy != "" {
			names = append(names, doubt.Name)
		}
	}
	return names
}

// Known says whether a condition may have a reason.
func Known(c Condition, name string) bool {
	return slices.ContainsFunc(All, func(known Reason) bool {
		return known.Name == name && slices.ContainsFunc(known.Of, c.has)
	})
}

// has says whether a condition has the reasons of another one: it is that, or mirrors it.
func (c Condition) has(other Condition) bool {
	if c == other {
		return true
	}
	for _, described := range Conditions {
		if described.Condition == c {
			return slices.ContainsFunc(described.Mirrors, func(mirrored Condition) bool { return mirrored.has(other) })
		}
	}
	return false
}
