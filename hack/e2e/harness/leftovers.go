package harness

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Objects are all objects in the namespace, of every kind that the operator makes, by "Kind name"; those that
// Kubernetes puts into every namespace are left out. The value is the UID.
func (n *Namespace) Objects(ctx context.Context) (map[string]string, error) {
	kinds := map[string]client.ObjectList{
		"BenchmarkTarget": &benchv1alpha1.BenchmarkTargetList{}, "ConfigMap": &corev1.ConfigMapList{},
		"Job": &batchv1.JobList{}, "PersistentVolumeClaim": &corev1.PersistentVolumeClaimList{}, "Pod": &corev1.PodList{},
		"Role": &rbacv1.RoleList{}, "RoleBinding": &rbacv1.RoleBindingList{}, "Secret": &corev1.SecretList{},
		"Service": &corev1.ServiceList{}, "ServiceAccount": &corev1.ServiceAccountList{},
		"StatefulSet": &appsv1.StatefulSetList{},
	}
	found := map[string]string{}
	for kind, list := range kinds {
		err := answer(ctx, func(ctx context.Context) error { return n.List(ctx, list, client.InNamespace(n.Name)) })
		if err != nil {
			return nil, fmt.Errorf("listing %s: %w", kind, err)
		}
		err = apimeta.EachListItem(list, func(item runtime.Object) error {
			object, err := apimeta.Accessor(item)
			if err == nil {
				found[kind+" "+object.GetName()] = string(object.GetUID())
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	delete(found, "ConfigMap kube-root-ca.crt")
	delete(found, "ServiceAccount default")
	return found, nil
}

// WaitLeft waits until nothing is in the namespace but what is wanted, and returns how long that took.
func (n *Namespace) WaitLeft(t *testing.T, within time.Duration, wanted ...string) time.Duration {
	t.Helper()
	began := time.Now()
	err := Poll(t.Context(), within, func(ctx context.Context) (bool, string, error) {
		objects, err := n.Objects(ctx)
		if err != nil {
			return false, "", err
		}
		superfluous, missing := Difference(objects, wanted)
		if len(missing) > 0 {
			return false, "", fmt.Errorf("%w: these are gone: %s", errHopeless, strings.Join(missing, ", "))
		}
		return len(superfluous) == 0, "still there: " + strings.Join(superfluous, ", "), nil
	})
	if err != nil {
		t.Fatalf("waiting for the run's objects to go away: %v", err)
	}
	return time.Since(began)
}

// Difference tells what is there and not wanted, and what is wanted and not there.
func Difference(objects map[string]string, wanted []string) (superfluous, missing []string) {
	for name := range objects {
		if !slices.Contains(wanted, name) {
			superfluous = append(superfluous, name)
		}
	}
	for _, name := range wanted {
		if _, there := objects[name]; !there {
			missing = append(missing, name)
		}
	}
	slices.Sort(superfluous)
	slices.Sort(missing)
	return superfluous, missing
}

// UIDs of the objects of some kinds, which tell whether something was made a second time.
func (n *Namespace) UIDs(t *testing.T, kinds ...string) map[string]string {
	t.Helper()
	objects, err := n.Objects(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name := range objects {
		if kind, _, _ := strings.Cut(name, " "); !slices.Contains(kinds, kind) {
			delete(objects, name)
		}
	}
	return objects
}
