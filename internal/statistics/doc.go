// Package statistics holds the numbers behind a comparison of benchmarks: medians with intervals that assume no
// distribution, a rank test that is exact for the few repetitions that benchmarks have, the size of an effect, the
// correction for many tests, how many repetitions are needed, and the points at which a history changed.
//
//	what is asked                          function
//	how large is it, and how sure is that  Median, MedianInterval, Quantile
//	how steady is it                       CoefficientOfVariation
//	is there a difference at all           SignedRank of pairs, MannWhitney of two samples; then Holm over all tests of
//	                                       one comparison
//	how large is the difference            HodgesLehmannPairedPercent and HodgesLehmannPaired of pairs,
//	                                       HodgesLehmannPercent and HodgesLehmann of two samples
//	how large must one be to be found      Detector
//	how many repetitions does it take      SmallestPairs, SmallestSamples, SamplesForPower, SamplesForEquivalence
//	since when is it different             Sequence
//	how large is it by now, looked at      Sequential; a Comparison of such values says when it is settled, and
//	after each value                       ChooseWindow how long to load each side for one
//
// Nothing here supposes that latencies or throughputs are distributed normally, which they are not; only the estimates
// do: Detector, SamplesForPower and SamplesForEquivalence. Sequential is exact for normal values and holds in the limit
// for others; simulations say how near that is. Tests of two samples suppose that repetitions are independent of each
// other; those of pairs, that the differences are; Sequential allows for what neighbours share.
//
// Input that has no answer (too few values, NaN, infinities, a confidence outside 0 to 1) gives an error, or NaN where
// the function returns one number. Nothing panics, and no argument is changed.
//
// The package is pure: no clock, no files, and chance only from a seed that the caller gives. It does not know runs,
// metrics or verdicts. It imports the standard library alone: what gonum.org/v1/gonum/stat and
// golang.org/x/perf/benchmath offer of this is either approximate for few values, or fixed to one confidence, or absent
// (intervals of a shift, change points of a growing series), and the operator that imports this package stays small.
// The tests compare with SciPy, R, confseq and benchmath; testdata says which number comes from which.
package statistics
