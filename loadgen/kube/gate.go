package kube

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
)

const (
	// gatePoll is how often the gate is looked at; the operator publishes a start well ahead of it.
	gatePoll = 200 * time.Millisecond
	// retryInterval is the pause after a request that failed.
	retryInterval = 500 * time.Millisecond
)

// Gate is where the pods of a run learn when to start a step.
type Gate struct {
	ConfigMaps *ConfigMaps
	// Name of the gate's ConfigMap.
	Name string
	// Patience is how long the other pods are awaited.
	Patience time.Duration
}

// Wait returns the instant at which every pod starts the step with this index of the plan. It returns before that
// instant, as soon as it is known.
func (g *Gate) Wait(ctx context.Context, step int) (time.Time, error) {
	ctx, cancel := context.WithTimeout(ctx, g.Patience)
	defer cancel()
	ticker := time.NewTicker(gatePoll)
	defer ticker.Stop()
	for {
		start, err := g.look(ctx, step)
		if err != nil || !start.IsZero() {
			return start, err
		}
		select {
		case <-ctx.Done():
			return time.Time{}, fmt.Errorf(
				"waiting for the start of step %d in ConfigMap %s: not every load pod was ready within %s: %w",
				step, g.Name, g.Patience, ctx.Err())
		case <-ticker.C:
		}
	}
}

// look returns the zero time while the start is not published, or cannot be read for the moment.
func (g *Gate) look(ctx context.Context, step int) (time.Time, error) {
	configMap, err := g.ConfigMaps.get(ctx, g.Name)
	if err != nil {
		if transient(err) {
			return time.Time{}, nil
		}
		return time.Time{}, err
	}
	text, published := configMap.Data[planv1.GateKey(step)]
	if !published {
		return time.Time{}, nil
	}
	return planv1.ParseStart(text)
}

// transient tells a fault that may pass, such as an API server that restarts, from one that stays: a ConfigMap that is
// gone, or that may not be touched. A role binding that was made a moment ago may still be unknown to the API server's
// authorizer, but the operator makes it before the pod.
func transient(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return true
	}
	stays := apierrors.IsNotFound(err) || apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) ||
		apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || apierrors.IsRequestEntityTooLargeError(err)
	return !stays
}
