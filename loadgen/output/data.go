package output

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/figure"
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
	run, err := Look("", report)
	if err != nil {
		return err
	}
	if run.Doubts == nil {
		run.Doubts = []result.Doubt{}
	}
	encoder := json.NewEncoder(to)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(document{Summary: run.Summary, Doubts: run.Doubts, Report: report})
}

// csvColumns are explained in the package's comment.
var csvColumns = slices.Concat([]string{"step", "operation", "kind", "threads", "durationMillis"},
	columnsOf(figuresBefore), []string{"client"}, columnsOf(figuresAfter), timesColumns("service"),
	timesColumns("firstDocument"), []string{"sweepOf"}, columnsOf(figure.Steps), growthColumns, actionColumns)

// figuresBefore and figuresAfter are those of an operation on either side of the column client.
var (
	documentsAt   = slices.IndexFunc(figure.Operations, isDocuments)
	figuresBefore = figure.Operations[:documentsAt]
	figuresAfter  = figure.Operations[documentsAt:]
)

func isDocuments(row figure.Row[reportv1.OperationSummary, benchv1alpha1.OperationResult]) bool {
	return row.Column == "documents"
}

// columnsOf are the names of the columns of rows.
func columnsOf[F, S any](rows []figure.Row[F, S]) []string {
	var columns []string
	for _, row := range rows {
		if row.Column != "" {
			columns = append(columns, row.Column)
		}
	}
	return columns
}

// cellsOf are the cells of those columns.
func cellsOf[F, S any](rows []figure.Row[F, S], from *F) []string {
	var cells []string
	for _, row := range rows {
		if row.Column == "" {
			continue
		}
		cell := ""
		if value := row.Of(from); value != nil {
			cell = decimal(*value)
		} else if row.Absent != nil {
			cell = row.Absent(from)
		}
		cells = append(cells, cell)
	}
	return cells
}

func timesColumns(prefix string) []string {
	columns := make([]string, 0, len(figure.Times))
	for _, time := range figure.Times {
		columns = append(columns, prefix+time.Name)
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
		loaded := slices.Concat([]string{"load", "", "", strconv.Itoa(load.Threads), decimal(load.DurationMillis)},
			[]string{decimal(load.Documents), "0", decimal(load.DocumentsPerSecond)},
			timesCells(nil), []string{load.Client, decimal(load.Documents)})
		rows = append(rows, wide(loaded))
	}
	for _, step := range summary.Steps {
		for _, operation := range step.Operations {
			rows = append(rows, wide(operationRow(step, operation)))
		}
		whole := slices.Concat(operationRow(step, step.Overall),
			[]string{step.SweepOf}, cellsOf(figure.Steps, &step), growthCells(step, summary.Growth))
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
	return slices.Concat([]string{step.Name, o.Name, o.Kind, strconv.Itoa(step.Threads), decimal(step.DurationMillis)},
		cellsOf(figuresBefore, &o), []string{step.Client}, cellsOf(figuresAfter, &o),
		timesCells(o.ServiceTime), timesCells(o.FirstDocument))
}

// timesCells are empty where the time was not measured.
func timesCells(times *reportv1.TimesSummary) []string {
	cells := make([]string, len(figure.Times))
	for i, time := range figure.Times {
		if times != nil {
			cells[i] = decimal(*time.Of(times))
		}
	}
	return cells
}

func decimal(number int64) string {
	return strconv.FormatInt(number, 10)
}

// actionColumns are those that only the lines of actions have.
var actionColumns = []string{"member", "atMillis", "outageMicros", "recoveryMillis", "error"}

// actionRow is a line of the CSV for an action.
func actionRow(step reportv1.StepSummary, action reportv1.Action) []string {
	row := make([]string, len(csvColumns))
	copy(row, []string{step.Name, action.Name, action.Type})
	recovered := ""
	if action.RecoveryMillis != nil {
		recovered = decimal(*action.RecoveryMillis)
	}
	copy(row[len(row)-len(actionColumns):], []string{
		action.Member, decimal(action.AtMillis), decimal(action.OutageMicros), recovered, action.Error,
	})
	return row
}

// growthColumns of the CSV are those of the checkpoint that a step belongs to.
var growthColumns = []string{
	"growthOf", "growthDocuments", "foundDocuments", "dataBytes", "storageBytes", "indexBytes",
}

// growthCells are nothing for a step that belongs to no checkpoint.
func growthCells(step reportv1.StepSummary, growth []reportv1.GrowthSummary) []string {
	for _, g := range growth {
		if g.Documents == step.Documents {
			return []string{
				step.GrowthOf, decimal(g.Documents), decimal(g.Found), decimal(g.DataBytes), decimal(g.StorageBytes),
				decimal(g.IndexBytes),
			}
		}
	}
	return nil
}
