package v1alpha1_test

// withStep is a step with these settings besides its name and operations.
func withStep(settings string) changes {
	return changes{"spec.workload.steps.0": "{name: read, operations: [{name: read, kind: FindOne}], " + settings + "}"}
}

// aRecording is where a replay reads.
const aRecording = "recording: {configMap: {name: c, key: k}}"

// pushedWith are load pods that send figures with a label.
func pushedWith(label string) string {
	return "{push: [{url: \"http://receiver/\", protocol: OTLP}], pushLabels: {" + label + ": payments}}"
}

// pushed are load pods that send headers from a Secret.
func pushed(secret string) string {
	return "{push: [{url: \"http://receiver/\", protocol: OTLP, headersSecretRef: {name: " + secret + "}}]}"
}

// aReplay is a step that replays.
func aReplay(settings string) changes {
	return changes{"spec.workload.steps.0": "{name: read, replay: {" + settings + "}}"}
}

// workloadRules are those about steps.
var workloadRules = map[string]rule{
	"exactly one of durationSeconds and operationCount must be set": {
		"run", changes{step + "operationCount": "5", step + "durationSeconds": ""}, changes{step + "operationCount": "5"},
	},
	"only one of idle and idleSweep may be set": {
		"run",
		withStep("durationSeconds: 1, connections: {idleSweep: [0, 100]}"),
		withStep("durationSeconds: 1, connections: {idleSweep: [0, 100], idle: 5}"),
	},
	"only one of threadSweep and connections.idleSweep may be set": {
		"run",
		withStep("durationSeconds: 1, threadSweep: [1, 2], connections: {idle: 5}"),
		withStep("durationSeconds: 1, threadSweep: [1, 2], connections: {idleSweep: [1, 2]}"),
	},
	"exactly one of operations and replay must be set": {
		"run",
		changes{"spec.workload.steps.0": "{name: read, replay: {" + aRecording + "}}"},
		withStep("durationSeconds: 1, replay: {" + aRecording + "}"),
	},
	"a replay sends what was recorded as it was: operationCount, warmupSeconds, threadSweep, think time, arrival, " +
		"search, groups, session, retry and connections cannot be set together with it": {
		"run",
		changes{"spec.workload.steps.0": "{name: read, durationSeconds: 5, threads: 8, replay: {" + aRecording + "}}"},
		changes{"spec.workload.steps.0": "{name: read, durationSeconds: 5, warmupSeconds: 1, replay: {" + aRecording + "}}"},
	},
	"exactly one of the fields in [configMap persistentVolumeClaim] must be set": {
		"run",
		aReplay("recording: {persistentVolumeClaim: {claimName: c, path: a/b}}"),
		changes{"spec.workload.steps.0": "{name: read, replay: {recording: {}}}"},
	},
	"speedPercent is of pace Recorded": {
		"run",
		changes{"spec.workload.steps.0": "{name: read, replay: {speedPercent: 50, " + aRecording + "}}"},
		aReplay("speedPercent: 50, pace: AsFastAsPossible, " + aRecording),
	},
	"only one of threads and threadSweep may be set": {
		"run",
		withStep("durationSeconds: 1, threadSweep: [1, 2, 4]"),
		withStep("durationSeconds: 1, threadSweep: [1, 2, 4], threads: 8"),
	},
	"thinkTimeMicros is for a closed loop: it cannot be set together with arrival": {
		"run",
		withStep("durationSeconds: 1, thinkTimeMicros: 500"),
		withStep("durationSeconds: 1, thinkTimeMicros: 500, arrival: {process: Poisson, operationsPerSecond: 5}"),
	},
	"thinkTime is for a closed loop: it cannot be set together with arrival, search or thinkTimeMicros": {
		"run",
		withStep("durationSeconds: 1, thinkTime: {micros: 500}"),
		withStep("durationSeconds: 1, thinkTime: {micros: 500}, thinkTimeMicros: 500"),
	},
	"expectedIntervalMicros is for a closed loop of one mix: it cannot be set together with arrival, search or groups": {
		"run",
		withStep("durationSeconds: 1, expectedIntervalMicros: 500"),
		withStep("durationSeconds: 1, expectedIntervalMicros: 500, arrival: {operationsPerSecond: 5}"),
	},
	"the name of a Secret that is sent must begin with mongobench-push-": {
		"run",
		changes{"spec.loadGenerator": pushed("mongobench-push-collector")},
		changes{"spec.loadGenerator": pushed("root-password")},
	},
	"names must be of up to 63 letters, digits and _, and begin with no digit and no __": {
		"run",
		changes{"spec.loadGenerator": pushedWith("team")},
		changes{"spec.loadGenerator": pushedWith("9lives")},
	},
	"namespace, run, pod, job, instance, step, kind, operation, class, member, le and quantile are labels of figures": {
		"run",
		changes{"spec.loadGenerator": pushedWith("Step")},
		changes{"spec.loadGenerator": pushedWith("step")},
	},
	"pushLabels are for what push sends: it must be set": {
		"run",
		changes{"spec.loadGenerator": pushedWith("team")},
		changes{"spec.loadGenerator": "{pushLabels: {team: payments}}"},
	},
	"maxMicros is required with distribution Uniform and forbidden with any other": {
		"run",
		withStep("durationSeconds: 1, thinkTime: {distribution: Uniform, micros: 5, maxMicros: 9}"),
		withStep("durationSeconds: 1, thinkTime: {distribution: Exponential, micros: 5, maxMicros: 9}"),
	},
	"maxMicros must not be below micros": {
		"run",
		withStep("durationSeconds: 1, thinkTime: {distribution: Uniform, micros: 5, maxMicros: 5}"),
		withStep("durationSeconds: 1, thinkTime: {distribution: Uniform, micros: 5, maxMicros: 4}"),
	},
	"deviationMicros is required with distribution Normal and forbidden with any other": {
		"run",
		withStep("durationSeconds: 1, thinkTime: {distribution: Normal, micros: 5, deviationMicros: 1}"),
		withStep("durationSeconds: 1, thinkTime: {distribution: Normal, micros: 5}"),
	},
	"threads, threadSweep, think time, arrival and search cannot be set together with groups, which have their own": {
		"run",
		withStep("durationSeconds: 1, groups: [{name: a, threads: 5}]"),
		withStep("durationSeconds: 1, groups: [{name: a}], threads: 5"),
	},
	"groups need durationSeconds, which is how long they may work at most": {
		"run",
		withStep("durationSeconds: 1, groups: [{name: a, operationCount: 5}]"),
		withStep("operationCount: 1, groups: [{name: a, operationCount: 5}]"),
	},
	"thinkTime and threadStages are for a closed loop: they cannot be set together with arrival": {
		"run",
		withStep("durationSeconds: 1, groups: [{name: a, arrival: {operationsPerSecond: 5}}]"),
		withStep("durationSeconds: 1, groups: [{name: a, arrival: {operationsPerSecond: 5}, thinkTime: {micros: 5}}]"),
	},
	"threadStages say how many threads there are: threads cannot be set together with them": {
		"run",
		withStep("durationSeconds: 1, groups: [{name: a, threadStages: [{seconds: 1, threads: 5}]}]"),
		withStep("durationSeconds: 1, groups: [{name: a, threads: 5, threadStages: [{seconds: 1, threads: 5}]}]"),
	},
	"a search sets the rates by itself: arrival, threadSweep and thinkTimeMicros cannot be set together with it": {
		"run",
		withStep("durationSeconds: 1, search: {limitMicros: 5000, maxOperationsPerSecond: 9}"),
		withStep("durationSeconds: 1, search: {limitMicros: 5000, maxOperationsPerSecond: 9}, threadSweep: [1]"),
	},
	"exactly one of errorPercent, errorsPerSecond, limitMicros and minOperationsPerSecond must be set": {
		"run",
		withStep("durationSeconds: 1, abortOn: [{errorPercent: 5, forSeconds: 30}, {limitMicros: 9, percentile: P50}]"),
		withStep("durationSeconds: 1, abortOn: [{errorPercent: 5, minOperationsPerSecond: 9}]"),
	},
	"percentile is of the latency that limitMicros limits": {
		"run",
		withStep("durationSeconds: 1, abortOn: [{limitMicros: 9, percentile: P50}]"),
		withStep("durationSeconds: 1, abortOn: [{errorPercent: 9, percentile: P50}]"),
	},
	"a search tries rates that miss thresholds: abortOn cannot be set together with it": {
		"run",
		withStep("durationSeconds: 1, search: {limitMicros: 5000, maxOperationsPerSecond: 9}"),
		withStep("durationSeconds: 1, search: {limitMicros: 5000, maxOperationsPerSecond: 9}, abortOn: [{errorPercent: 9}]"),
	},
	"search needs durationSeconds, which is how long what was found is confirmed": {
		"run",
		withStep("durationSeconds: 1, search: {percentile: P999, limitMicros: 5000, maxOperationsPerSecond: 9}"),
		withStep("operationCount: 1, search: {limitMicros: 5000, maxOperationsPerSecond: 9}"),
	},
	"minOperationsPerSecond must be less than maxOperationsPerSecond": {
		"run",
		withStep("durationSeconds: 1, search: {limitMicros: 5000, minOperationsPerSecond: 8, maxOperationsPerSecond: 9}"),
		withStep("durationSeconds: 1, search: {limitMicros: 5000, minOperationsPerSecond: 9, maxOperationsPerSecond: 9}"),
	},
	"process of a search is Poisson or Constant": {
		"run",
		withStep("durationSeconds: 1, search: {process: Constant, limitMicros: 5000, maxOperationsPerSecond: 9}"),
		withStep("durationSeconds: 1, search: {process: Trace, limitMicros: 5000, maxOperationsPerSecond: 9}"),
	},
	"gapsMicros is required with process Trace and forbidden with any other": {
		"run",
		withStep("durationSeconds: 1, arrival: {process: Trace, gapsMicros: [0, 100]}"),
		withStep("durationSeconds: 1, arrival: {operationsPerSecond: 5, gapsMicros: [0, 100]}"),
	},
	"exactly one of operationsPerSecond, stages and formula must be set, and none of them with process Trace": {
		"run",
		withStep("durationSeconds: 1, arrival: {process: Poisson, stages: [" +
			"{seconds: 5, operationsPerSecond: 100, fromOperationsPerSecond: 0}, {seconds: 5, operationsPerSecond: 100}]}"),
		withStep("durationSeconds: 1, arrival: {process: Poisson, maxQueued: 5}"),
	},
}
