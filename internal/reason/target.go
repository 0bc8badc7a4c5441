package reason

import benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"

// ofTargets are those of a target alone.
var ofTargets = []Reason{
	{
		Name: benchv1alpha1.ReasonNotAccepted, Of: []Condition{targetReady},
		Meaning: "the specification is invalid; Accepted has the cause",
		Remedy:  "correct what the condition Accepted says",
	},
	{
		Name: benchv1alpha1.ReasonPodsStarting, Of: []Condition{targetReady},
		Meaning: "the members' pods are starting",
	},
	{
		Name: benchv1alpha1.ReasonTopologyPending, Of: []Condition{targetReady},
		Meaning: "the members run; the replica set and its users are being created",
	},
	{
		Name: benchv1alpha1.ReasonTopologyFailed, Of: []Condition{targetReady},
		Meaning: "the topology Job failed; the message is its last output, for example that no primary was elected in " +
			"time",
		Remedy: "the message is the output of the Job; look at the logs of the members",
	},
	{
		Name: benchv1alpha1.ReasonSecretNotFound, Of: []Condition{targetReady},
		Meaning: "the Secret of an external target, or the key within it, does not exist",
		Remedy:  "create the Secret that the message names, with its key",
	},
	{
		Name: benchv1alpha1.ReasonDoesNotFit, Of: []Condition{targetReady},
		Meaning: "the nodes cannot hold the members; the message has the arithmetic",
		Remedy:  "ask for less, or add nodes; the message has the arithmetic",
	},
	{
		Name: benchv1alpha1.ReasonProviderMissing, Of: []Condition{targetReady},
		Meaning: "another operator must deploy the target or its certificates, but its CRDs are not installed",
		Remedy:  "install the operator that the message names",
	},
	{
		Name: benchv1alpha1.ReasonProviderPending, Of: []Condition{targetReady},
		Meaning: "another operator is deploying the target or its certificates",
	},
	{
		Name: benchv1alpha1.ReasonProviderFailed, Of: []Condition{targetReady},
		Meaning: "another operator gave up; the message is its own",
		Remedy:  "the message is that of the other operator; look at its objects",
	},
	{
		Name: benchv1alpha1.ReasonMemberRestarting, Of: []Condition{targetReady},
		Meaning: "a member disappeared or is restarting, in a target that tolerates it",
	},
	{
		Name: benchv1alpha1.ReasonReady, Of: []Condition{targetReady},
		Meaning: "the target can be measured",
	},
	{
		Name: benchv1alpha1.ReasonMemberRestarted, Of: []Condition{targetReady},
		Meaning: "a member restarted after the target was ready; measurements before and after are not comparable",
		Remedy:  "find out what restarted the member (`kubectl get events`), and create the target again",
	},
	{
		Name: benchv1alpha1.ReasonNotStalled, Of: []Condition{targetStalled},
		Meaning: "the target is ready or still being deployed",
	},
}
