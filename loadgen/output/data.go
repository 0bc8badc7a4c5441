package output

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/figure"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// Document is what the JSON output holds.
type Document struct {
	// Summary has the figures that people compare, without percentiles of too few times.
	Summary reportv1.Summary `json:"summary"`
	// Doubts about them; none when there is nothing to doubt.
	Doubts []result.Doubt `json:"doubts"`
	// Report is what was measured: counters, histograms, intervals, errors, servers. The data of FTDC is not in it.
	Report reportv1.Report `json:"report"`
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
	withhold(&run.Summary)
	encoder := json.NewEncoder(to)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(Document{Summary: run.Summary, Doubts: run.Doubts, Report: withoutDiagnostics(report)})
}

// withhold leaves the percentiles out that there are too few times for.
func withhold(summary *reportv1.Summary) {
	for i := range summary.Steps {
		step := &summary.Steps[i]
		for k := range step.Operations {
			withholdOf(&step.Operations[k])
		}
		withholdOf(&step.Overall)
		withholdOfSchedule(step.Arrivals)
		for k := range step.Groups {
			withholdOf(&step.Groups[k].Overall)
			withholdOfSchedule(step.Groups[k].Arrivals)
		}
	}
}

func withholdOfSchedule(arrivals *reportv1.ArrivalsSummary) {
	if arrivals != nil {
		figure.Withhold(&arrivals.Lag)
		figure.Withhold(&arrivals.WakeUp)
	}
}

func withholdOf(o *reportv1.OperationSummary) {
	for _, times := range []*reportv1.TimesSummary{
		&o.TimesSummary, o.ServiceTime, o.FirstDocument, o.DatabaseTime, o.Failed, o.Corrected,
	} {
		figure.Withhold(times)
	}
}

// csvColumns are explained in the package's comment.
var csvColumns = slices.Concat([]string{"step", "operation", "kind", "threads", "durationMillis"}, operationColumns(),
	timesColumns("service"), timesColumns("firstDocument"), timesColumns("failed"), []string{"sweepOf"},
	columnsOf(figure.Steps), []string{
		"growthOf", "growthDocuments", "foundDocuments", "dataBytes", "storageBytes", "indexBytes",
		"costCurrency",
		"member", "atMillis", "outageMicros", "recoveryMillis", "error",
		"metric", "verdict", "baselineValue", "candidateValue", "pairs", "effectBasisPoints", "lowBasisPoints",
		"highBasisPoints", "decidedMillis", "durability", "tookMicros", "skipped", "limitMicros", "wantedPercent", "judged",
		"within", "percentiles",
	}, timesColumns("corrected"), timesColumns("databaseTime"))

// textColumns have words of users and of databases, and no numbers.
var textColumns = []string{
	"step", "operation", "kind", "client", "sweepOf", "growthOf", "member", "error", "durability", "costCurrency",
	"metric", "verdict", "percentiles",
}

// operationColumns are those of the figures of an operation, and what it was sent by.
func operationColumns() []string {
	columns := columnsOf(figure.Operations)
	return slices.Insert(columns, slices.Index(columns, "documents"), "client")
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

func timesColumns(prefix string) []string {
	columns := make([]string, 0, len(figure.Times))
	for _, time := range figure.Times {
		columns = append(columns, prefix+time.Name)
	}
	return columns
}

// line is one of the CSV: cells by the names of their columns. Those that it lacks are empty.
type line map[string]string

// CSV writes a report as lines; the package's comment says what the columns are.
func CSV(to io.Writer, report reportv1.Report) error {
	summary, err := result.Summarise(report)
	if err != nil {
		return fmt.Errorf("summarising the report: %w", err)
	}
	rows := [][]string{csvColumns}
	add := func(l line) {
		l["durability"] = report.Server.Durability
		row := make([]string, len(csvColumns))
		for i, column := range csvColumns {
			row[i] = l[column]
			if slices.Contains(textColumns, column) {
				row[i] = present.Harmless(l[column])
			}
		}
		rows = append(rows, row)
	}
	if load := summary.Load; load != nil {
		add(line{
			"step": "load", "threads": strconv.Itoa(load.Threads), "durationMillis": decimal(load.DurationMillis),
			"count": decimal(load.Documents), "errors": "0", "operationsPerSecond": decimal(load.DocumentsPerSecond),
			"client": load.Client, "documents": decimal(load.Documents),
		})
	}
	for _, step := range summary.Steps {
		for _, operation := range step.Operations {
			add(operationLine(step, operation))
		}
		add(stepLine(step, summary.Growth))
		for _, action := range step.Actions {
			add(actionLine(step, action))
		}
		for _, objective := range step.Objectives {
			add(objectiveLine(step, objective))
		}
	}
	for _, l := range duetLines(report.Duet) {
		add(l)
	}
	return csv.NewWriter(to).WriteAll(rows)
}

func operationLine(step reportv1.StepSummary, o reportv1.OperationSummary) line {
	l := line{
		"step": step.Name, "operation": o.Name, "kind": o.Kind, "threads": strconv.Itoa(step.Threads),
		"durationMillis": decimal(step.DurationMillis), "client": step.Client,
	}
	fill(l, figure.Operations, &o)
	l.times("service", o.ServiceTime)
	l.times("firstDocument", o.FirstDocument)
	l.times("failed", o.Failed)
	l.times("databaseTime", o.DatabaseTime)
	l.times("corrected", o.Corrected)
	for _, one := range o.Percentiles {
		found := present.Few
		if figure.CarriesPercent(one.PercentMillis, o.Timed) {
			found = decimal(one.Micros)
		}
		if l["percentiles"] != "" {
			l["percentiles"] += " "
		}
		l["percentiles"] += "p" + present.PercentMillis(int64(one.PercentMillis)) + "=" + found
	}
	return l
}

// stepLine is of all operations together. Of a step that belongs to a checkpoint it has the sizes as well.
func stepLine(step reportv1.StepSummary, growth []reportv1.GrowthSummary) line {
	l := operationLine(step, step.Overall)
	l["sweepOf"] = step.SweepOf
	if step.Arrivals != nil {
		l["skipped"] = decimal(step.Arrivals.Skipped)
	}
	fill(l, figure.Steps, &step)
	if step.Cost != nil {
		l["costCurrency"] = step.Cost.Currency
	}
	for _, g := range growth {
		if g.Documents == step.Documents {
			l["growthOf"], l["growthDocuments"], l["foundDocuments"] = step.GrowthOf, decimal(g.Documents), decimal(g.Found)
			l["dataBytes"], l["storageBytes"] = decimal(g.DataBytes), decimal(g.StorageBytes)
			l["indexBytes"] = decimal(g.IndexBytes)
			break
		}
	}
	return l
}

func actionLine(step reportv1.StepSummary, action reportv1.Action) line {
	l := line{
		"step": step.Name, "operation": action.Name, "kind": action.Type, "member": action.Member,
		"atMillis": decimal(action.AtMillis), "outageMicros": decimal(action.OutageMicros), "error": action.Error,
	}
	if action.TookMicros > 0 {
		l["tookMicros"] = decimal(action.TookMicros)
	}
	if action.RecoveryMillis != nil {
		l["recoveryMillis"] = decimal(*action.RecoveryMillis)
	}
	return l
}

func objectiveLine(step reportv1.StepSummary, one reportv1.ObjectiveSummary) line {
	l := line{
		"step": step.Name, "operation": one.Operation, "kind": "Objective", "verdict": "Missed",
		"limitMicros": decimal(one.LimitMicros), "wantedPercent": present.PercentMillis(int64(one.PercentMillis)),
		"judged": decimal(one.Operations), "within": decimal(one.Within),
	}
	if one.Kept {
		l["verdict"] = "Kept"
	}
	return l
}

// fill adds the figures of rows that have a column.
func fill[F, S any](l line, rows []figure.Row[F, S], from *F) {
	for _, row := range rows {
		if row.Column == "" {
			continue
		}
		if value := row.Of(from); value != nil {
			l[row.Column] = decimal(*value)
		} else if row.Absent != nil {
			l[row.Column] = row.Absent(from)
		}
	}
}

// times adds those that were measured.
func (l line) times(prefix string, times *reportv1.TimesSummary) {
	for _, time := range figure.Times {
		switch found := time.Shown(times); {
		case found != nil:
			l[prefix+time.Name] = decimal(*found)
		case times != nil && times.Timed > 0:
			l[prefix+time.Name] = present.Few
		}
	}
}

func decimal(number int64) string { return strconv.FormatInt(number, 10) }
