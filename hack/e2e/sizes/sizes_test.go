//go:build sizes

package sizes

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/config/samples"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
	"github.com/mongobench/mongobench-operator/internal/comparison"
)

const (
	// repetitions of each choice in the matrix, and the most of one in a search.
	repetitions = int32(5)
	// stepSeconds is how long each run measures: its reads are 3,200, of which a p99 needs 1,000.
	stepSeconds, warmupSeconds = int32(8), int32(2)
	// suiteTime is the deadline of the matrix and of each search.
	suiteTime = 90 * time.Minute
	// enoughPercent of the searches must name the true choice or a neighbour, with one run of so many of the matrix.
	enoughPercent, oneOf = 90, 3
)

func TestSearchesAgreeWithTheMatrix(t *testing.T) {
	cluster, err := harness.Connect()
	if err != nil {
		t.Fatal(err)
	}
	n := cluster.Namespace(t)
	matrix := sample(t, "matrix", 0)
	limits := matrix.Spec.Search.Constraints
	matrix.Spec.Search, matrix.Spec.FailOn = nil, new(benchv1alpha1.FailOnNever)
	finish(t, n, matrix)
	truth := trueChoice(t, n, matrix, limits)

	searches := searchesAsked(t)
	agree, made := 0, int32(0)
	for number := 1; number <= searches; number++ {
		suite := finish(t, n, sample(t, fmt.Sprintf("search-%d", number), int64(number)))
		found := suite.Status.Search
		place := slices.Index(names(suite), found.Variant)
		if place < 0 {
			place = len(names(suite)) // None of them keeps the constraints.
		}
		if place-truth <= 1 && truth-place <= 1 {
			agree++
		}
		made += *found.Runs
		tell("search %d: %s", number, found.Message)
	}
	whole := int32(len(names(matrix))) * repetitions
	percent, share := 100*agree/searches, float64(made)/float64(searches)/float64(whole)
	tell("FIGURE search_agreement_percent %d %%", percent)
	tell("FIGURE search_runs_percent %.1f %%", 100*share)
	if percent < enoughPercent || share > 1.0/oneOf {
		t.Errorf("%d %% of the searches agree, by %.0f %% of the runs", percent, 100*share)
	}
}

// sample is the suite of config/samples with shorter steps.
func sample(t *testing.T, name string, seed int64) *benchv1alpha1.BenchmarkSuite {
	t.Helper()
	content, _ := samples.Read("smallest")
	suite := &benchv1alpha1.BenchmarkSuite{}
	if err := yaml.UnmarshalStrict(content, suite); err != nil {
		t.Fatal(err)
	}
	suite.ObjectMeta = metav1.ObjectMeta{Name: name}
	suite.Spec.Repetitions = new(repetitions)
	suite.Spec.Template.Spec.Seed = &seed
	step := &suite.Spec.Template.Spec.Workload.Steps[0]
	step.DurationSeconds, step.WarmupSeconds = new(stepSeconds), new(warmupSeconds)
	// So many of the operations are writes that their p99 is not known after so short a time.
	suite.Spec.Search.Constraints = slices.DeleteFunc(suite.Spec.Search.Constraints,
		func(limit benchv1alpha1.SearchConstraint) bool {
			return limit.Operation != nil && *limit.Operation == "write"
		})
	return suite
}

// finish applies a suite and waits until it is complete.
func finish(t *testing.T, n *harness.Namespace, suite *benchv1alpha1.BenchmarkSuite) *benchv1alpha1.BenchmarkSuite {
	t.Helper()
	n.Apply(t, suite)
	began := time.Now()
	err := harness.Poll(t.Context(), suiteTime, func(ctx context.Context) (bool, string, error) {
		err := n.Get(ctx, client.ObjectKeyFromObject(suite), suite)
		return apimeta.IsStatusConditionTrue(suite.Status.Conditions, benchv1alpha1.SuiteComplete),
			harness.Describe(suite.Status.Conditions), err
	})
	if err != nil {
		t.Fatalf("waiting for suite %s: %v", suite.Name, err)
	}
	tell("suite %s: %d runs in %s", suite.Name, *suite.Status.Runs.Planned, time.Since(began).Round(time.Second))
	return suite
}

// trueChoice is the place of the first choice whose median run keeps the constraints; their number when none does.
func trueChoice(
	t *testing.T, n *harness.Namespace, matrix *benchv1alpha1.BenchmarkSuite, limits []benchv1alpha1.SearchConstraint,
) int {
	t.Helper()
	var runs benchv1alpha1.BenchmarkRunList
	n.FetchAll(t, &runs)
	kept := map[string][]float64{}
	for i := range runs.Items {
		sample := comparison.SampleOf(&runs.Items[i])
		margins, missing := comparison.Margins(sample, limits)
		if missing != "" {
			t.Logf("run %s: %s", runs.Items[i].Name, missing)
			continue
		}
		kept[sample.Variant] = append(kept[sample.Variant], slices.Min(margins))
	}
	all, truth := names(matrix), len(names(matrix))
	for place, name := range all {
		values := slices.Sorted(slices.Values(kept[name]))
		if len(values) == 0 {
			tell("%-6s nothing was measured", name)
			continue
		}
		median := values[len(values)/2]
		text := func(margin float64) string {
			micros, known := comparison.AtMargin(margin, limits[0])
			if !known {
				return "?"
			}
			return fmt.Sprintf("%.1f ms", micros/1000)
		}
		tell("%-6s %d runs, median %s, from %s to %s", name, len(values), text(median), text(values[len(values)-1]),
			text(values[0]))
		if median > 0 && truth == len(all) {
			truth = place
		}
	}
	return truth
}

// names are the choices of a suite, the smallest first.
func names(suite *benchv1alpha1.BenchmarkSuite) []string {
	choices := suite.Spec.Matrix.Dimensions[0].Choices
	all := make([]string, 0, len(choices))
	for _, choice := range choices {
		all = append(all, choice.Name)
	}
	return all
}

// searchesAsked is how many searches there are to be.
func searchesAsked(t *testing.T) int {
	t.Helper()
	asked := os.Getenv("SIZES_SEARCHES")
	if asked == "" {
		return 10
	}
	number, err := strconv.Atoi(asked)
	if err != nil || number < 1 {
		t.Fatalf("SIZES_SEARCHES is %q and must be a number from 1 on", asked)
	}
	return number
}

// tell writes a line at once: the test takes an hour.
func tell(format string, values ...any) {
	fmt.Printf(format+"\n", values...)
}
