package reason

import benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"

// doubts are those of the condition Trusted.
var doubts = []Reason{
	{
		Name: benchv1alpha1.ReasonNotMeasured, Of: []Condition{runTrusted},
		Meaning: "there are no numbers yet, or none at all",
	},
	{
		Name: benchv1alpha1.ReasonNoConcern, Of: []Condition{runTrusted},
		Meaning: "none of the checks found a reason for doubt",
	},
	{
		Name: benchv1alpha1.ReasonPartial, Of: []Condition{runTrusted},
		Meaning: "the run did not come to its end, so the figures are of only a part of what was to be measured",
		Remedy:  "remove the cause, and repeat the run",
	},
	{
		Name: benchv1alpha1.ReasonElection, Of: []Condition{runTrusted},
		Meaning: "while a step was measured a replica set elected a primary, or lost a member, and no action of the " +
			"step asked for it",
		Remedy: "the servers' logs say why; repeat the run",
	},
	{
		Name: benchv1alpha1.ReasonGeneratorSaturated, Of: []Condition{runTrusted},
		Meaning: "a load pod used nearly all of its available CPU, or its CPU limit stopped it for part of the time, " +
			"so the load generator, not the server, may have been the limit",
		Remedy: "more CPU or more pods: the load generator, not the server, may have been the limit",
	},
	{
		Name: benchv1alpha1.ReasonGeneratorLate, Of: []Condition{runTrusted},
		Meaning: "the load generator noticed replies, or sent operations, so late that its own delay is a part of the " +
			"reported percentiles that matters, or of when an open loop's operations were sent",
		Remedy: "what the message says: more CPU, more pods, or a machine with nothing else to do",
	},
	{
		Name: benchv1alpha1.ReasonGatewaySaturated, Of: []Condition{runTrusted},
		Meaning: "the gateway between load pods and database used nearly all of its CPU, was stopped by its limit, had " +
			"requests wait for its pool, or was lost, so it, not the database, may have been the limit",
		Remedy: "more CPU, a larger pool or more processes for the gateway",
	},
	{
		Name: benchv1alpha1.ReasonTooFewThreads, Of: []Condition{runTrusted},
		Meaning: "the latencies of an open loop are to a part that matters the wait for a free thread",
		Remedy:  "more threads",
	},
	{
		Name: benchv1alpha1.ReasonServerThrottled, Of: []Condition{runTrusted},
		Meaning: "the CPU limit of a server cut into its bursts, although it used well below that limit on the whole, " +
			"so that the highest percentiles are waits for the limit",
		Remedy: "a higher CPU limit for the target: one that holds what several threads use at once",
	},
	{
		Name: benchv1alpha1.ReasonStartSkew, Of: []Condition{runTrusted},
		Meaning: "load pods started a step too far apart",
		Remedy:  "synchronise the nodes' clocks, and see whether their CPUs are free",
	},
	{
		Name: benchv1alpha1.ReasonClockStepped, Of: []Condition{runTrusted},
		Meaning: "the clock of a load pod's machine was set while a step went on",
		Remedy: "see what sets the clock: a time service that lost its source, a virtual machine that was stopped; " +
			"repeat the run",
	},
	{
		Name: benchv1alpha1.ReasonOperationErrors, Of: []Condition{runTrusted},
		Meaning: "an operation never succeeded, or more than one in a hundred of it failed, or more than its highest " +
			"percentile leaves: one in a thousand where p99.9 is shown",
		Remedy: "see the error classes in the report, each with its first message",
	},
	{
		Name: benchv1alpha1.ReasonUnexpectedDocuments, Of: []Condition{runTrusted},
		Meaning: "operations came upon more or fewer documents than expected, such as reads by key that found nothing",
		Remedy:  "check the filter, and what earlier steps deleted; or say in `expect` what is right",
	},
	{
		Name: benchv1alpha1.ReasonChecksFailed, Of: []Condition{runTrusted},
		Meaning: "a check of a part of a flow did not hold",
		Remedy:  "see in the report which; correct the data, or what the check takes for granted",
	},
	{
		Name: benchv1alpha1.ReasonLowRecall, Of: []Condition{runTrusted},
		Meaning: "an approximate operation had less of the exact answers than recall.minPercent wants, or the two could " +
			"not be compared",
		Remedy: "let the search look at more candidates, which takes longer; see in the report why nothing was compared",
	},
	{
		Name: benchv1alpha1.ReasonScheduleNotKept, Of: []Condition{runTrusted},
		Meaning: "operations of an open loop were dropped, or sent only after the end of their step",
		Remedy:  "a lower rate, or more threads",
	},
	{
		Name: benchv1alpha1.ReasonSearchLimited, Of: []Condition{runTrusted},
		Meaning: "a search did not find the limit of the target: the load generator or its threads were the limit " +
			"before, or the time was over",
		Remedy: "what was found is a lower bound: more CPU or load pods, more threads, or more `maxSeconds`",
	},
	{
		Name: benchv1alpha1.ReasonConnectionPoolWaits, Of: []Condition{runTrusted},
		Meaning: "part of the service time was spent waiting for a connection from a pool that has one for each thread",
		Remedy: "look at errors, and at what closes connections. With `Application` a wait for the pool is what the " +
			"application would see: the result says the pool's size and the wait",
	},
	{
		Name: benchv1alpha1.ReasonConnectionsLost, Of: []Condition{runTrusted},
		Meaning: "the server closed idle connections that were to be open during a step",
		Remedy:  "see in the server's log why, and its limit of connections (`net.maxIncomingConnections`)",
	},
	{
		Name: benchv1alpha1.ReasonCoarsePercentiles, Of: []Condition{runTrusted},
		Meaning: "the report was too large, so the percentiles in it are off by up to 4 %",
		Remedy:  "fewer steps or operations in one run",
	},
	{
		Name: benchv1alpha1.ReasonWritesUnaccounted, Of: []Condition{runTrusted},
		Meaning: "some unacknowledged writes did not arrive, or it is unknown whether they did",
		Remedy:  "have the writes acknowledged and look at the errors; make sure that no other client writes",
	},
	{
		Name: benchv1alpha1.ReasonImbalance, Of: []Condition{runTrusted},
		Meaning: "the shares of a collection on the shards differ by more than its maxImbalancePercent allows",
		Remedy:  "another shard key, split points or initial chunks, or a balancer that is Enabled",
	},
	{
		Name: benchv1alpha1.ReasonActionFailed, Of: []Condition{runTrusted},
		Meaning: "an action of a step could not be carried out, so the step does not show its effect",
		Remedy:  "read the message; [faults](../how-to/faults.md) lists what each action needs",
	},
	{
		Name: benchv1alpha1.ReasonPacedMix, Of: []Condition{runTrusted},
		Meaning: "in a closed loop, operations that are at most one in a hundred took half of the threads' time or " +
			"more, so that the throughput of the others is set by them",
		Remedy: "a group or a step apart for the slow operations; or an arrival rate; or more threads",
	},
	{
		Name: benchv1alpha1.ReasonNotSteady, Of: []Condition{runTrusted},
		Meaning: "the throughput of a step varied or drifted until its end",
		Remedy:  "a longer warm-up or window; look at what the servers do",
	},
	{
		Name: benchv1alpha1.ReasonSharedNode, Of: []Condition{runTrusted},
		Meaning: "load pods shared nodes with members although others would have taken them, or members shared theirs " +
			"with pods of other runs or targets while they were measured",
		Remedy: "`loadGenerator.separation: Required`; delete targets that are kept and not needed; nodes of their " +
			"own for servers",
	},
}
