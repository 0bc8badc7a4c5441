package part

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
)

// soon is how long what waited for a suite may take to come.
const soon = 5 * time.Minute

// Nightly is the suite of the example.
func Nightly(t *testing.T, n *harness.Namespace) *benchv1alpha1.BenchmarkSuite {
	t.Helper()
	suite := &benchv1alpha1.BenchmarkSuite{}
	n.Fetch(t, "nightly", suite)
	return suite
}

// WantComplete wants a suite that is, for what Git says now: what applied it was not ready before.
func WantComplete(t *testing.T, suite *benchv1alpha1.BenchmarkSuite) {
	t.Helper()
	complete := apimeta.FindStatusCondition(suite.Status.Conditions, benchv1alpha1.SuiteComplete)
	if complete == nil || complete.Status != metav1.ConditionTrue || complete.ObservedGeneration != suite.Generation {
		t.Errorf("it was ready before the suite was complete: %s", harness.Describe(suite.Status.Conditions))
	}
}

// CameAfter waits for a ConfigMap, and wants it to have been made after the suite had ended.
func CameAfter(t *testing.T, n *harness.Namespace, name string, suite *benchv1alpha1.BenchmarkSuite) {
	t.Helper()
	made := &corev1.ConfigMap{}
	err := harness.Poll(t.Context(), soon, func(ctx context.Context) (bool, string, error) {
		err := n.Get(ctx, client.ObjectKey{Namespace: n.Name, Name: name}, made)
		return err == nil, fmt.Sprint(err), client.IgnoreNotFound(err)
	})
	if err != nil {
		t.Fatalf("waiting for ConfigMap %s: %v", name, err)
	}
	at, ended := made.CreationTimestamp, suite.Status.CompletionTime
	if ended == nil || at.Time.Before(ended.Truncate(time.Second)) {
		t.Errorf("ConfigMap %s was made at %s, and the suite ended at %v", name, at, ended)
	}
}

// Runs are those of the suite, and what tells one from another of the same name.
func Runs(t *testing.T, n *harness.Namespace) map[string]string {
	t.Helper()
	list, found := &benchv1alpha1.BenchmarkRunList{}, map[string]string{}
	n.FetchAll(t, list)
	for i := range list.Items {
		found[list.Items[i].Name] = string(list.Items[i].UID)
	}
	return found
}

// OnlyMore wants all runs to be what they were, and some more.
func OnlyMore(t *testing.T, before, after map[string]string, more int) {
	t.Helper()
	for name, uid := range before {
		if after[name] != uid {
			t.Errorf("%s was made again or is gone", name)
		}
	}
	if len(after)-len(before) != more {
		t.Errorf("there are now %v, want %d more than %v", slices.Sorted(maps.Keys(after)), more,
			slices.Sorted(maps.Keys(before)))
	}
}
