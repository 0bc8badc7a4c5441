package run_test

import (
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// TestAnObjectThatIsInvalidEndsTheRunInAMinute: waiting for a deadline would hold the place of all others.
func TestAnObjectThatIsInvalidEndsTheRunInAMinute(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.settle()
	p.targetReady()
	p.writes.Refuse = func(write string) error {
		if write != "create *v1.Job r-load" {
			return nil
		}
		return apierrors.NewInvalid(schema.GroupKind{Group: "batch", Kind: "Job"}, "r-load", nil)
	}
	if _, err := p.reconcile(); err == nil {
		t.Error("the refusal was not returned")
	}
	p.want(benchv1alpha1.RunSucceeded, "Unknown NotEnded")
	p.pass(time.Minute)
	p.settle()
	p.want(benchv1alpha1.RunSucceeded, "False Forbidden")
	p.collectAll()
	if got := p.names(); len(got) > 0 {
		t.Errorf("left are %v", got)
	}
}
