package reason

import benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"

// ofSuites are those of a suite alone.
var ofSuites = []Reason{
	{
		Name: benchv1alpha1.ReasonVariantInvalid, Of: []Condition{suiteAccepted},
		Meaning: "the API server refuses the run of a variant; the message is the API server's",
		Remedy:  "correct the patch of the variant that the message names",
	},
	{
		Name: benchv1alpha1.ReasonRunsPending, Of: []Condition{suiteComplete},
		Meaning: "runs of this revision have not ended",
	},
	{
		Name: benchv1alpha1.ReasonSuiteSuspended, Of: []Condition{suiteComplete},
		Meaning: "spec.suspend keeps the suite from creating further runs",
	},
	{
		Name: benchv1alpha1.ReasonSuiteInvalid, Of: []Condition{suiteComplete},
		Meaning: "the specification was not accepted, so nothing happens",
		Remedy:  "correct what the condition Accepted says",
	},
	{
		Name: benchv1alpha1.ReasonAllSucceeded, Of: []Condition{suiteComplete},
		Meaning: "every run succeeded",
	},
	{
		Name: benchv1alpha1.ReasonSomeFailed, Of: []Condition{suiteComplete},
		Meaning: "every run ended, and some did not succeed",
		Remedy:  "look at the runs that the message names; the annotation `mongobench.dev/repeat` has one made again",
	},
	{
		Name: benchv1alpha1.ReasonStoppedOnFailure, Of: []Condition{suiteComplete},
		Meaning: "a run did not succeed, and stopOnFailure ended the revision",
		Remedy:  "look at the run that failed; `stopOnFailure: false` lets the others go on",
	},
	{
		Name: benchv1alpha1.ReasonTimedOut, Of: []Condition{suiteComplete},
		Meaning: "timeoutSeconds passed",
		Remedy:  "raise `spec.timeoutSeconds`, or plan fewer runs",
	},
	{
		Name: benchv1alpha1.ReasonSearched, Of: []Condition{suiteComplete},
		Meaning: "the search needs no further run; status.search has what was found",
	},
	{
		Name: benchv1alpha1.ReasonFound, Of: []Condition{suitePassed},
		Meaning: "the smallest variant is known that keeps the constraints",
	},
	{
		Name: benchv1alpha1.ReasonNothingKeeps, Of: []Condition{suitePassed},
		Meaning: "not even the largest variants keep the constraints",
		Remedy:  "add larger choices to the matrix, or ask for less",
	},
	{
		Name: benchv1alpha1.ReasonNotKnown, Of: []Condition{suitePassed},
		Meaning: "no variant is known to keep the constraints, and of some it is not known",
		Remedy:  "raise `spec.repetitions`, or have longer steps, so that runs differ less; the message says what is missing",
	},
	{
		Name: benchv1alpha1.ReasonRegressed, Of: []Condition{suiteRegressed},
		Meaning: "at least one metric got worse; the message names it",
		Remedy:  "look at the comparison for what changed; repeat the suite if a run of it was disturbed",
	},
	{
		Name: benchv1alpha1.ReasonNoRegression, Of: []Condition{suiteRegressed},
		Meaning: "it is shown of every metric that it did not get worse by enough to matter",
	},
	{
		Name: benchv1alpha1.ReasonAcknowledged, Of: []Condition{suiteRegressed},
		Meaning: "metrics got worse, and spec.acknowledged has all of them; of every other metric it is shown that it did " +
			"not get worse by enough to matter",
		Remedy: "mend what the message names before the acknowledgement ends",
	},
	{
		Name: benchv1alpha1.ReasonNotDetected, Of: []Condition{suiteRegressed},
		Meaning: "no metric is known to have got worse, and of at least one it is not shown that it did not; the " +
			"message says which change would have been found",
		Remedy: "more repetitions, or a larger `minEffectPercent`",
	},
	{
		Name: benchv1alpha1.ReasonNotCompared, Of: []Condition{suiteRegressed},
		Meaning: "the suite is not complete",
	},
	{
		Name: benchv1alpha1.ReasonNoBaseline, Of: []Condition{suiteRegressed},
		Meaning: "there is nothing to compare with, such as an earlier revision, or the suite is a search",
		Remedy:  "nothing for a first revision; else set `spec.baseline`",
	},
	{
		Name: benchv1alpha1.ReasonInconclusive, Of: []Condition{suiteRegressed},
		Meaning: "at least one metric cannot be judged, and none got worse; the message says what is missing",
		Remedy:  "the message says what is missing",
	},
}
