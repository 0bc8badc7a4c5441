package harness

import (
	"context"
	"testing"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// SuiteTime is how long a suite of the tests may take: ten runs of ten seconds, on a machine that does other things
// too.
const SuiteTime = 8 * time.Minute

// WaitSuite waits for a suite to be as wanted, and returns it as it was then.
func (n *Namespace) WaitSuite(
	t *testing.T, suite *benchv1alpha1.BenchmarkSuite, what string, wanted func(*benchv1alpha1.BenchmarkSuite) bool,
) *benchv1alpha1.BenchmarkSuite {
	t.Helper()
	seen := &benchv1alpha1.BenchmarkSuite{}
	err := Poll(t.Context(), SuiteTime, func(ctx context.Context) (bool, string, error) {
		if err := n.Get(ctx, client.ObjectKeyFromObject(suite), seen); err != nil {
			return false, "", err
		}
		return wanted(seen), Describe(seen.Status.Conditions), nil
	})
	if err != nil {
		t.Fatalf("waiting for suite %s to be %s: %v", suite.Name, what, err)
	}
	return seen
}

// SuiteComplete says whether a suite has done what its generation asks for, and whether that is so late a revision.
func SuiteComplete(revisions int) func(*benchv1alpha1.BenchmarkSuite) bool {
	return func(suite *benchv1alpha1.BenchmarkSuite) bool {
		complete := apimeta.FindStatusCondition(suite.Status.Conditions, benchv1alpha1.SuiteComplete)
		return complete != nil && complete.Status == "True" && complete.ObservedGeneration == suite.Generation &&
			len(suite.Status.History) >= revisions
	}
}
