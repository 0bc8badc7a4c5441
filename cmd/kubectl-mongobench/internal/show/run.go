package show

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/figure"
	"github.com/mongobench/mongobench-operator/internal/remedy"
)

// Run describes a run: what it was had on, how far it came, and its result.
func Run(to io.Writer, paint Paint, run *benchv1alpha1.BenchmarkRun) error {
	head := newTable(false, "Run:", run.Namespace+"/"+run.Name)
	head.add("Outcome:", Outcome(run))
	head.add("Target:", or(run.Status.TargetName))
	if server := run.Status.Server; server != nil {
		product := cmp.Or(server.Product, string(benchv1alpha1.TargetMongoDB))
		head.add("Server:", fmt.Sprintf("%s %s, %s", product, server.Version, or(server.StorageEngine)))
		if server.Durability != "" {
			head.add("Durability:", server.Durability)
		}
	}
	if run.Status.PlanHash != "" {
		head.add("Plan:", run.Status.PlanHash)
	}
	head.rows = append(head.rows, machines(run.Status.Fingerprint)...)
	parts := []part{
		{"", head},
		{"Conditions", conditions(paint, run.Status.Conditions)},
		{whatToDo, remedies(paint, run.Status.Conditions)},
		{"Stages", stages(paint, run.Status.Stages)},
	}
	if result := run.Status.Result; result != nil {
		parts = append(parts, part{"Result", operations(paint, result)})
		if result.Load != nil {
			head.add("Load:", fmt.Sprintf("%s documents, %s documents/s", number(result.Load.Documents),
				number(result.Load.DocumentsPerSecond)))
		}
		head.add("Report:", result.Report.ConfigMapName)
	}
	return write(to, paint, parts)
}

// part of a description is a table with a heading. One without rows is not written.
type part struct {
	heading string
	table   *table
}

func write(to io.Writer, paint Paint, parts []part) error {
	for _, part := range parts {
		if part.heading != "" {
			if len(part.table.rows) < 2 {
				continue
			}
			if _, err := fmt.Fprintf(to, "\n%s\n", paint.with(bold, part.heading)); err != nil {
				return err
			}
		}
		if err := part.table.write(to); err != nil {
			return err
		}
	}
	return nil
}

func machines(fingerprint *benchv1alpha1.RunFingerprint) [][]string {
	if fingerprint == nil {
		return nil
	}
	var rows [][]string
	for _, row := range [][]string{
		{"Nodes:", strings.Join(fingerprint.NodeTypes, ", ")},
		{"Kernels:", strings.Join(fingerprint.Kernels, ", ")},
		{"CPUs:", strings.Join(fingerprint.CPUModels, ", ")},
		{"Settings:", strings.Join(fingerprint.KernelSettings, "; ")},
		{"Storage:", fingerprint.StorageClass},
	} {
		if row[1] != "" {
			rows = append(rows, row)
		}
	}
	return rows
}

func conditions(paint Paint, all []metav1.Condition) *table {
	rows := newTable(paint, "TYPE", "STATUS", "REASON", "MESSAGE")
	for _, condition := range all {
		message := strings.Join(strings.Fields(condition.Message), " ")
		rows.add(condition.Type, string(condition.Status), condition.Reason, message)
	}
	return rows
}

// stages do not overlap, except warm-ups and measurements of steps that alternate.
func stages(paint Paint, all []benchv1alpha1.StageStatus) *table {
	rows := newTable(paint, "STAGE", "BEGAN AT", "TOOK").numbers("BEGAN AT", "TOOK")
	var first, last time.Time
	for _, stage := range all {
		if first.IsZero() {
			first = stage.StartTime.Time
		}
		took := "not ended"
		if stage.CompletionTime != nil {
			last = stage.CompletionTime.Time
			took = fmt.Sprintf("%.1f s", last.Sub(stage.StartTime.Time).Seconds())
		}
		rows.add(stage.Name, fmt.Sprintf("%.1f s", stage.StartTime.Sub(first).Seconds()), took)
	}
	if len(all) > 0 {
		rows.add("all", "", fmt.Sprintf("%.1f s", max(0, last.Sub(first).Seconds())))
	}
	return rows
}

func operations(paint Paint, result *benchv1alpha1.Result) *table {
	shown := figure.Labelled(figure.Operations)
	headings := make([]string, len(shown))
	for i, row := range shown {
		headings[i] = strings.ToUpper(row.Label)
	}
	rows := newTable(paint, append([]string{"STEP", "OPERATION"}, headings...)...).numbers(headings...)
	for _, step := range result.Steps {
		for _, operation := range step.Operations {
			timed := ptr.Deref(operation.Unacknowledged, 0) != ptr.Deref(operation.Count, 0)
			cells := []string{step.Name, operation.Name}
			for _, row := range shown {
				switch value := row.In.Get(&operation); {
				case row.Timed && !timed:
					cells = append(cells, unknown)
				case row.Unit == figure.Micros:
					cells = append(cells, micros(value))
				default:
					cells = append(cells, number(value))
				}
			}
			rows.add(cells...)
		}
	}
	return rows
}

// RunEnd writes what a run came to: its result, or why it has none and what to do about it.
func RunEnd(to io.Writer, paint Paint, run *benchv1alpha1.BenchmarkRun) error {
	if run.Status.Result == nil {
		told := slices.DeleteFunc(slices.Clone(run.Status.Conditions), func(c metav1.Condition) bool {
			return c.Type == benchv1alpha1.RunTrusted && c.Status == metav1.ConditionUnknown
		})
		return write(to, paint, []part{{"Conditions", conditions(paint, told)}, {whatToDo, remedies(paint, told)}})
	}
	return write(to, paint, []part{{"Result", operations(paint, run.Status.Result)}})
}

// Stages writes how long each stage of a run took.
func Stages(to io.Writer, paint Paint, run *benchv1alpha1.BenchmarkRun) error {
	return write(to, paint, []part{{"Stages", stages(paint, run.Status.Stages)}})
}

const whatToDo = "What to do"

// remedies of the conditions that are false, each once.
func remedies(paint Paint, all []metav1.Condition) *table {
	rows := newTable(paint, "REASON", "REMEDY")
	var seen []string
	for _, condition := range all {
		known := remedy.Of(condition.Reason)
		if condition.Status != metav1.ConditionFalse || known == "" || slices.Contains(seen, condition.Reason) {
			continue
		}
		seen = append(seen, condition.Reason)
		rows.add(condition.Reason, known)
	}
	return rows
}

// SideBySide writes what each of several runs measured, a line for every operation.
func SideBySide(to io.Writer, paint Paint, runs []*benchv1alpha1.BenchmarkRun) error {
	headings := []string{"LOAD/S", "COUNT", "ERRORS", "OPS/S", "P50", "P99", "FIRST DOCUMENT P50"}
	rows := newTable(paint, append([]string{"RUN", "OUTCOME", "STEP", "OPERATION"}, headings...)...).numbers(headings...)
	for _, run := range runs {
		result := run.Status.Result
		if result == nil {
			rows.add(run.Name, Outcome(run))
			continue
		}
		loaded := unknown
		if result.Load != nil {
			loaded = number(result.Load.DocumentsPerSecond)
		}
		for _, step := range result.Steps {
			for _, o := range step.Operations {
				rows.add(run.Name, Outcome(run), step.Name, o.Name, loaded, number(o.Count), number(o.Errors),
					number(o.OperationsPerSecond), micros(o.P50Micros), micros(o.P99Micros), micros(o.FirstDocumentP50Micros))
			}
		}
	}
	return write(to, paint, []part{{"All runs", rows}})
}
