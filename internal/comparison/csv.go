package comparison

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// WriteCSV writes every figure of every sample as one line, with what may have influenced it, as programs for
// statistics like it:
//
//	suite, revision, variant   what the run was made for
//	repetition, run            the run
//	doubts                     why the run is not to be trusted; empty when it is
//	step, operation            empty for what belongs to none, or to all operations together
//	metric, unit, value        the figure, a whole number
//	version, gitVersion ...    a column for each field of the fingerprint in which samples differ
func WriteCSV(w io.Writer, result Result) error {
	fields := slices.DeleteFunc(knownFields(result), func(field string) bool {
		return len(valuesOf(allSamples(result), field)) < 2
	})
	table := csv.NewWriter(w)
	// The writer keeps the first error, which is asked for at the end.
	_ = table.Write(slices.Concat([]string{
		"suite", "revision", "variant", "repetition", "run", "doubts", "step", "operation", "metric", "unit", "value",
	}, fields))
	for _, side := range result.Sides {
		for _, sample := range side.Samples {
			fingerprint := make([]string, 0, len(fields))
			for _, field := range fields {
				fingerprint = append(fingerprint, sample.Fingerprint[field])
			}
			for _, figure := range sample.Figures {
				_ = table.Write(slices.Concat([]string{
					result.Suite, result.Revision, side.Name, strconv.Itoa(sample.Repetition), sample.Run, sample.Doubts,
					figure.Step, figure.Operation, string(figure.Metric), infoOf(figure.Metric).UnitName,
					strconv.FormatInt(figure.Value, 10),
				}, fingerprint))
			}
		}
	}
	table.Flush()
	if err := table.Error(); err != nil {
		return fmt.Errorf("writing samples as CSV: %w", err)
	}
	return nil
}

// knownFields are the fields of the fingerprint that any sample has.
func knownFields(result Result) []string {
	all := allSamples(result)
	return slices.DeleteFunc(fieldNames(Pair{Candidate: all}), func(field string) bool {
		return !slices.ContainsFunc(all.Samples, func(s Sample) bool { return s.Fingerprint[field] != "" })
	})
}

// allSamples of a result as one side.
func allSamples(result Result) Side {
	var all Side
	for _, side := range result.Sides {
		all.Samples = append(all.Samples, side.Samples...)
	}
	return all
}

// WriteComparison writes the comparison as a table with a line for each line. Medians are in the metric's unit, effects
// in percent of the baseline; what is not known is empty.
func WriteComparison(w io.Writer, result Result) error {
	table := csv.NewWriter(w)
	// The writer keeps the first error, which is asked for at the end.
	_ = table.Write([]string{
		"suite", "revision", "variant", "baseline", "step", "operation", "metric", "unit", "verdict",
		"baselineMedian", "median", "baselineSamples", "samples",
		"effectPercent", "lowPercent", "highPercent", "p", "message",
	})
	for _, line := range result.Lines {
		_ = table.Write([]string{
			result.Suite, result.Revision, line.Variant, line.Baseline, line.Step, line.Operation,
			string(line.Metric), infoOf(line.Metric).UnitName, string(line.Verdict),
			number(line.BaselineMedian), number(line.Median), number(line.BaselineSamples), number(line.Samples),
			scaled(line.EffectBasisPoints, 100), scaled(line.LowBasisPoints, 100), scaled(line.HighBasisPoints, 100),
			scaled(line.PMillionths, 1e6), line.Message,
		})
	}
	table.Flush()
	if err := table.Error(); err != nil {
		return fmt.Errorf("writing comparison as CSV: %w", err)
	}
	return nil
}

// scaled is a value divided; empty when there is none.
func scaled(value *int64, by float64) string {
	if value == nil {
		return ""
	}
	return strconv.FormatFloat(float64(*value)/by, 'f', -1, 64)
}
