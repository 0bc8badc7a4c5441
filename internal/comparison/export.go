package comparison

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/mongobench/mongobench-operator/internal/figure"
	"github.com/mongobench/mongobench-operator/internal/present"
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
	records := [][]string{slices.Concat([]string{
		"suite", "revision", "variant", "repetition", "run", "doubts", "step", "operation", "metric", "unit", "value",
	}, fields)}
	for _, side := range result.Sides {
		for _, sample := range side.Samples {
			fingerprint := make([]string, len(fields))
			for i, field := range fields {
				fingerprint[i] = present.Harmless(sample.Fingerprint[field])
			}
			for _, found := range sample.Figures {
				records = append(records, slices.Concat([]string{
					result.Suite, result.Revision, side.Name, strconv.Itoa(sample.Repetition), sample.Run,
					strings.Join(sample.Doubts, " "),
					present.Harmless(found.Step), present.Harmless(found.Operation), string(found.Metric),
					figure.ComparedBy(found.Metric).UnitName,
					strconv.FormatFloat(found.Value, 'f', -1, 64),
				}, fingerprint))
			}
		}
	}
	return writeTable(w, "samples as CSV", records)
}

func writeTable(w io.Writer, what string, records [][]string) error {
	if err := csv.NewWriter(w).WriteAll(records); err != nil {
		return fmt.Errorf("writing %s: %w", what, err)
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
	records := append(make([][]string, 0, 1+len(result.Lines)), []string{
		"suite", "revision", "variant", "baseline", "step", "operation", "metric", "unit", "verdict",
		"baselineMedian", "median", "baselineSamples", "samples",
		"effectPercent", "lowPercent", "highPercent", "p", "test", "detectablePercent", "message",
	})
	for _, line := range result.Lines {
		records = append(records, []string{
			result.Suite, result.Revision, line.Variant, present.Harmless(line.Baseline), present.Harmless(line.Step),
			present.Harmless(line.Operation),
			string(line.Metric), figure.ComparedBy(line.Metric).UnitName, string(line.Verdict),
			scaled(line.BaselineMedian, 1), scaled(line.Median, 1), scaled(line.BaselineSamples, 1), scaled(line.Samples, 1),
			scaled(line.EffectBasisPoints, 100), scaled(line.LowBasisPoints, 100), scaled(line.HighBasisPoints, 100),
			scaled(line.PMillionths, 1e6), string(line.Test), scaled(line.DetectableBasisPoints, 100),
			present.Harmless(line.Message),
		})
	}
	return writeTable(w, "comparison as CSV", records)
}

// scaled is a value divided; empty when there is none.
func scaled[T int32 | int64](value *T, by float64) string {
	if value == nil {
		return ""
	}
	return strconv.FormatFloat(float64(*value)/by, 'f', -1, 64)
}

// WriteBenchstat writes the samples in the format of Go's benchmarks, which benchstat reads
// (https://go.dev/design/14313-benchmark-format): a benchmark for each step, and for each of its operations, once for
// each run. The variant and the fingerprint are configuration, so that the variants are compared with
//
//	benchstat -table suite -col variant FILE
//
// Metrics of all operations together are the benchmark Step/step=NAME, of one operation
// Step/step=NAME/operation=NAME, and of the loading Load.
func WriteBenchstat(w io.Writer, result Result) error {
	out := bufio.NewWriter(w) // It keeps the first error, which is asked for at the end.
	for _, compared := range figure.Compared {
		better := "lower"
		if compared.HigherIsBetter() {
			better = "higher"
		}
		_, _ = fmt.Fprintf(out, "Unit %s better=%s\n", compared.BenchUnit, better)
	}
	_, _ = fmt.Fprintf(out, "\nsuite: %s\nrevision: %s\n", result.Suite, result.Revision)
	fields := knownFields(result)
	// What a sample has holds for those after it too.
	var before map[string]string
	for _, side := range result.Sides {
		_, _ = fmt.Fprintf(out, "\nvariant: %s\n", side.Name)
		for _, sample := range side.Samples {
			for _, field := range fields {
				if value := sample.Fingerprint[field]; value != before[field] {
					// An empty value takes away the one before.
					_, _ = fmt.Fprintln(out, strings.TrimSpace(configKey(field)+": "+value))
				}
			}
			before = sample.Fingerprint
			writeBenchmarks(out, sample)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("writing samples for benchstat: %w", err)
	}
	return nil
}

// writeBenchmarks writes a line for each step and operation, with all metrics.
func writeBenchmarks(out io.Writer, sample Sample) {
	var names []string
	lines := make(map[string]string)
	for _, found := range sample.Figures {
		name := benchmarkName(found.Key)
		if lines[name] == "" {
			names = append(names, name)
		}
		compared, value := figure.ComparedBy(found.Metric), found.Value
		if compared.Unit == figure.Micros {
			value *= 1000 // The format has nanoseconds.
		}
		lines[name] += " " + strconv.FormatFloat(value, 'f', -1, 64) + " " + compared.BenchUnit
	}
	for _, name := range names {
		_, _ = fmt.Fprintf(out, "%s 1%s\n", name, lines[name])
	}
}

func benchmarkName(key Key) string {
	if key.Step == "" {
		return "BenchmarkLoad"
	}
	name := "BenchmarkStep/step=" + key.Step
	if key.Operation != "" {
		name += "/operation=" + key.Operation
	}
	return strings.Join(strings.Fields(name), "_")
}

// capitals of a field's name, which the format does not allow in a key.
var capitals = regexp.MustCompile(`[A-Z]`)

func configKey(field string) string { return strings.ToLower(capitals.ReplaceAllString(field, "-$0")) }

// WriteOtava writes a history as the table that Apache Otava reads (its data source "csv"): a row for each revision and
// variant, the oldest first. Its columns are time, revision, branch, which is Otava's word for what is looked at by
// itself and here the variant, and one for each metric, named Metric.step.operation. Otava takes no empty cell of a
// metric that it looks at, so that the cells of a variant are either all filled or all empty: they are empty where one
// of its revisions has no such figure.
func WriteOtava(w io.Writer, history History) error {
	variants := history.otavaVariants()
	var keys []Key
	for _, variant := range variants {
		for _, of := range variant.series {
			if !slices.Contains(keys, of.Key) {
				keys = append(keys, of.Key)
			}
		}
	}
	header := append(make([]string, 0, 3+len(keys)), "time", "revision", "branch")
	for _, key := range keys {
		header = append(header, columnName(key))
	}
	var records [][]string
	for _, variant := range variants {
		for i, revision := range variant.revisions {
			point := history.Points[revision]
			record := append([]string{point.Time.UTC().Format(time.RFC3339), point.Revision, variant.name},
				make([]string, len(keys))...)
			for _, of := range variant.series {
				record[3+slices.Index(keys, of.Key)] = strconv.FormatInt(int64(of.Values[i]), 10)
			}
			records = append(records, record)
		}
	}
	slices.SortStableFunc(records, func(a, b []string) int { return strings.Compare(a[0], b[0]) })
	return writeTable(w, "history for Otava", slices.Insert(records, 0, header))
}

// WriteOtavaConfig writes the configuration with which Otava reads such a table from a file: a test for each variant,
// named after it. The settings say which change is for the better. It is used as in
//
//	OTAVA_CONFIG=otava.yaml otava analyze VARIANT --branch VARIANT
func WriteOtavaConfig(w io.Writer, history History, settings Settings, file string) error {
	tests := make(map[string]any)
	for _, variant := range history.otavaVariants() {
		metrics := make(map[string]any, len(variant.series))
		for _, of := range variant.series {
			direction := -1
			if settings.limitsFor(of.Key).higherIsBetter {
				direction = 1
			}
			metrics[columnName(of.Key)] = map[string]any{"column": columnName(of.Key), "direction": direction}
		}
		tests[variant.name] = map[string]any{
			"type": "csv", "file": file, "time_column": "time", "attributes": []string{"revision"}, "metrics": metrics,
		}
	}
	encoded, err := yaml.Marshal(map[string]any{"tests": tests})
	if err == nil {
		_, err = w.Write(encoded)
	}
	if err != nil {
		return fmt.Errorf("writing configuration for Otava: %w", err)
	}
	return nil
}

// otavaVariant is a variant with the revisions that have it, and the figures that all of these have.
type otavaVariant struct {
	name      string
	revisions []int
	series    []Series
}

// otavaVariants are in the order in which they are first seen.
func (h History) otavaVariants() []otavaVariant {
	var variants []otavaVariant
	for _, of := range h.Series() {
		at := slices.IndexFunc(variants, func(v otavaVariant) bool { return v.name == of.Variant })
		if at < 0 {
			at = len(variants)
			variants = append(variants, otavaVariant{name: of.Variant})
		}
		variants[at].revisions = append(variants[at].revisions, of.Revisions...)
		variants[at].series = append(variants[at].series, of)
	}
	for i, variant := range variants {
		slices.Sort(variant.revisions)
		variants[i].revisions = slices.Compact(variant.revisions)
		variants[i].series = slices.DeleteFunc(variant.series, func(of Series) bool {
			return len(of.Revisions) < len(variants[i].revisions)
		})
	}
	return variants
}

// columnName has no comma, by which Otava's command line separates metrics.
func columnName(key Key) string {
	parts := []string{string(key.Metric), key.Step, key.Operation}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), ".")
}
