//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
)

const dashboardFiles = "../../charts/mongobench-operator/dashboards/*.json"

// labelValues is the query of a variable.
var labelValues = regexp.MustCompile(`^label_values\((.+), ([a-z]+)\)$`)

// question is a query of a dashboard.
type question struct {
	place, expression string
	instant           bool
}

// TestDashboardsAreNotEmpty makes runs of every sort and a small suite, and asks a real Prometheus every query of every
// dashboard while one more run is measured: each has an answer for one of them.
func TestDashboardsAreNotEmpty(t *testing.T) {
	t.Parallel()
	n := cluster.Namespace(t)
	prometheus := cluster.Prometheus(t)
	began := time.Now()
	n.Apply(t, priceList(), harness.Target("before", harness.Standalone("6.0.5")))
	ended := []*benchv1alpha1.BenchmarkRun{withLoops(), growing(), faulty(), thorough(), served(), inTurns("before")}
	for _, run := range ended {
		n.Apply(t, run)
	}
	for _, run := range ended {
		n.WaitSuccess(t, run)
	}
	suite := lookups("index", withoutIndex)
	// The fewest with which a change has bounds at 95 % confidence.
	suite.Spec.Repetitions = new(int32(4))
	suite.Spec.Template.Spec.PriceList = &benchv1alpha1.PriceListReference{ConfigMapName: "prices"}
	n.Apply(t, suite)
	n.WaitSuite(t, suite, "complete", harness.SuiteComplete(1))
	waitAlert(t, prometheus, n, alert{"MongobenchRegression", "suite", suite.Name})
	current := harness.Run("current", harness.Standalone("6.0.5"))
	current.Spec.Workload.Steps[0].DurationSeconds = new(int32(100))
	n.Apply(t, current)
	n.WaitRun(t, current, "measuring", harness.InStage(benchv1alpha1.StageMeasuring))

	names := []string{current.Name}
	for _, run := range ended {
		names = append(names, run.Name)
	}
	for name := range runsByName(t, n) {
		if strings.HasPrefix(name, suite.Name) {
			names = append(names, name)
		}
	}
	asked := questions(t)
	if len(asked) < 50 {
		t.Errorf("%s hold %d queries only", dashboardFiles, len(asked))
	}
	// All of the scenario is shown, however long the machine took for it: some panels are about what is only there while
	// one of the first runs is measured.
	shown := (time.Since(began) + seriesTime).Round(time.Second)
	newReader(prometheus, shown, n.Name, suite.Name, names).waitAnswers(t, asked)
	cluster.Summary.Figure("dashboards: %d queries, each with an answer of Prometheus", len(asked))
}

// withLoops is a run with a closed loop, an open one, a sweep and a search.
func withLoops() *benchv1alpha1.BenchmarkRun {
	run := harness.Run("loops", harness.Standalone("6.0.5"))
	paced := harness.Reads("paced", 2)
	paced.Arrival = &benchv1alpha1.Arrival{OperationsPerSecond: new(scheduled)}
	swept := harness.Reads("swept", 1)
	swept.Threads, swept.ThreadSweep = nil, []int32{1, 2}
	searched := harness.Reads("searched", 1)
	searched.Search = &benchv1alpha1.Search{
		// An objective that is kept at these rates, so that the search has something to find; a trial takes twenty times as
		// long.
		LimitMicros: 100_000, MaxOperationsPerSecond: 20, TrialSeconds: new(int32(1)),
		TolerancePercent: new(int32(50)), MaxSeconds: new(int32(40)),
	}
	run.Spec.Workload.Steps = append(run.Spec.Workload.Steps, paced, swept, searched)
	return run
}

// growing is a run that measures a collection at two sizes.
func growing() *benchv1alpha1.BenchmarkRun {
	run := harness.Run("growing", harness.Standalone("6.0.5"))
	run.Spec.Dataset.Collections[0].DocumentCount = nil
	run.Spec.Workload.Steps = []benchv1alpha1.Step{harness.Reads("read", 1)}
	run.Spec.Workload.Growth = &benchv1alpha1.Growth{To: new(int64(1000)), Checkpoints: new(int32(2))}
	return run
}

// faulty is a run whose primary steps down, and that is long enough to tell whether the throughput became steady.
func faulty() *benchv1alpha1.BenchmarkRun {
	run := harness.Run("faulty", harness.ReplicaSet("6.0.5"))
	step := &run.Spec.Workload.Steps[0]
	step.DurationSeconds = new(int32(34))
	step.Retry = new(benchv1alpha1.RetryOnce)
	step.Actions = []benchv1alpha1.Action{{
		Name: "step-down", Type: benchv1alpha1.ActionStepDown, AfterSeconds: new(int32(3)),
	}}
	return run
}

// priceList has invented prices for what pods request on any node.
func priceList() *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "prices"},
		Data: map[string]string{"prices.yaml": `
apiVersion: prices.mongobench.dev/v1alpha1
currency: EUR
source: invented for a test
validFrom: "2026-01-01"
shared:
  - {perCPUHour: "0.03", perGibibyteHour: "0.004"}
network: {inPerGibibyte: "0.01", outPerGibibyte: "0.02"}
`},
	}
}

// inTurns is a duet with a target like its own, long enough for bounds of what it compares.
func inTurns(baseline string) *benchv1alpha1.BenchmarkRun {
	run := harness.Run("turns", harness.Standalone("6.0.5"))
	run.Spec.Workload.Steps = []benchv1alpha1.Step{harness.Reads("read", 60)}
	run.Spec.Duet = &benchv1alpha1.Duet{
		Baseline: benchv1alpha1.DuetBaseline{TargetRef: benchv1alpha1.NameReference{Name: baseline}},
		Thresholds: []benchv1alpha1.Threshold{{
			Metric: benchv1alpha1.MetricOperationsPerSecond, MinEffectPercent: new(int32(30)),
		}},
	}
	return run
}

// thorough is a run with operations enough for every percentile that a dashboard shows, of cursors and of open loops
// too, and with such as find nothing or fail.
func thorough() *benchv1alpha1.BenchmarkRun {
	run := harness.Run("thorough", harness.Standalone("6.0.5"))
	counted := harness.Reads("counted", 0)
	counted.DurationSeconds, counted.OperationCount = nil, new(int64(110_000))
	listed := harness.Reads("listed", 0)
	listed.DurationSeconds, listed.OperationCount = nil, new(int64(2000))
	listed.Operations[0].Kind = benchv1alpha1.OperationFind
	// Twice the operations that a p99 needs are due of each kind, which are drawn.
	unlucky := harness.Reads("unlucky", 20)
	unlucky.Arrival = &benchv1alpha1.Arrival{OperationsPerSecond: new(3 * scheduled)}
	unlucky.Operations = append(unlucky.Operations, benchv1alpha1.Operation{
		Name: "absent", Request: benchv1alpha1.Request{Kind: benchv1alpha1.OperationFindOne, Filter: `{"_id": -1}`},
	}, benchv1alpha1.Operation{
		Name: "refused", Request: benchv1alpha1.Request{Kind: benchv1alpha1.OperationFindOne, Filter: `{"$unknown": 1}`},
	})
	run.Spec.Workload.Steps = []benchv1alpha1.Step{counted, listed, unlucky}
	run.Spec.LoadGenerator.Client = new(benchv1alpha1.ClientWire)
	run.Spec.PriceList = &benchv1alpha1.PriceListReference{ConfigMapName: "prices"}
	run.Spec.Deadlines.MeasuringSeconds = new(int32(580)) // 110,000 operations take as long as they take.
	return run
}

// served is a run through a gateway, with operations enough for a p99 of what the database had of their time.
func served() *benchv1alpha1.BenchmarkRun {
	run := harness.Run("served", harness.Standalone("6.0.5"))
	step := harness.Reads("served", 0)
	step.DurationSeconds, step.OperationCount = nil, new(int64(3000))
	run.Spec.Workload.Steps = []benchv1alpha1.Step{step}
	run.Spec.LoadGenerator.Through = new(benchv1alpha1.WayGateway)
	return run
}

// reader asks what Grafana would: over the time that is shown, with something put in place of each variable.
type reader struct {
	*harness.Prometheus
	shown time.Duration
	// filled are what stands for the variables, for each run that a reader may choose.
	filled []*strings.Replacer
}

func newReader(
	prometheus *harness.Prometheus, shown time.Duration, namespace, suite string, runs []string,
) reader {
	r := reader{Prometheus: prometheus, shown: shown}
	for _, run := range runs {
		r.filled = append(r.filled, strings.NewReplacer("$__rate_interval", "30s", "$__range", shown.String(),
			"$namespace", namespace, "$run", run, "$suite", suite, "$variant", ".*"))
	}
	return r
}

// waitAnswers waits until Prometheus has an answer to every question, for one of the runs.
func (r reader) waitAnswers(t *testing.T, open []question) {
	t.Helper()
	open = slices.Clone(open)
	err := harness.Poll(t.Context(), seriesTime, func(ctx context.Context) (bool, string, error) {
		var said strings.Builder
		open = slices.DeleteFunc(open, func(q question) bool {
			problem := r.answer(ctx, q)
			if problem != nil {
				fmt.Fprintf(&said, "\n%s: %v: %s", q.place, problem, q.expression)
			}
			return problem == nil
		})
		return len(open) == 0, said.String(), nil
	})
	if err != nil {
		t.Errorf("waiting for an answer to %d queries: %v", len(open), err)
	}
}

// answer is nil when there is one.
func (r reader) answer(ctx context.Context, q question) error {
	for _, filled := range r.filled {
		series, err := r.ask(ctx, filled.Replace(q.expression), q.instant)
		if err != nil {
			return err
		}
		if series > 0 {
			return nil
		}
	}
	return errors.New("an empty answer")
}

// ask returns of how many series the answer is.
func (r reader) ask(ctx context.Context, query string, instant bool) (int, error) {
	if instant {
		now, err := r.Instant(ctx, query)
		return len(now), err
	}
	over, err := r.Range(ctx, query, r.shown, 5*time.Second)
	return len(over), err
}

// board is what is read of a dashboard's file.
type board struct {
	Annotations struct {
		List []struct {
			Name string `json:"name"`
			Expr string `json:"expr"`
		} `json:"list"`
	} `json:"annotations"`
	Templating struct {
		List []struct {
			Name       string `json:"name"`
			Definition string `json:"definition"`
		} `json:"list"`
	} `json:"templating"`
	Panels []struct {
		Title   string `json:"title"`
		Targets []struct {
			RefID   string `json:"refId"`
			Expr    string `json:"expr"`
			Instant bool   `json:"instant"`
		} `json:"targets"`
	} `json:"panels"`
}

// questions are all queries of the chart's dashboards: of panels, annotations and variables.
func questions(t *testing.T) []question {
	t.Helper()
	files, err := filepath.Glob(dashboardFiles)
	if err != nil || len(files) == 0 {
		t.Fatalf("the chart has no dashboards in %s (%v)", dashboardFiles, err)
	}
	all := make([]question, 0, len(files))
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var read board
		if err := json.Unmarshal(content, &read); err != nil {
			t.Fatalf("reading %s: %v", file, err)
		}
		all = append(all, read.questions("dashboard "+strings.TrimSuffix(filepath.Base(file), ".json"))...)
	}
	return all
}

func (b board) questions(in string) []question {
	all := make([]question, 0, len(b.Panels))
	for _, annotation := range b.Annotations.List {
		all = append(all, question{in + ", annotation " + annotation.Name, annotation.Expr, false})
	}
	for _, variable := range b.Templating.List {
		if match := labelValues.FindStringSubmatch(variable.Definition); match != nil {
			expression := fmt.Sprintf("group by (%s) (last_over_time(%s[$__range]))", match[2], match[1])
			all = append(all, question{in + ", variable " + variable.Name, expression, true})
		}
	}
	for _, panel := range b.Panels {
		for _, target := range panel.Targets {
			place := fmt.Sprintf("%s, panel %s, query %s", in, panel.Title, target.RefID)
			all = append(all, question{place, target.Expr, target.Instant})
		}
	}
	return all
}
