package output

import (
	"fmt"
	"io"
	"strings"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// hashDigits is how much of a plan's hash is shown to people.
const hashDigits = 12

// Text writes a report as tables.
func Text(to io.Writer, report reportv1.Report) error {
	summary, err := reportv1.Summarise(report)
	if err != nil {
		return fmt.Errorf("summarising the report: %w", err)
	}
	doubts, err := reportv1.Doubts(report)
	if err != nil {
		return fmt.Errorf("judging the report: %w", err)
	}
	var text strings.Builder
	header := columns{left: 2}
	header.add("Server", serverLine(report.Server))
	header.add("Generator", fmt.Sprintf("loadgen %s, %s, %s, plan %.*s", report.LoadgenVersion, report.Driver,
		plural(int64(report.Pods), "pod"), hashDigits, report.PlanHash))
	if load := summary.Load; load != nil {
		header.add("Load", fmt.Sprintf("%s in %s, %s documents/s", plural(load.Documents, "document"),
			seconds(load.DurationMillis), thousands(load.DocumentsPerSecond)))
	}
	header.write(&text)
	for _, step := range summary.Steps {
		text.WriteString("\n")
		writeStep(&text, step, measured(report, step.Name))
	}
	text.WriteString("\n")
	writeTrust(&text, doubts, len(summary.Steps))
	_, err = io.WriteString(to, text.String())
	return err
}

// measured is the report's step of a summary.
func measured(report reportv1.Report, name string) reportv1.Step {
	for _, step := range report.Steps {
		if step.Name == name {
			return step
		}
	}
	return reportv1.Step{}
}

func serverLine(server reportv1.Server) string {
	parts := []string{"MongoDB " + server.Version}
	switch {
	case server.Members > 1:
		parts = append(parts, fmt.Sprintf("%s of %d", server.Topology, server.Members))
	case server.Topology != "":
		parts = append(parts, server.Topology)
	}
	if server.StorageEngine != "" {
		parts = append(parts, server.StorageEngine)
	}
	if server.CacheMebibytes > 0 {
		parts = append(parts, fmt.Sprintf("cache %s MiB", thousands(server.CacheMebibytes)))
	}
	if server.MemoryLimitMebibytes > 0 {
		parts = append(parts, fmt.Sprintf("memory %s MiB", thousands(server.MemoryLimitMebibytes)))
	}
	if server.CPUCores > 0 {
		parts = append(parts, cores(server))
	}
	if server.DefaultWriteConcern != "" {
		parts = append(parts, "write concern "+server.DefaultWriteConcern)
	}
	return strings.Join(parts, ", ")
}

// cores are those that a mongod believes it has, and the part of them that it may use where that is known.
func cores(server reportv1.Server) string {
	all := plural(int64(server.CPUCores), "core")
	if server.CPULimitMillis == 0 {
		return all
	}
	return fmt.Sprintf("CPU limit %g of %s", float64(server.CPULimitMillis)/1000, all)
}

func writeStep(text *strings.Builder, summary reportv1.StepSummary, step reportv1.Step) {
	fmt.Fprintf(text, "Step %s: %s, %s measured, generator CPU %d %%\n", summary.Name,
		plural(int64(step.Threads), "thread"), seconds(summary.DurationMillis), step.Generator.BusiestPodPercent)
	table := columns{left: 2}
	table.add("operation", "kind", "count", "errors", "ops/s", "mean", "p50", "p95", "p99", "p99.9", "max")
	for _, operation := range summary.Operations {
		table.add(operationCells(operation.Name, operation, summary.DurationMillis)...)
	}
	if len(summary.Operations) > 1 {
		table.add(operationCells("all", summary.Overall, summary.DurationMillis)...)
	}
	table.write(text)
	for _, operation := range step.Operations {
		for _, class := range operation.ErrorClasses {
			fmt.Fprintf(text, "! %s: %s %s, first: %s\n",
				operation.Name, thousands(class.Count), class.Class, class.FirstMessage)
		}
	}
}

func operationCells(name string, o reportv1.OperationSummary, millis int64) []string {
	return []string{
		name, o.Kind, thousands(o.Count), thousands(o.Errors), rate(o, millis),
		reportv1.FormatMicros(o.MeanMicros), reportv1.FormatMicros(o.P50Micros), reportv1.FormatMicros(o.P95Micros),
		reportv1.FormatMicros(o.P99Micros), reportv1.FormatMicros(o.P999Micros), reportv1.FormatMicros(o.MaxMicros),
	}
}

// rate is a whole number, unless that would hide most of it: an aggregation may take many seconds.
func rate(o reportv1.OperationSummary, millis int64) string {
	const few = 10
	if o.OperationsPerSecond >= few || millis <= 0 {
		return thousands(o.OperationsPerSecond)
	}
	return fmt.Sprintf("%.2f", float64(o.Count)*1000/float64(millis))
}

// writeTrust says whether the numbers may be believed.
func writeTrust(text *strings.Builder, doubts []reportv1.Doubt, steps int) {
	switch {
	case steps == 0:
		text.WriteString("Trusted: nothing was measured\n")
	case len(doubts) == 0:
		text.WriteString("Trusted: yes, no check found a reason for doubt\n")
	default:
		text.WriteString("Trusted: no\n")
	}
	for _, doubt := range doubts {
		fmt.Fprintf(text, "  %s: %s\n", doubt.Reason, doubt.Message)
	}
}

// seconds writes a duration for people.
func seconds(millis int64) string {
	duration := time.Duration(millis) * time.Millisecond
	if duration < 10*time.Second {
		return fmt.Sprintf("%.2f s", duration.Seconds())
	}
	return fmt.Sprintf("%.1f s", duration.Seconds())
}

func plural(count int64, noun string) string {
	if count == 1 {
		return "1 " + noun
	}
	return thousands(count) + " " + noun + "s"
}
