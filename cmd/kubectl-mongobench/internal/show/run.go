package show

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
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

func stages(paint Paint, all []benchv1alpha1.StageStatus) *table {
	rows := newTable(paint, "STAGE", "BEGAN AT", "TOOK").numbers("BEGAN AT", "TOOK")
	var first time.Time
	for _, stage := range all {
		if first.IsZero() {
			first = stage.StartTime.Time
		}
		took := "not ended"
		if stage.CompletionTime != nil {
			took = fmt.Sprintf("%.1f s", stage.CompletionTime.Sub(stage.StartTime.Time).Seconds())
		}
		rows.add(stage.Name, fmt.Sprintf("%.1f s", stage.StartTime.Sub(first).Seconds()), took)
	}
	return rows
}

func operations(paint Paint, result *benchv1alpha1.Result) *table {
	headings := []string{"COUNT", "ERRORS", "OPS/S", "MEAN", "P50", "P95", "P99", "P99.9", "MAX"}
	rows := newTable(paint, append([]string{"STEP", "OPERATION"}, headings...)...).numbers(headings...)
	for _, step := range result.Steps {
		for _, operation := range step.Operations {
			if ptr.Deref(operation.Unacknowledged, 0) == ptr.Deref(operation.Count, 0) {
				// Nothing was timed.
				operation = benchv1alpha1.OperationResult{
					Name: operation.Name, Count: operation.Count, Errors: operation.Errors,
					OperationsPerSecond: operation.OperationsPerSecond,
				}
			}
			rows.add(step.Name, operation.Name, number(operation.Count), number(operation.Errors),
				number(operation.OperationsPerSecond), micros(operation.MeanMicros), micros(operation.P50Micros),
				micros(operation.P95Micros), micros(operation.P99Micros), micros(operation.P999Micros),
				micros(operation.MaxMicros))
		}
	}
	return rows
}

// RunEnd writes what a run came to: its result, or all that its conditions say.
func RunEnd(to io.Writer, paint Paint, run *benchv1alpha1.BenchmarkRun) error {
	if run.Status.Result == nil {
		return write(to, paint, []part{{"Conditions", conditions(paint, run.Status.Conditions)}})
	}
	return write(to, paint, []part{{"Result", operations(paint, run.Status.Result)}})
}
