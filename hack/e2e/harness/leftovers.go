package harness

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Objects are all objects in the namespace, of every kind that the operator makes, by "Kind name"; those that
// Kubernetes puts into every namespace are left out. The value is the UID.
func (n *Namespace) Objects(ctx context.Context) (map[string]string, error) {
	kinds := map[string]client.ObjectList{
		"BenchmarkTarget": &benchv1alpha1.BenchmarkTargetList{}, "ConfigMap": &corev1.ConfigMapList{},
		"Job": &batchv1.JobList{}, "PersistentVolumeClaim": &corev1.PersistentVolumeClaimList{}, "Pod": &corev1.PodList{},
		"PodDisruptionBudget": &policyv1.PodDisruptionBudgetList{},
		"Role":                &rbacv1.RoleList{}, "RoleBinding": &rbacv1.RoleBindingList{}, "Secret": &corev1.SecretList{},
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
	there, want := sets.KeySet(objects), sets.New(wanted...)
	return sets.List(there.Difference(want)), sets.List(want.Difference(there))
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

// podGroup finds the UID of a pod in the path of a control group; systemd's driver writes it with underscores.
var podGroup = regexp.MustCompile(`/[^/:]*pod([0-9a-f]{8}(?:[-_][0-9a-f]{4}){3}[-_][0-9a-f]{12})`)

// Orphans are processes on this machine that are in a pod's control group and whose pod the API server does not know,
// and network namespaces of pods beyond those of the pods that run. On a machine that runs none of the nodes there are
// none to be seen.
func (c *Cluster) Orphans(ctx context.Context) ([]string, error) {
	// The processes first: a pod that is made meanwhile is no orphan.
	owned := podProcesses(processes)
	pods := &corev1.PodList{}
	if err := c.List(ctx, pods); err != nil {
		return nil, fmt.Errorf("listing pods: %w", err)
	}
	networks, used := podNetworks(processes), 0
	for i := range pods.Items {
		maps.DeleteFunc(owned, func(_, uid string) bool { return uid == string(pods.Items[i].UID) })
		if pods.Items[i].Status.Phase == corev1.PodRunning && !pods.Items[i].Spec.HostNetwork {
			used++
		}
	}
	orphans := slices.Sorted(maps.Keys(owned))
	if networks > used {
		orphans = append(orphans, fmt.Sprintf("%d network namespaces, and %d pods that run", networks, used))
	}
	return orphans, nil
}

// podNetworks is the number of network namespaces that were made for pods, on all nodes whose containerd is to be seen.
func podNetworks(folder string) int {
	found := 0
	for path, name := range named(folder) {
		if name == "containerd" {
			// The node's own view of its files: CNI mounts each namespace there by name.
			namespaces, _ := filepath.Glob(filepath.Join(path, "root", "run", "netns", "cni-*"))
			found += len(namespaces)
		}
	}
	return found
}

// named are the folders and the names of the processes that have not ended.
func named(folder string) map[string]string {
	names := map[string]string{}
	paths, _ := filepath.Glob(filepath.Join(folder, "[0-9]*")) // The pattern is a good one.
	for _, path := range paths {
		if name, err := os.ReadFile(filepath.Join(path, "comm")); err == nil {
			names[path] = strings.TrimSpace(string(name))
		}
	}
	return names
}

// podProcesses are the UIDs of the pods that processes belong to, by process number and name.
func podProcesses(folder string) map[string]string {
	owned := map[string]string{}
	for path, name := range named(folder) {
		groups, _ := os.ReadFile(filepath.Join(path, "cgroup")) // Nothing of one that has ended.
		if found := podGroup.FindSubmatch(groups); found != nil {
			owned[filepath.Base(path)+" "+name] = strings.ReplaceAll(string(found[1]), "_", "-")
		}
	}
	return owned
}

// Volumes are the names of the cluster's volumes that claims of the namespace had.
func (n *Namespace) Volumes(ctx context.Context) ([]string, error) {
	volumes := &corev1.PersistentVolumeList{}
	if err := n.List(ctx, volumes); err != nil {
		return nil, fmt.Errorf("listing volumes: %w", err)
	}
	var names []string
	for i := range volumes.Items {
		if claim := volumes.Items[i].Spec.ClaimRef; claim != nil && claim.Namespace == n.Name {
			names = append(names, volumes.Items[i].Name)
		}
	}
	return names, nil
}

// NamespacesLike are the namespaces whose names begin so.
func (c *Cluster) NamespacesLike(ctx context.Context, begin string) ([]string, error) {
	list := &corev1.NamespaceList{}
	if err := c.List(ctx, list, &client.ListOptions{}); err != nil {
		return nil, fmt.Errorf("listing namespaces: %w", err)
	}
	var names []string
	for i := range list.Items {
		if strings.HasPrefix(list.Items[i].Name, begin) {
			names = append(names, list.Items[i].Name)
		}
	}
	return names, nil
}
