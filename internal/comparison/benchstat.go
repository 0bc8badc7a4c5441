package comparison

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/mongobench/mongobench-operator/internal/figure"
)

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
	for _, info := range figure.Compared {
		better := "lower"
		if throughput(info) {
			better = "higher"
		}
		_, _ = fmt.Fprintf(out, "Unit %s better=%s\n", info.BenchUnit, better)
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
	lines := make(map[string]*strings.Builder)
	for _, found := range sample.Figures {
		name := benchmarkName(found.Key)
		line, ok := lines[name]
		if !ok {
			line = &strings.Builder{}
			lines[name] = line
			names = append(names, name)
		}
		info := infoOf(found.Metric)
		_, _ = fmt.Fprintf(line, " %d %s", found.Value*benchFactor(info), info.BenchUnit)
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

// configKey writes a field's name as the format wants it: without capitals.
func configKey(field string) string {
	var key strings.Builder
	for _, letter := range field {
		if unicode.IsUpper(letter) {
			key.WriteByte('-')
		}
		key.WriteRune(unicode.ToLower(letter))
	}
	return key.String()
}
