package comparison

import (
	"cmp"
	"math"
	"slices"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// MostLines is how many lines a suite's status takes.
const MostLines = 48

// sortLines puts what changed before what did not, and of what changed the largest effect first.
func sortLines(lines []benchv1alpha1.ComparisonLine) {
	slices.SortStableFunc(lines, func(a, b benchv1alpha1.ComparisonLine) int {
		if byVerdict := cmp.Compare(place(a.Verdict), place(b.Verdict)); byVerdict != 0 {
			return byVerdict
		}
		if a.Verdict == benchv1alpha1.VerdictRegressed || a.Verdict == benchv1alpha1.VerdictImproved {
			return cmp.Compare(magnitude(b), magnitude(a))
		}
		return 0
	})
}

func place(verdict benchv1alpha1.Verdict) int {
	return slices.Index([]benchv1alpha1.Verdict{
		benchv1alpha1.VerdictRegressed, benchv1alpha1.VerdictImproved,
		benchv1alpha1.VerdictInconclusive, benchv1alpha1.VerdictUnchanged,
	}, verdict)
}

// magnitude of an effect in basis points. A change that has none in numbers is one from 0, which is the largest.
func magnitude(line benchv1alpha1.ComparisonLine) int64 {
	if line.EffectBasisPoints == nil {
		return math.MaxInt64
	}
	return absolute(*line.EffectBasisPoints)
}

// Worst is the verdict over all lines: Regressed before Inconclusive before Improved before Unchanged; empty for no
// lines.
func Worst(lines []benchv1alpha1.ComparisonLine) benchv1alpha1.Verdict {
	for _, verdict := range []benchv1alpha1.Verdict{
		benchv1alpha1.VerdictRegressed, benchv1alpha1.VerdictInconclusive,
		benchv1alpha1.VerdictImproved, benchv1alpha1.VerdictUnchanged,
	} {
		has := func(line benchv1alpha1.ComparisonLine) bool { return line.Verdict == verdict }
		if slices.ContainsFunc(lines, has) {
			return verdict
		}
	}
	return ""
}

// Trim keeps the first lines of a comparison, as many as a status takes at most, and says how many it left out.
func Trim(lines []benchv1alpha1.ComparisonLine, most int) (kept []benchv1alpha1.ComparisonLine, omitted int) {
	if len(lines) <= most {
		return lines, 0
	}
	return slices.Clone(lines[:most]), len(lines) - most
}
