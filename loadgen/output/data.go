package output

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// document is what the JSON output holds.
type document struct {
	Summary reportv1.Summary `json:"summary"`
	Doubts  []reportv1.Doubt `json:"doubts"`
	Report  reportv1.Report  `json:"report"`
}

// JSON writes a report with its summary and the doubts about it.
func JSON(to io.Writer, report reportv1.Report) error {
	summary, err := reportv1.Summarise(report)
	if err != nil {
		return fmt.Errorf("summarising the report: %w", err)
	}
	doubts, err := reportv1.Doubts(report)
	if err != nil {
		return fmt.Errorf("judging the report: %w", err)
	}
	if doubts == nil {
		doubts = []reportv1.Doubt{}
	}
	encoder := json.NewEncoder(to)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(document{Summary: summary, Doubts: doubts, Report: report})
}

// CSV writes a report as lines; the package's comment says what the columns are.
func CSV(to io.Writer, report reportv1.Report) error {
	summary, err := reportv1.Summarise(report)
	if err != nil {
		return fmt.Errorf("summarising the report: %w", err)
	}
	lines := csv.NewWriter(to)
	rows := [][]string{{
		"step", "operation", "kind", "threads", "durationMillis", "count", "errors", "operationsPerSecond",
		"meanMicros", "p50Micros", "p95Micros", "p99Micros", "p999Micros", "maxMicros",
	}}
	if load := summary.Load; load != nil {
		threads := strconv.Itoa(measured(report, "load").Threads)
		rows = append(rows, []string{
			"load", "", "", threads, decimal(load.DurationMillis), decimal(load.Documents), "0",
			decimal(load.DocumentsPerSecond), "", "", "", "", "", "",
		})
	}
	for _, step := range summary.Steps {
		threads := measured(report, step.Name).Threads
		for _, operation := range step.Operations {
			rows = append(rows, row(step, threads, operation))
		}
		rows = append(rows, row(step, threads, step.Overall))
	}
	return lines.WriteAll(rows)
}

func row(step reportv1.StepSummary, threads int, o reportv1.OperationSummary) []string {
	return []string{
		step.Name, o.Name, o.Kind, strconv.Itoa(threads), decimal(step.DurationMillis),
		decimal(o.Count), decimal(o.Errors), decimal(o.OperationsPerSecond), decimal(o.MeanMicros),
		decimal(o.P50Micros), decimal(o.P95Micros), decimal(o.P99Micros), decimal(o.P999Micros), decimal(o.MaxMicros),
	}
}

func decimal(number int64) string {
	return strconv.FormatInt(number, 10)
}
