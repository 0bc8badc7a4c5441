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
	// authorizerLag is how long a refusal may come of a role binding that the API server's authorizer has not heard of
	// yet: it learns of new ones through a watch, behind the write itself.
	authorizerLag = 15 * time.Second
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
	began := time.Now()
	for {
		start, err := g.look(ctx, step, began)
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
func (g *Gate) look(ctx context.Context, step int, began time.Time) (time.Time, error) {
	configMap, err := g.ConfigMaps.get(ctx, g.Name)
	if err != nil {
		if transient(err, time.Since(began)) {
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
// gone, or that still may not be touched after so long.
func transient(err error, tried time.Duration) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return true
	}
	if apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) {
		return tried < authorizerLag
	}
	stays := apierrors.IsNotFound(err) || apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) ||
		apierrors.IsRequestEntityTooLargeError(err)
	return !stays
}
