package v1alpha1

// Condition types of a BenchmarkSuite.
const (
	// SuiteAccepted says whether the specification makes sense as a whole, every variant's run included.
	SuiteAccepted = "Accepted"
	// SuiteComplete says whether everything is done that the present content asks for. `kubectl wait` and GitOps tools
	// read it.
	SuiteComplete = "Complete"
	// SuiteRegressed says whether something became worse: True, False, or Unknown while or because nobody can tell.
	SuiteRegressed = "Regressed"
)

// Reasons of the condition Accepted of a suite, besides Valid and Invalid.
const (
	// ReasonVariantInvalid: the API server refuses the run of a variant; the message has its words.
	ReasonVariantInvalid = "VariantInvalid"
)

// Reasons of the condition Complete. False with the first three, True with the others.
const (
	// ReasonRunsPending: runs of this revision have not ended.
	ReasonRunsPending = "RunsPending"
	// ReasonSuiteSuspended: spec.suspend keeps further runs from being made.
	ReasonSuiteSuspended = "Suspended"
	// ReasonSuiteInvalid: the specification was not accepted, so that nothing is done.
	ReasonSuiteInvalid = "NotAccepted"
	// ReasonAllSucceeded: every run succeeded.
	ReasonAllSucceeded = "AllSucceeded"
	// ReasonSomeFailed: every run ended, and some did not succeed.
	ReasonSomeFailed = "SomeFailed"
	// ReasonStoppedOnFailure: a run did not succeed, and stopOnFailure ended the revision.
	ReasonStoppedOnFailure = "StoppedOnFailure"
	// ReasonTimedOut: timeoutSeconds passed.
	ReasonTimedOut = "TimedOut"
)

// Reasons of the condition Regressed.
const (
	// ReasonRegressed: at least one metric became worse; the message names it.
	ReasonRegressed = "MetricRegressed"
	// ReasonNoRegression: no metric became worse by as much as matters.
	ReasonNoRegression = "NoRegression"
	// ReasonNotCompared: the suite is not complete.
	ReasonNotCompared = "NotCompared"
	// ReasonNoBaseline: there is nothing to compare with, such as an earlier revision.
	ReasonNoBaseline = "NoBaseline"
	// ReasonInconclusive: for at least one metric nobody can tell, and none became worse; the message says what is
	// missing.
	ReasonInconclusive = "Inconclusive"
)
