package comparison

import (
	"slices"
	"strings"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// BaselineSampleOf is what is known of the other side of a run with a duet: what may have influenced it.
func BaselineSampleOf(run *benchv1alpha1.BenchmarkRun) Sample {
	sample := Sample{Run: run.Name}
	if duet := run.Status.Duet; duet != nil {
		sample.Variant = duet.Baseline
		sample.Fingerprint = fingerprintOf(benchv1alpha1.BenchmarkRunStatus{
			Server: duet.Server, Fingerprint: duet.Fingerprint,
		})
	}
	return sample
}

// withstood are the doubts that say nothing against a duet: neighbouring windows share a throughput that drifts, and
// how much it varies is in the bounds.
var withstood = []string{benchv1alpha1.ReasonNotSteady}

// Duet are the lines of a run that was measured in turns with its baseline, under the names of the pair. Where unlike
// is compared, or the run is in doubt, they are Inconclusive, as those of every comparison are.
func Duet(pair Pair, lines []benchv1alpha1.ComparisonLine, settings Settings) []benchv1alpha1.ComparisonLine {
	differences := Differences(pair, settings.IgnoreDifferences)
	barred := doubtsOf(pair, append(slices.Clone(settings.AllowDoubts), withstood...))
	compared := make([]benchv1alpha1.ComparisonLine, 0, len(lines))
	for _, line := range lines {
		line.Variant, line.Baseline = pair.Candidate.Name, pair.Baseline.Name
		key := Key{Metric: line.Metric, Step: line.Step, Operation: line.Operation}
		why := ""
		unlike := concerning(line.Metric, differences)
		switch {
		case len(unlike) > 0:
			why = "unlike runs: " + differencesText(unlike)
		case barred != "":
			why = barred + allowed
		}
		if why != "" {
			line.Verdict, line.Message = benchv1alpha1.VerdictInconclusive, why+"; "+line.Message
		}
		line.Message = shorten(strings.Join([]string{key.text(), line.Message}, ": "), mostMessage)
		compared = append(compared, line)
	}
	return compared
}

// Sort puts lines into the order of Compare.
func Sort(lines []benchv1alpha1.ComparisonLine) { sortLines(lines) }
