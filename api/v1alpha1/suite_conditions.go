package v1alpha1

// Condition types of a BenchmarkSuite.
const (
	// SuiteAccepted says whether the specification makes sense as a whole, including every variant's run.
	SuiteAccepted = "Accepted"
	// SuiteComplete says whether everything that the current content asks for is done. `kubectl wait` and GitOps tools
	// read it.
	SuiteComplete = "Complete"
	// SuiteRegressed says whether anything got worse: True, False if it is shown that nothing did by as much as matters,
	// or Unknown if neither is shown.
	SuiteRegressed = "Regressed"
	// SuitePassed says whether every run succeeded and no verdict is one that spec.failOn names. It has the reasons of
	// Regressed, or those of Complete if not all runs succeeded. Of a search it says whether a variant was found, and has
	// the outcome as its reason.
	SuitePassed = "Passed"
)

// Reasons of the condition Accepted of a suite, besides Valid and Invalid.
const (
	// ReasonVariantInvalid: the API server refuses the run of a variant; the message is the API server's.
	ReasonVariantInvalid = "VariantInvalid"
)

// Reasons of the condition Complete. False with the first three, True with the others.
const (
	// ReasonRunsPending: runs of this revision have not ended.
	ReasonRunsPending = "RunsPending"
	// ReasonSuiteSuspended: spec.suspend keeps the suite from creating further runs.
	ReasonSuiteSuspended = "Suspended"
	// ReasonSuiteInvalid: the specification was not accepted, so nothing happens.
	ReasonSuiteInvalid = "NotAccepted"
	// ReasonAllSucceeded: every run succeeded.
	ReasonAllSucceeded = "AllSucceeded"
	// ReasonSomeFailed: every run ended, and some did not succeed.
	ReasonSomeFailed = "SomeFailed"
	// ReasonStoppedOnFailure: a run did not succeed, and stopOnFailure ended the revision.
	ReasonStoppedOnFailure = "StoppedOnFailure"
	// ReasonTimedOut: timeoutSeconds passed.
	ReasonTimedOut = "TimedOut"
	// ReasonSearched: the search needs no further run; status.search has what was found.
	ReasonSearched = "Searched"
)

// Reasons of the condition Passed of a search, besides those of Complete.
const (
	// ReasonFound: the smallest variant is known that keeps the constraints.
	ReasonFound = "Found"
	// ReasonNothingKeeps: not even the largest variants keep the constraints.
	ReasonNothingKeeps = "NothingKeeps"
	// ReasonNotKnown: no variant is known to keep the constraints, and of some it is not known.
	ReasonNotKnown = "NotKnown"
)

// Reasons of the condition Regressed.
const (
	// ReasonRegressed: at least one metric got worse; the message names it.
	ReasonRegressed = "MetricRegressed"
	// ReasonNoRegression: it is shown of every metric that it did not get worse by enough to matter.
	ReasonNoRegression = "NoRegression"
	// ReasonAcknowledged: metrics got worse, and spec.acknowledged has all of them; of every other metric it is shown that
	// it did not get worse by enough to matter.
	ReasonAcknowledged = "RegressionAcknowledged"
	// ReasonNotDetected: no metric is known to have got worse, and of at least one it is not shown that it did not; the
	// message says which change would have been found.
	ReasonNotDetected = "NotDetected"
	// ReasonNotCompared: the suite is not complete.
	ReasonNotCompared = "NotCompared"
	// ReasonNoBaseline: there is nothing to compare with, such as an earlier revision, or the suite is a search.
	ReasonNoBaseline = "NoBaseline"
	// ReasonInconclusive: at least one metric cannot be judged, and none got worse; the message says what is missing.
	ReasonInconclusive = "Inconclusive"
)
