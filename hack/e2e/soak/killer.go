package soak

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
)

const (
	// componentLabel says which part a pod plays.
	componentLabel = "app.kubernetes.io/component"
	// The pause between two deletions, and how long a pod of the chosen part is waited for.
	leastPause, morePause = 4 * time.Second, 12 * time.Second
	victimTime            = 10 * time.Second
	// hesitation is the most that passes between finding a pod and deleting it, so that young ones are met at every age.
	hesitation = 3 * time.Second
)

// Killer deletes pods at random moments, and remembers which.
type Killer struct {
	cluster *harness.Cluster
	random  *rand.Rand
	tell    func(format string, values ...any)

	lock sync.Mutex
	// kills by the namespaces of the runs that are on their way.
	kills map[string][]Kill
	// managers is how often the manager was deleted.
	managers int
}

// watch makes the pods of a namespace victims.
func (k *Killer) watch(namespace string) {
	k.lock.Lock()
	defer k.lock.Unlock()
	k.kills[namespace] = []Kill{}
}

// spare ends that, and returns what was deleted.
func (k *Killer) spare(namespace string) []Kill {
	k.lock.Lock()
	defer k.lock.Unlock()
	kills := k.kills[namespace]
	delete(k.kills, namespace)
	return kills
}

// Run deletes a pod every now and then until the context ends.
func (k *Killer) Run(ctx context.Context) {
	for {
		pause := leastPause + time.Duration(k.random.Int64N(int64(morePause)))
		if !sleep(ctx, pause) {
			return
		}
		if err := k.once(ctx, k.choose()); err != nil && ctx.Err() == nil {
			k.tell("deleting a pod: %v", err)
		}
	}
}

// choose prefers the parts that come back.
func (k *Killer) choose() Component {
	return []Component{Manager, Manager, Topology, Topology, Topology, Member, Member, Load}[k.random.IntN(8)]
}

func (k *Killer) once(ctx context.Context, component Component) error {
	if component == Manager {
		return k.manager(ctx)
	}
	var pod *corev1.Pod
	err := harness.Poll(ctx, victimTime, func(ctx context.Context) (bool, string, error) {
		pods := &corev1.PodList{}
		err := k.cluster.List(ctx, pods, client.MatchingLabels{componentLabel: string(component)})
		pod = k.pick(pods.Items)
		return pod != nil, "no pod of the part " + string(component), err
	})
	if err != nil || !sleep(ctx, time.Duration(k.random.Int64N(int64(hesitation)))) {
		return nil //nolint:nilerr // There is none of this kind: another time.
	}
	return k.kill(ctx, component, pod)
}

// pick takes one of the pods of the runs that are on their way.
func (k *Killer) pick(pods []corev1.Pod) *corev1.Pod {
	k.lock.Lock()
	defer k.lock.Unlock()
	pods = slices.DeleteFunc(pods, func(pod corev1.Pod) bool {
		return k.kills[pod.Namespace] == nil || pod.DeletionTimestamp != nil || ended(&pod)
	})
	if len(pods) == 0 {
		return nil
	}
	return &pods[k.random.IntN(len(pods))]
}

func (k *Killer) manager(ctx context.Context) error {
	pod, err := k.cluster.ManagerPod(ctx)
	if err != nil {
		return nil // It has not come back from the last time.
	}
	if err := k.delete(ctx, pod); err != nil {
		return err
	}
	k.lock.Lock()
	defer k.lock.Unlock()
	k.managers++
	for namespace := range k.kills {
		kill := Kill{Component: Manager, Pod: pod.Name, At: time.Now(), Used: true, Certain: true}
		k.kills[namespace] = append(k.kills[namespace], kill)
	}
	return nil
}

// kill deletes a pod of a run, and notes whether the run needed it, as far as that can be said.
func (k *Killer) kill(ctx context.Context, component Component, pod *corev1.Pod) error {
	before, err := k.used(ctx, component, pod)
	if err != nil {
		return err
	}
	at := time.Now()
	if err := k.delete(ctx, pod); err != nil {
		return err
	}
	after, err := k.used(ctx, component, pod)
	if err != nil {
		return err
	}
	k.lock.Lock()
	defer k.lock.Unlock()
	if kills, there := k.kills[pod.Namespace]; there {
		kill := Kill{Component: component, Pod: pod.Name, At: at, Used: before && after, Certain: before == after}
		k.kills[pod.Namespace] = append(kills, kill)
	}
	return nil
}

// delete takes a pod away, every other time without leaving it a moment. One that is gone already is no fault.
func (k *Killer) delete(ctx context.Context, pod *corev1.Pod) error {
	options := []client.DeleteOption{client.Preconditions{UID: &pod.UID}}
	if k.random.IntN(2) == 0 {
		options = append(options, client.GracePeriodSeconds(0))
	}
	err := k.cluster.Delete(ctx, pod, options...)
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("deleting pod %s of namespace %s: %w", pod.Name, pod.Namespace, err)
	}
	return nil
}

// used says whether a run needs a pod now: of a member, whether the target is ready; of a load pod, whether it has not
// ended.
func (k *Killer) used(ctx context.Context, component Component, pod *corev1.Pod) (bool, error) {
	switch component {
	case Member:
		target := &benchv1alpha1.BenchmarkTarget{}
		err := k.cluster.Get(ctx, client.ObjectKey{Namespace: pod.Namespace, Name: runName}, target)
		return apimeta.IsStatusConditionTrue(target.Status.Conditions, benchv1alpha1.TargetReady), client.IgnoreNotFound(err)
	case Load:
		now := &corev1.Pod{}
		err := k.cluster.Get(ctx, client.ObjectKeyFromObject(pod), now)
		if apierrors.IsNotFound(err) {
			return true, nil // Nothing but this program took it away.
		}
		return !ended(now), err
	default:
		return true, nil
	}
}

func ended(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// sleep says whether the context outlived the pause.
func sleep(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
