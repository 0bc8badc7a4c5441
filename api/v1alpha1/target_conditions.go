package v1alpha1

// Condition types of a BenchmarkTarget. Its reasons are below and among those shared with a run.
const (
	// TargetAccepted says whether the specification makes sense as a whole.
	TargetAccepted = "Accepted"
	// TargetReady says whether the target can be measured.
	TargetReady = "Ready"
	// TargetStalled is True once the operator has given up: the reason is the cause.
	TargetStalled = "Stalled"
)

// Reasons of the condition Ready.
const (
	// ReasonNotAccepted: the specification is invalid; Accepted has the cause.
	ReasonNotAccepted = "NotAccepted"
	// ReasonPodsStarting: the members' pods are starting.
	ReasonPodsStarting = "PodsStarting"
	// ReasonTopologyPending: the members run; the replica set and its users are being created.
	ReasonTopologyPending = "TopologyPending"
	// ReasonTopologyFailed: the topology Job failed; the message is its last output, for example that no primary was
	// elected in time.
	ReasonTopologyFailed = "TopologyFailed"
	// ReasonSecretNotFound: the Secret of an external target, or the key within it, does not exist.
	ReasonSecretNotFound = "SecretNotFound"
	// ReasonDoesNotFit: the nodes cannot hold the members; the message has the arithmetic.
	ReasonDoesNotFit = "DoesNotFit"
	// ReasonProviderMissing: another operator must deploy the target or its certificates, but its CRDs are not installed.
	ReasonProviderMissing = "ProviderMissing"
	// ReasonProviderPending: another operator is deploying the target or its certificates.
	ReasonProviderPending = "ProviderPending"
	// ReasonProviderFailed: another operator gave up; the message is its own.
	ReasonProviderFailed = "ProviderFailed"
	// ReasonMemberRestarting: a member disappeared or is restarting, in a target that tolerates it.
	ReasonMemberRestarting = "MemberRestarting"
	// ReasonReady: the target can be measured.
	ReasonReady = "Ready"
	// ReasonMemberRestarted: a member restarted after the target was ready; measurements before and after are not
	// comparable.
	ReasonMemberRestarted = "MemberRestarted"
)

// Reasons of the condition Stalled, besides the causes of Ready.
const (
	// ReasonNotStalled: the target is ready or still being deployed.
	ReasonNotStalled = "NotStalled"
)
