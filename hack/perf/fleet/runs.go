package fleet

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/perf/process"
)

const (
	namespace  = "fleet"
	targetName = "elsewhere"
	uriKey     = "uri"
	documents  = 1000
	// atOnce is how many runs the queue is told to admit: as many as it admits on a node pool unless told otherwise. Each
	// has a database that no other has at that time.
	atOnce = 1
	// creationPause is the time between two runs that are made.
	creationPause = 100 * time.Millisecond
	// pageSize of the lists of runs.
	pageSize = 500
)

// world is what has to be there before the runs: a namespace, and a target that all of them measure.
func world() []client.Object {
	return []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}},
		&corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: targetName},
			StringData: map[string]string{uriKey: "mongodb://db.example.com"},
		},
		&benchv1alpha1.BenchmarkTarget{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: targetName},
			Spec: benchv1alpha1.BenchmarkTargetSpec{
				Topology: benchv1alpha1.TopologyExternal,
				External: &benchv1alpha1.ExternalSpec{
					URISecretRef: benchv1alpha1.SecretKeyReference{Name: targetName, Key: uriKey},
				},
			},
		},
	}
}

// run is one of the fleet: it loads, warms up, and measures reads and updates.
func run(index int) *benchv1alpha1.BenchmarkRun {
	return &benchv1alpha1.BenchmarkRun{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: fmt.Sprintf("run-%04d", index)},
		Spec: benchv1alpha1.BenchmarkRunSpec{
			TargetRef:   &benchv1alpha1.TargetReference{Name: targetName},
			Concurrency: &benchv1alpha1.Concurrency{Group: new("fleet"), Max: new(int32(atOnce))},
			Dataset: benchv1alpha1.Dataset{
				Database:    new(fmt.Sprintf("fleet%d", index%atOnce)),
				Collections: []benchv1alpha1.Collection{{Name: "people", DocumentCount: new(int64(documents))}},
			},
			Workload: benchv1alpha1.Workload{Steps: []benchv1alpha1.Step{{
				Name: "mixed", WarmupSeconds: new(int32(1)), DurationSeconds: new(int32(1)), Threads: new(int32(4)),
				Operations: []benchv1alpha1.Operation{
					{Name: "read", Request: benchv1alpha1.Request{Kind: benchv1alpha1.OperationFindOne}},
					{Name: "insert", Request: benchv1alpha1.Request{Kind: benchv1alpha1.OperationInsertOne}},
				},
			}}},
		},
	}
}

// createRuns makes all runs, far faster than they come to their ends.
func createRuns(ctx context.Context, c client.Client, count int) error {
	for index := range count {
		if err := c.Create(ctx, run(index)); err != nil {
			return fmt.Errorf("creating run %d: %w", index, err)
		}
		if err := process.Sleep(ctx, creationPause); err != nil {
			return err
		}
	}
	return nil
}

// countEnded is how many runs have come to their end, and says where the first of the others is. One that came to
// another end is an error.
func countEnded(ctx context.Context, c client.Client) (ended int, first string, err error) {
	runs := &benchv1alpha1.BenchmarkRunList{}
	for more := true; more; more = runs.Continue != "" {
		err := c.List(ctx, runs, client.InNamespace(namespace), client.Limit(pageSize), client.Continue(runs.Continue))
		if err != nil {
			return 0, "", fmt.Errorf("listing the runs: %w", err)
		}
		for i := range runs.Items {
			over, where, err := whereIs(&runs.Items[i])
			if err != nil {
				return 0, "", err
			}
			if over {
				ended++
			} else if first == "" {
				first = where
			}
		}
	}
	return ended, first, nil
}

// whereIs says whether a run is over, and where it is when it is not.
func whereIs(run *benchv1alpha1.BenchmarkRun) (over bool, where string, err error) {
	verdict := apimeta.FindStatusCondition(run.Status.Conditions, benchv1alpha1.RunSucceeded)
	if verdict != nil && verdict.Status == metav1.ConditionFalse {
		return false, "", fmt.Errorf("%s failed: %s: %s", run.Name, verdict.Reason, verdict.Message)
	}
	on := apimeta.FindStatusCondition(run.Status.Conditions, benchv1alpha1.RunProgressing)
	if on == nil {
		return false, run.Name + " was not looked at", nil
	}
	return on.Status == metav1.ConditionFalse, fmt.Sprintf("%s is in %s: %s", run.Name, on.Reason, on.Message), nil
}
