package estimate

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/mongobench/mongobench-operator/internal/capacity"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// Write writes an estimate for people.
func Write(to io.Writer, estimate Estimate) error {
	var text strings.Builder
	for i := range estimate.Runs {
		separate(&text)
		writeRun(&text, &estimate.Runs[i], estimate.Reference)
	}
	for i := range estimate.Suites {
		separate(&text)
		writeSuite(&text, &estimate.Suites[i], estimate.Reference)
	}
	_, err := io.WriteString(to, text.String())
	return err
}

func separate(text *strings.Builder) {
	if text.Len() > 0 {
		text.WriteString("\n")
	}
}

// columns writes rows of cells, which are separated by tabs, with two spaces between columns. A Builder takes
// everything.
func columns(text *strings.Builder, rows ...string) {
	table := tabwriter.NewWriter(text, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		_, _ = fmt.Fprintln(table, row)
	}
	_ = table.Flush()
}

func writeRun(text *strings.Builder, run *Run, reference *Reference) {
	fmt.Fprintf(text, "run/%s\n\n", run.Name)
	columns(text, podRows(run.Pods)...)
	text.WriteString("\n")
	rows := make([]string, 0, len(run.Dataset)+8)
	for _, c := range run.Dataset {
		rows = append(rows, "dataset\t"+collectionLine(c))
	}
	rows = append(rows, timeRows(run.Time, reference)...)
	for _, warning := range run.Warnings {
		rows = append(rows, "warning\t"+warning)
	}
	rows = append(rows, endRows(run.NotCounted, run.Fits)...)
	columns(text, rows...)
}

func writeSuite(text *strings.Builder, suite *Suite, reference *Reference) {
	fmt.Fprintf(text, "suite/%s: %s runs, %d at a time\n\n", suite.Name, present.Count(int64(suite.Runs)),
		suite.Parallelism)
	rows := []string{"VARIANT\tRUNS\tPODS\tCPU\tMEMORY\tVOLUMES\tDOCUMENTS\tEACH AT LEAST"}
	var warnings []string
	for i := range suite.Variants {
		variant := &suite.Variants[i]
		requests, _, volumes := total(variant.Pods)
		_, bytes := sizeOf(variant.Dataset)
		rows = append(rows, fmt.Sprintf("%s\t%d\t%d\t%s\t%s\t%s\t%s\t%s", variant.Name, variant.Repetitions, requests.Pods,
			capacity.Cores(requests.CPUMillis), capacity.Memory(requests.MemoryBytes), size(volumes), size(bytes),
			seconds(variant.Time.LeastSeconds)))
		for _, warning := range variant.Warnings {
			warnings = append(warnings, "warning\tvariant "+variant.Name+": "+warning)
		}
	}
	columns(text, rows...)
	text.WriteString("\nat once, at most\n\n")
	columns(text, podRows(suite.Pods)...)
	text.WriteString("\n")
	sum := Time{LeastSeconds: suite.LeastSeconds, Load: suite.Load, Rest: suite.Rest}
	rows = append(timeRows(sum, reference), warnings...)
	columns(text, append(rows, endRows(suite.NotCounted, suite.Fits)...)...)
}

func podRows(all []Pods) []string {
	rows := []string{"PART\tPODS\tCPU\tLIMIT\tMEMORY\tLIMIT\tVOLUME"}
	for _, pods := range all {
		volume := "-"
		if pods.Volume != nil {
			volume = size(pods.Volume.Bytes) + " " + string(pods.Volume.Medium)
		}
		rows = append(rows, podRow(pods.Part, pods.Count, pods.Requests, pods.Limits, volume))
	}
	requests, limits, volumes := total(all)
	return append(rows, podRow("together", int(requests.Pods), requests, limits, size(volumes)))
}

func podRow(part string, count int, requests, limits capacity.Amount, volume string) string {
	return fmt.Sprintf("%s\t%d\t%s\t%s\t%s\t%s\t%s", part, count, capacity.Cores(requests.CPUMillis),
		capacity.Cores(limits.CPUMillis), capacity.Memory(requests.MemoryBytes), capacity.Memory(limits.MemoryBytes), volume)
}

func collectionLine(c Collection) string {
	if c.Documents == 0 {
		return c.Name + ": begins empty"
	}
	return fmt.Sprintf("%s: %s documents of %s bytes, the mean of %s, are %s before compression", c.Name,
		present.Count(c.Documents), present.Count(c.DocumentBytes), present.Count(c.Sampled), size(c.Bytes))
}

// timeRows are the times; what nobody knows is said to be unknown.
func timeRows(times Time, reference *Reference) []string {
	steps := make([]string, 0, len(times.Steps))
	for _, step := range times.Steps {
		told := step.Name + " " + seconds(step.LeastSeconds)
		if step.Open {
			told += " and more"
		}
		steps = append(steps, told)
	}
	measuring := "measuring\tat least " + seconds(times.LeastSeconds)
	if len(steps) > 0 {
		measuring += ": " + strings.Join(steps, ", ")
	}
	const nobody = "unknown: no finished run of the namespace is known that loaded anything"
	load, rest := "load\t"+nobody, "besides\t"+nobody
	if times.Load != nil {
		load = "load\t" + span(*times.Load)
	}
	if reference != nil {
		load += fmt.Sprintf(", with %s documents or %s a second, as run %s loaded",
			present.Count(reference.DocumentsPerSecond),
			size(reference.DocumentsPerSecond*reference.DocumentBytes), reference.Run)
	}
	if times.Rest != nil {
		rest = "besides\t" + span(*times.Rest) + ", provisioning, collecting and cleaning up"
	}
	return []string{measuring, load, rest}
}

func endRows(left []string, fits *Fit) []string {
	rows := make([]string, 0, len(left)+1)
	for _, what := range left {
		rows = append(rows, "not counted\t"+what)
	}
	if fits != nil {
		rows = append(rows, fmt.Sprintf("fits\t%s: %s", fits.Answer, fits.Why))
	}
	return rows
}

func span(s Span) string {
	low, high := seconds(s.LowSeconds), seconds(s.HighSeconds)
	if low == high {
		return "about " + low
	}
	return low + " to " + high
}

func seconds(n float64) string {
	if n > 0 && n < 1 {
		return "less than 1s"
	}
	return duration.HumanDuration(time.Duration(n * float64(time.Second)).Round(time.Second))
}

// size writes bytes in the largest unit of which there is one.
func size(bytes int64) string {
	units := []string{"KiB", "MiB", "GiB", "TiB"}
	value, unit := float64(bytes), "B"
	for _, next := range units {
		if value < 1024 {
			break
		}
		value, unit = value/1024, next
	}
	if value == float64(int64(value)) {
		return fmt.Sprintf("%d %s", int64(value), unit)
	}
	return fmt.Sprintf("%.1f %s", value, unit)
}
