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
// # The verdict
//
// The probability p that samples of the same differ as much comes from the Mann-Whitney test, against a fixed figure
// from the sign test, and is corrected (Holm) over all lines of the call: the confidence is that of the whole
// comparison. Lines that cannot be tested are not counted: unlike is compared, a side has no figure, or even the only
// test would need more samples. The effect is that of Hodges and Lehmann, in percent of the baseline; its interval has
// the confidence that was asked for over all lines together (Bonferroni). The first row that fits decides:
//
//	what is found                                              verdict
//	fingerprints differ, or a side has no such figure          Inconclusive
//	p <= 1-confidence, effect >= minEffectPercent              Regressed, Improved
//	p <= 1-confidence, effect smaller                          Unchanged
//	too few samples: no difference at all could be found       Inconclusive, says how many it takes
//	the interval lies within +-minEffectPercent                Unchanged, which is shown
//	effect >= DoubtFactor x minEffectPercent                   Inconclusive, says about how many it takes
//	anything else                                              Unchanged, as far as can be told
//
// So Unchanged is not a proof that nothing changed, but in the fifth row. In the last it says that there were enough
// samples to find a change at the asked confidence, that none was found, and that what is seen is no more than chance
// gives; the interval in the line says which changes may still hide behind the noise. The stricter rule, Unchanged
// only if the interval lies within the limit, would at a noise of 5 % and a limit of 5 % call one in a hundred
// comparisons of A with A unchanged by five repetitions, and seven in ten by twenty. The looser one, without the
// DoubtFactor, would call a doubled latency unchanged where the noise is large enough. With a minEffectPercent of 0
// every change matters, and both rows about the size of the effect are left out.
//
// Against a fixed figure, which has no spread, the sign test asks whether the median lies beyond the figure by
// minEffectPercent, that is whether its interval does.
//
// A metric that is 0 in some run, such as errors, has no ratio. Its effect is the shift in percent of the baseline's
// median; where that is 0, any change is larger than whatever matters, and the line has no effect in numbers.
//
// It is pure; the numbers are package statistics'. It imports api, no client.
package comparison
