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
	"github.com/mongobench/mongobench-operator/internal/present"
	registry "github.com/mongobench/mongobench-operator/internal/reason"
)

// Run describes a run: what it was had on, how far it came, and its result.
func Run(to io.Writer, paint present.Paint, run *benchv1alpha1.BenchmarkRun) error {
	var head present.Facts
	head.Add("Run:", run.Namespace+"/"+run.Name)
	head.Add("Outcome:", Outcome(run))
	head.Add("Target:", present.Or(run.Status.TargetName))
	if server := run.Status.Server; server != nil {
		product := cmp.Or(server.Product, string(benchv1alpha1.ProductMongoDB))
		head.Add("Server:", fmt.Sprintf("%s %s, %s", product, server.Version, present.Or(server.StorageEngine)))
		head.Add("Durability:", server.Durability)
	}
	head.Add("Plan:", run.Status.PlanHash)
	if noted := run.Status.Fingerprint; noted != nil {
		head.Add("Nodes:", strings.Join(noted.NodeTypes, ", "))
		head.Add("Kernels:", strings.Join(noted.Kernels, ", "))
		head.Add("CPUs:", strings.Join(noted.CPUModels, ", "))
		head.Add("Settings:", strings.Join(noted.KernelSettings, "; "))
		head.Add("Zones:", strings.Join(noted.Zones, ", "))
		head.Add("Storage:", noted.StorageClass)
	}
	result := run.Status.Result
	if result != nil {
		if result.Load != nil {
			head.Add("Load:", fmt.Sprintf("%s documents, %s documents/s", number(result.Load.Documents),
				number(result.Load.DocumentsPerSecond)))
		}
		if result.Cost != nil {
			head.Add("Costs:", fmt.Sprintf("in %s, by price list %s", result.Cost.Currency, result.Cost.PriceList))
		}
		head.Add("Report:", result.Report.ConfigMapName)
	}
	head.Add("Compared with:", comparedWith(run.Status.Duet))
	text := present.Document{Paint: paint}
	text.Facts(head)
	verdict(&text, run.Status.Conditions)
	text.Part("Stages", stages(run.Status.Stages))
	text.Part("Result", operations(result))
	text.Part("Costs", costs(result))
	duet(&text, run.Status.Duet)
	return text.Write(to)
}

// verdict is what conditions say, and what to do about those that are false.
func verdict(text *present.Document, all []metav1.Condition) {
	text.Part("Conditions", conditions(all))
	text.Part("What to do", remedies(all))
}

func conditions(all []metav1.Condition) *present.Table {
	rows := present.NewTable([]string{"TYPE", "STATUS", "REASON", "MESSAGE"})
	for _, condition := range all {
		message := strings.Join(strings.Fields(condition.Message), " ")
		rows.Add(condition.Type, string(condition.Status), condition.Reason, message)
	}
	return rows
}

// stages do not overlap, except warm-ups and measurements of steps that alternate.
func stages(all []benchv1alpha1.StageStatus) *present.Table {
	rows := present.NewTable([]string{"STAGE"}, "BEGAN AT", "TOOK")
	var first, last time.Time
	for _, stage := range all {
		if first.IsZero() {
			first = stage.StartTime.Time
		}
		took := "not ended"
		if stage.CompletionTime != nil {
			last = stage.CompletionTime.Time
			took = present.Seconds(last.Sub(stage.StartTime.Time))
		}
		rows.Add(stage.Name, present.Seconds(stage.StartTime.Sub(first)), took)
	}
	if len(all) > 0 {
		rows.Add("all", "", present.Seconds(max(0, last.Sub(first))))
	}
	return rows
}

func operations(result *benchv1alpha1.Result) *present.Table {
	shown := figure.Labelled(figure.Operations)
	headings := make([]string, len(shown))
	for i, row := range shown {
		headings[i] = strings.ToUpper(row.Label)
	}
	rows := present.NewTable([]string{"STEP", "OPERATION"}, headings...)
	if result == nil {
		return rows
	}
	for _, step := range result.Steps {
		for _, operation := range step.Operations {
			timed := ptr.Deref(operation.Unacknowledged, 0) != ptr.Deref(operation.Count, 0)
			cells := []string{step.Name, operation.Name}
			for _, row := range shown {
				switch value := row.In.Get(&operation); {
				case row.Timed && !timed:
					cells = append(cells, present.Unknown)
				case value == nil && row.Quantile > 0:
					cells = append(cells, present.Few)
				case row.Unit == figure.Micros:
					cells = append(cells, micros(value))
				default:
					cells = append(cells, number(value))
				}
			}
			rows.Add(cells...)
		}
	}
	return rows
}

// costs are what each step comes to, of a run that has a price list.
func costs(result *benchv1alpha1.Result) *present.Table {
	rows := present.NewTable([]string{"STEP"}, "OPS/S", "A MILLION OPERATIONS", "A MONTH AT THIS RATE")
	if result == nil || result.Cost == nil {
		return rows
	}
	for _, step := range result.Steps {
		money := func(micros *int64) string {
			if micros == nil {
				return present.Unknown
			}
			return present.Money(*micros) + " " + result.Cost.Currency
		}
		rows.Add(step.Name, number(step.OperationsPerSecond), money(step.CostPerMillionOperationsMicros),
			money(step.CostPerMonthAtRateMicros))
	}
	return rows
}

// RunEnd writes what a run came to: its result, or why it has none and what to do about it.
func RunEnd(to io.Writer, paint present.Paint, run *benchv1alpha1.BenchmarkRun) error {
	text := &present.Document{Paint: paint, Below: true}
	if run.Status.Result == nil {
		verdict(text, slices.DeleteFunc(slices.Clone(run.Status.Conditions), func(c metav1.Condition) bool {
			return c.Type == benchv1alpha1.RunTrusted && c.Status == metav1.ConditionUnknown
		}))
	}
	text.Part("Result", operations(run.Status.Result))
	text.Part("Costs", costs(run.Status.Result))
	duet(text, run.Status.Duet)
	return text.Write(to)
}

// Stages writes how long each stage of a run took.
func Stages(to io.Writer, paint present.Paint, run *benchv1alpha1.BenchmarkRun) error {
	text := &present.Document{Paint: paint, Below: true}
	text.Part("Stages", stages(run.Status.Stages))
	return text.Write(to)
}

// remedies of the conditions that are false, each once.
func remedies(all []metav1.Condition) *present.Table {
	rows := present.NewTable([]string{"REASON", "REMEDY"})
	var seen []string
	for _, condition := range all {
		known := registry.Remedy(condition.Reason)
		if condition.Status != metav1.ConditionFalse || condition.Type == benchv1alpha1.RunTrusted ||
			strings.Contains(condition.Message, known) || slices.Contains(seen, condition.Reason) {
			continue // There is none, or it is told already, as the message of Trusted does.
		}
		seen = append(seen, condition.Reason)
		rows.Add(condition.Reason, known)
	}
	return rows
}

// SideBySide writes what each of several runs measured, a line for every operation.
func SideBySide(to io.Writer, paint present.Paint, runs []*benchv1alpha1.BenchmarkRun) error {
	headings := []string{"LOAD/S", "COUNT", "ERRORS", "OPS/S", "P50", "P99", "FIRST DOCUMENT P50"}
	rows := present.NewTable([]string{"RUN", "OUTCOME", "STEP", "OPERATION"}, headings...)
	for _, run := range runs {
		result := run.Status.Result
		if result == nil {
			rows.Add(run.Name, Outcome(run))
			continue
		}
		loaded := present.Unknown
		if result.Load != nil {
			loaded = number(result.Load.DocumentsPerSecond)
		}
		for _, step := range result.Steps {
			for _, o := range step.Operations {
				rows.Add(run.Name, Outcome(run), step.Name, o.Name, loaded, number(o.Count), number(o.Errors),
					number(o.OperationsPerSecond), micros(o.P50Micros), micros(o.P99Micros), micros(o.FirstDocumentP50Micros))
			}
		}
	}
	text := &present.Document{Paint: paint, Below: true}
	text.Part("All runs", rows)
	return text.Write(to)
}
