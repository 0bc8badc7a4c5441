package result

import "fmt"

// fewestDigits that a percentile may be read with: two are within 0.5 % of the value, a tenth of the smallest
// difference that suites look for unless told otherwise.
const fewestDigits = 2

// coarsePercentiles is about a report that was too large for what it holds.
func coarsePercentiles(step judged) doubtful {
	if step.Digits == 0 || step.Digits >= fewestDigits {
		return doubtful{}
	}
	return doubtful{1, fmt.Sprintf("step %q: the report was too large, so that its times have one significant digit: "+
		"each percentile may be off by 4 %%; measure fewer steps or operations in one run", step.Name)}
}
