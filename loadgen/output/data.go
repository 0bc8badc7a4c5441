package output

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// document is what the JSON output holds.
type document struct {
	Summary reportv1.Summary `json:"summary"`
	Doubts  []result.Doubt   `json:"doubts"`
	Report  reportv1.Report  `json:"report"`
}

// JSON writes a report with its summary and the doubts about it.
func JSON(to io.Writer, report reportv1.Report) error {
	summary, err := result.Summarise(report)
	if err != nil {
		return fmt.Errorf("summarising the report: %w", err)
	}
	doubts, err := result.Doubts(report)
	if err != nil {
		return fmt.Errorf("judging the report: %w", err)
	}
	if doubts == nil {
		doubts = []result.Doubt{}
	}
	encoder := json.NewEncoder(to)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(document{Summary: summary, Doubts: doubts, Report: report})
}

// csvColumns are explained in the package's comment.
var csvColumns = slices.Concat([]string{
	"step", "operation", "kind", "threads", "durationMillis", "count", "errors", "operationsPerSecond",
	"meanMicros", "p50Micros", "p95Micros", "p99Micros", "p999Micros", "maxMicros",
	"client", "documents", "retries", "unacknowledged",
}, timesColumns("service"), timesColumns("firstDocument"), []string{
	"sweepOf", "requestedPerSecond", "achievedPerSecond", "dropped", "late", "lagP50Micros", "lagP99Micros",
	"lagMaxMicros", "wakeUpP99Micros", "steadyAfterMillis", "variationPercent", "drainMillis", "sentDocuments",
	"arrivedDocuments",
}, growthColumns, actionColumns)

func timesColumns(prefix string) []string {
	columns := make([]string, 0, 6)
	for _, name := range []string{"Mean", "P50", "P95", "P99", "P999", "Max"} {
		columns = append(columns, prefix+name+"Micros")
	}
	return columns
}

// CSV writes a report as lines; the package's comment says what the columns are.
func CSV(to io.Writer, report reportv1.Report) error {
	summary, err := result.Summarise(report)
	if err != nil {
		return fmt.Errorf("summarising the report: %w", err)
	}
	lines := csv.NewWriter(to)
	rows := [][]string{csvColumns}
	if load := summary.Load; load != nil {
		loaded := make([]string, len(csvColumns))
		copy(loaded, []string{
			"load", "", "", strconv.Itoa(load.Threads), decimal(load.DurationMillis), decimal(load.Documents), "0",
			decimal(load.DocumentsPerSecond), "", "", "", "", "", "", load.Client, decimal(load.Documents),
		})
		rows = append(rows, loaded)
	}
	for _, step := range summary.Steps {
		for _, operation := range step.Operations {
			rows = append(rows, wide(operationRow(step, operation)))
		}
		whole := slices.Concat(operationRow(step, step.Overall), stepRow(step), growthCells(step, summary.Growth))
		rows = append(rows, wide(whole))
		for _, action := range step.Actions {
			rows = append(rows, actionRow(step, action))
		}
	}
	// Of all writes of a report it is the same.
	rows[0] = append(slices.Clip(rows[0]), "durability")
	for i := range rows[1:] {
		rows[1+i] = append(rows[1+i], report.Server.Durability)
	}
	return lines.WriteAll(rows)
}

// wide is a line with all columns, the last of them empty.
func wide(row []string) []string {
	return append(row, make([]string, len(csvColumns)-len(row))...)
}

func operationRow(step reportv1.StepSummary, o reportv1.OperationSummary) []string {
	return slices.Concat([]string{
		step.Name, o.Name, o.Kind, strconv.Itoa(step.Threads), decimal(step.DurationMillis),
		decimal(o.Count), decimal(o.Errors), decimal(o.OperationsPerSecond), decimal(o.MeanMicros),
		decimal(o.P50Micros), decimal(o.P95Micros), decimal(o.P99Micros), decimal(o.P999Micros), decimal(o.MaxMicros),
		step.Client, decimal(o.Documents), decimal(o.Retries), decimal(o.Unacknowledged),
	}, timesCells(o.ServiceTime), timesCells(o.FirstDocument))
}

// timesCells are empty where the time was not measured.
func timesCells(times *reportv1.TimesSummary) []string {
	if times == nil {
		return make([]string, 6)
	}
	return []string{
		decimal(times.MeanMicros), decimal(times.P50Micros), decimal(times.P95Micros), decimal(times.P99Micros),
		decimal(times.P999Micros), decimal(times.MaxMicros),
	}
}

// stepRow is what is known of a step as a whole only.
func stepRow(step reportv1.StepSummary) []string {
	arrivals, steady, drain := make([]string, 8), make([]string, 2), make([]string, 3)
	if a := step.Arrivals; a != nil {
		arrivals = []string{
			decimal(a.RequestedPerSecond), decimal(a.AchievedPerSecond), decimal(a.Dropped), decimal(a.Late),
			decimal(a.Lag.P50Micros), decimal(a.Lag.P99Micros), decimal(a.Lag.MaxMicros), decimal(a.WakeUp.P99Micros),
		}
	}
	if step.Steady != nil {
		steady[1] = strconv.Itoa(step.Steady.VariationPercent)
		if steady[0] = "never"; step.Steady.Reached {
			steady[0] = decimal(step.Steady.AfterMillis)
		}
	}
	if step.Drain != nil {
		drain[0] = decimal(step.Drain.Micros / 1000)
		if step.Drain.Counted {
			drain[1], drain[2] = decimal(step.Drain.Sent), decimal(step.Drain.Arrived)
		}
	}
	return slices.Concat([]string{step.SweepOf}, arrivals, steady, drain)
}

func decimal(number int64) string {
	return strconv.FormatInt(number, 10)
}
