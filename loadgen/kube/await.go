package kube

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
)

// watchTime is how long one watch of a ConfigMap lasts, before it is begun anew.
const watchTime = 10 * time.Minute

// Pauses before a ConfigMap is looked at again where it cannot be watched: the first, how much longer each is than the
// one before, by how much they differ at random, so that pods do not come all at once, and the longest.
const (
	pauseFirst  = retryInterval
	pauseFactor = 2
	pauseJitter = 0.5
	pauseMost   = 5 * time.Second
	pauseSteps  = 5 // To come to the longest.
)

// await looks at a ConfigMap until something is found in it, or the context ends. While it waits it watches, which
// costs the API server nothing as long as nothing changes; where that cannot be, it looks again and again, at growing
// intervals of up to 5 s and a half more.
func (c *ConfigMaps) await(ctx context.Context, name string, find func(*corev1.ConfigMap) (bool, error)) error {
	began, pause := time.Now(), newPause()
	for {
		found, watched, err := c.look(ctx, name, find, began)
		if found || err != nil {
			return err
		}
		if watched {
			pause = newPause()
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause.Step()):
		}
	}
}

func newPause() *wait.Backoff {
	return &wait.Backoff{
		Duration: pauseFirst, Factor: pauseFactor, Jitter: pauseJitter, Steps: pauseSteps, Cap: pauseMost,
	}
}

// look reads a ConfigMap, and watches it as long as it can. It says whether something was found, and whether it could
// be watched.
func (c *ConfigMaps) look(
	ctx context.Context, name string, find func(*corev1.ConfigMap) (bool, error), began time.Time,
) (found, watched bool, err error) {
	seen, err := c.get(ctx, name)
	if err != nil {
		if transient(err, time.Since(began)) {
			err = nil
		}
		return false, false, err
	}
	if found, err = find(seen); found || err != nil {
		return found, false, err
	}
	watching, err := c.watcher.Watch(ctx, metav1.ListOptions{
		// By name, since that is all the pod may watch.
		FieldSelector:   fields.OneTermEqualSelector(metav1.ObjectNameField, name).String(),
		ResourceVersion: seen.ResourceVersion, TimeoutSeconds: new(int64(watchTime / time.Second)),
	})
	if err != nil {
		return false, false, nil // Reading it, which comes next, tells what is final.
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
