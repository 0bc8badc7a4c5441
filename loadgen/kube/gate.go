package kube

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
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
func (g *Gate) Wait(ctx context.Context, step int) (start time.Time, err error) {
	known, err := g.await(ctx, func(gate *corev1.ConfigMap) (bool, error) {
		start, err = startOf(gate, step)
		return !start.IsZero(), err
	})
	if err == nil && !known {
		err = fmt.Errorf("waiting for the start of step %d in ConfigMap %s: not every load pod was ready within %s", step,
			g.Name, g.Patience)
	}
	return start, err
}

// Order returns what the operator asks the collector of the run's reports for, once it does.
func (g *Gate) Order(ctx context.Context) (order reportv1.CollectOrder, err error) {
	asked, err := g.await(ctx, func(gate *corev1.ConfigMap) (bool, error) {
		text, asked := gate.Data[reportv1.CollectKey]
		if asked {
			order, err = reportv1.DecodeCollectOrder([]byte(text))
		}
		return asked, err
	})
	if err == nil && !asked {
		err = fmt.Errorf("waiting to be asked for the reports in ConfigMap %s: the operator did not ask within %s", g.Name,
			g.Patience)
	}
	return order, err
}

// await looks at the gate until something is found in it, and is false when the patience is over.
func (g *Gate) await(ctx context.Context, find func(*corev1.ConfigMap) (bool, error)) (bool, error) {
	patient, cancel := context.WithTimeoutCause(ctx, g.Patience, errImpatient)
	defer cancel()
	err := g.ConfigMaps.await(patient, g.Name, find)
	if errors.Is(err, errImpatient) {
		return false, nil
	}
	return err == nil, err
}

// errImpatient is that the patience of a gate is over.
var errImpatient = errors.New("the patience is over")

// startOf returns the zero time while the start is not published.
func startOf(gate *corev1.ConfigMap, step int) (time.Time, error) {
	text, published := gate.Data[planv1.GateKey(step)]
	if !published {
		return time.Time{}, nil
	}
	return planv1.ParseStart(text)
}

// Open says whether the start of a step is published. An API server that does not answer is tried again for a while.
func (g *Gate) Open(ctx context.Context, step int) (open bool, err error) {
	err = persist(ctx, func(ctx context.Context) error {
		configMap, err := g.ConfigMaps.get(ctx, g.Name)
		if err == nil {
			_, open = configMap.Data[planv1.GateKey(step)]
		}
		return err
	})
	return open, err
}
