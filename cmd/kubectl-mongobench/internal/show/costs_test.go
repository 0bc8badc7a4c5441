package show_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/show"
	"github.com/mongobench/mongobench-operator/internal/figure"
	"github.com/mongobench/mongobench-operator/internal/price"
)

// TestThePageOnCostsShowsWhatComesOfItsList reckons with the list of docs/how-to/cost.md what the page says of it.
func TestThePageOnCostsShowsWhatComesOfItsList(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "docs", "how-to", "cost.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := bytes.Cut(page, []byte("```yaml\n"))
	block, _, _ = bytes.Cut(block, []byte("---\n"))
	var list corev1.ConfigMap
	if err := yaml.UnmarshalStrict(block, &list); err != nil {
		t.Fatal(err)
	}
	prices, err := price.Parse(list.Data["prices.yaml"])
	if err != nil {
		t.Fatal(err)
	}
	cost, lacks := prices.Of([]price.Member{{
		Name: "priced-mongod-0", NodeType: "invented.large", Region: "invented-north", Alone: true,
		Volumes: []price.Volume{{Name: "data", Class: "invented-ssd", Bytes: 20 << 30}},
	}})
	if cost == nil {
		t.Fatal(lacks)
	}
	// 200 operations a second for a minute.
	step := reportv1alpha1.StepSummary{Name: "run", DurationMillis: 60_000, Overall: reportv1alpha1.OperationSummary{
		Count: 12_000, OperationsPerSecond: 200,
	}}
	step.Cost = price.OfStep(cost, &step)
	result := benchv1alpha1.StepResult{Name: step.Name}
	figure.Fill(figure.Steps, &step, &result)
	run := &benchv1alpha1.BenchmarkRun{}
	run.Status.Result = &benchv1alpha1.Result{
		Steps: []benchv1alpha1.StepResult{result},
		Cost:  &benchv1alpha1.CostResult{Currency: cost.Currency, PriceList: list.Name},
	}
	golden(t, "costs.txt", func(to io.Writer) error { return show.RunEnd(to, false, run) })
	want, err := os.ReadFile(filepath.Join("testdata", "costs.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "```\n"+strings.TrimLeft(string(want), "\n")+"```\n") {
		t.Errorf("the page does not show\n%s", want)
	}
}
