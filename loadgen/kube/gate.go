package kube

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// watchTime is how long one watch of the gate lasts, before it is begun anew.
const watchTime = 10 * time.Minute

// Pauses before the gate is looked at again where it cannot be watched: the first, how much longer each is than the one
// before, by how much they differ at random, so that pods do not come all at once, and the longest.
const (
	pauseFirst  = retryInterval
	pauseFactor = 2
	pauseJitter = 0.5
	pauseMost   = 5 * time.Second
	pauseSteps  = 5 // To come to the longest.
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

// await looks at the gate until something is found in it, and is false when the patience is over. While it waits it
// watches, which costs the API server nothing as long as nothing changes; where that cannot be, it looks again and
// again, at growing intervals of up to 5 s and a half more.
func (g *Gate) await(ctx context.Context, find func(*corev1.ConfigMap) (bool, error)) (bool, error) {
	patient, cancel := context.WithTimeout(ctx, g.Patience)
	defer cancel()
	began, pause := time.Now(), newPause()
	for {
		found, watched, err := g.look(patient, find, began)
		if found || err != nil {
			return found, err
		}
		if watched {
			pause = newPause()
		}
		select {
		case <-patient.Done():
			return false, context.Cause(ctx)
		case <-time.After(pause.Step()):
		}
	}
}

func newPause() *wait.Backoff {
	return &wait.Backoff{
		Duration: pauseFirst, Factor: pauseFactor, Jitter: pauseJitter, Steps: pauseSteps, Cap: pauseMost,
	}
}

// look reads the gate, and watches it as long as it can. It says whether something was found, and whether the gate
// could be watched.
func (g *Gate) look(
	ctx context.Context, find func(*corev1.ConfigMap) (bool, error), began time.Time,
) (found, watched bool, err error) {
	seen, err := g.ConfigMaps.get(ctx, g.Name)
	if err != nil {
		if transient(err, time.Since(began)) {
			err = nil
		}
		return false, false, err
	}
	if found, err = find(seen); found || err != nil {
		return found, false, err
	}
	watching, err := g.ConfigMaps.watcher.Watch(ctx, metav1.ListOptions{
		// By name, since that is all the pod may watch.
		FieldSelector:   fields.OneTermEqualSelector(metav1.ObjectNameField, g.Name).String(),
		ResourceVersion: seen.ResourceVersion, TimeoutSeconds: new(int64(watchTime / time.Second)),
	})
	if err != nil {
		return false, false, nil // Reading the gate, which comes next, tells what is final.
	}
	defer watching.Stop()
	for event := range watching.ResultChan() {
		changed, is := event.Object.(*corev1.ConfigMap)
		if !is || event.Type == watch.Deleted {
			return false, is, nil // Reading it tells why.
		}
		if found, err = find(changed); found || err != nil {
			return found, true, err
		}
	}
	return false, true, nil
}

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
