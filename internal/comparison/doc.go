// Package comparison compares the runs of a suite with a baseline: which samples there are, whether like is compared
// with like, and what the verdict is. It keeps samples, verdicts and the history of a suite, and writes them for other
// tools.
//
// # What is compared
//
// SampleOf takes every figure from a run. A threshold says which of them are compared, and how; where several
// thresholds are about the same figure, the one that names the most counts (step and operation, then one of the two,
// then none), and of equals the first. What a threshold asks for and no run has is a line too, so that a misspelt step
// does not pass unseen.
//
// # Like with like
//
// Differences names the fields of the fingerprint in which runs of a pair differ though their specifications do not
// declare it. One of them that is not ignored by name makes all lines of the pair Inconclusive. Within one side nothing
// can be declared: its runs have one specification. A field that is not known of some runs and known of others is a
// difference as well, because it may be one; one that is not known of any run is not.
//
// A run that is not to be trusted does not decide: with a reason for doubt that is not allowed by name, on either side,
// all lines of the pair are Inconclusive. It is not left out, since what makes a run doubtful may well be what changed.
//
// # The verdict
//
// Runs of a Pair that were made in turn are compared repetition by repetition (Wilcoxon's signed-rank test of the
// ratios), which takes away what moved both; others, and those of which there are too few pairs for that test to find
// anything, as two samples (Mann-Whitney), and a fixed figure by the sign test. The probability p that samples of the
// same differ as much is corrected (Holm) over all lines of the call: the confidence is that of the whole comparison.
// Lines that cannot be tested are not counted: unlike is compared, a run is in doubt, a side has no figure, or even the
// only test would need more samples. The effect is that of Hodges and Lehmann, in percent of the baseline; its interval
// has the confidence that was asked for over all lines together (Bonferroni). The bounds are those of two one-sided
// tests at the confidence of the line, that is an interval of 90 % for one of 95 %: to say of all lines together that
// nothing changed takes each of them, so that there is nothing to correct. The first row that fits decides:
//
//	what is found                                              verdict
//	fingerprints differ, a run is in doubt, no such figure     Inconclusive
//	p <= 1-confidence, effect >= minEffectPercent              Regressed, Improved
//	the bounds lie within +-minEffectPercent                   Unchanged
//	the bound for the worse lies within minEffectPercent       NotWorse
//	too few samples: no difference at all could be found       Inconclusive, says how many it takes
//	anything else                                              NotDetected
//
// So Regressed is wrong in at most one of twenty comparisons of the same, over all of their lines, and Unchanged and
// NotWorse in at most one of twenty of a line that got worse by minEffectPercent or more. NotDetected says that neither
// is known, which change would have been found four times of five, given how much these runs vary, and how many runs
// would rule one out. With a minEffectPercent of 0 every change matters, and none is ever ruled out.
//
// Against a fixed figure, which has no spread, the sign test asks whether the median lies beyond the figure by
// minEffectPercent, that is whether its interval does.
//
// A metric that is 0 in some run, such as errors, has no ratio. Its effect is the shift in percent of the baseline's
// median; where that is 0, any change is larger than whatever matters, and the line has no effect in numbers.
//
// It is pure; the numbers are package statistics'. It imports api, no client.
package comparison
