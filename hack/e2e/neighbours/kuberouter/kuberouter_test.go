//go:build e2e

package kuberouter

import (
	"context"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/present"
)

const loadgen = "mongobench.local/loadgen:dev"

// TestPolicies has a network that enforces policies: they let in and out whom they are to, and nobody else; and a
// member that is cut off is.
func TestPolicies(t *testing.T) {
	enforce(t)
	t.Run("members", members)
	t.Run("a namespace that denies all", denied)
	t.Run("partition", partition)
}

// members has three pods read from a target: one that may, one without the label that lets it in, and one with the
// label in another namespace.
func members(t *testing.T) {
	n, other := cluster.Namespace(t), cluster.Namespace(t)
	target := harness.Target("db", harness.ReplicaSet("6.0.5"))
	run := harness.RunOn("bench", "db")
	n.Apply(t, target, run)
	n.WaitSuccess(t, run) // The members reach one another, and the load pods them.

	allowed := map[string]string{naming.ClientLabel: "db"}
	if said := read(t, n, n.Name, "allowed", allowed); said != "" {
		t.Errorf("a pod with the label of clients could not read: %s", said)
	}
	for _, asked := range []struct {
		from   *harness.Namespace
		name   string
		labels map[string]string
	}{{n, "stranger", nil}, {other, "abroad", allowed}} {
		said := read(t, asked.from, n.Name, asked.name, asked.labels)
		if !strings.Contains(said, "refused") {
			t.Errorf("pod %s was not refused: it said %q", asked.name, said)
		}
		cluster.Summary.Figure("pod %s: %s", asked.name, said)
	}
}

// read has a pod in a namespace read documents of the target db in another, and returns what it ended with; nothing
// when it has read.
func read(t *testing.T, n *harness.Namespace, where, name string, labels map[string]string) string {
	t.Helper()
	if n.Name != where {
		copySecret(t, n, where, "db-admin")
	}
	pod := harness.Pod(name, loadgen, "/loadgen", "infer",
		"--database", "mongobench", "--collection", "people", "--sample", "1",
		"--credentials", "/credentials", "--selection-timeout", "10s",
		"--uri", "mongodb://db-mongod-0.db-members."+where+".svc:27017/?authSource=admin&directConnection=true")
	pod.Labels = labels
	pod.Spec.Volumes = []corev1.Volume{{Name: "credentials", VolumeSource: corev1.VolumeSource{
		Secret: &corev1.SecretVolumeSource{SecretName: "db-admin"},
	}}}
	pod.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "credentials", MountPath: "/credentials"}}
	n.Apply(t, pod)
	said := ""
	err := harness.Poll(t.Context(), harness.RunTime, func(ctx context.Context) (bool, string, error) {
		if err := n.Get(ctx, client.ObjectKeyFromObject(pod), pod); err != nil {
			return false, "", err
		}
		for _, status := range pod.Status.ContainerStatuses {
			if status.State.Terminated != nil {
				said = status.State.Terminated.Message
			}
		}
		return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed && said != "",
			string(pod.Status.Phase), nil
	})
	if err != nil {
		t.Fatalf("waiting for pod %s: %v", name, err)
	}
	return said
}

func copySecret(t *testing.T, to *harness.Namespace, from, name string) {
	t.Helper()
	secret := &corev1.Secret{}
	if err := cluster.Get(t.Context(), client.ObjectKey{Namespace: from, Name: name}, secret); err != nil {
		t.Fatal(err)
	}
	made := &corev1.Secret{Data: secret.Data}
	made.Name = name
	to.Apply(t, made)
}

// denied has a run in a namespace that lets nobody in and nobody out, unless a policy says so. The operator's do.
func denied(t *testing.T) {
	n := cluster.Namespace(t)
	deny := &networkingv1.NetworkPolicy{Spec: networkingv1.NetworkPolicySpec{
		PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress},
	}}
	deny.Name = "deny-all"
	run := harness.Run("bench", harness.ReplicaSet("6.0.5"))
	run.Spec.LoadGenerator.Pods = new(int32(2))
	n.Apply(t, deny, run)
	n.WaitSuccess(t, run)
}

// partition cuts the primary of a set off, and then a secondary: the first is an outage until the others have
// elected, the second is none, and both come back.
func partition(t *testing.T) {
	const cut = int32(30)
	n := cluster.Namespace(t)
	run := harness.Run("bench", harness.ReplicaSet("6.0.5"))
	run.Spec.CleanupPolicy = new(benchv1alpha1.CleanupKeep)
	run.Spec.LoadGenerator.Pods = new(int32(2))
	harness.FlatOut(run)
	step := &run.Spec.Workload.Steps[0]
	step.DurationSeconds, step.Threads = new(int32(110)), new(int32(4))
	step.Actions = []benchv1alpha1.Action{
		{
			Name: "cut-primary", Type: benchv1alpha1.ActionPartition, AfterSeconds: new(int32(10)), DurationSeconds: new(cut),
		},
		{
			Name: "cut-secondary", Type: benchv1alpha1.ActionPartition, AfterSeconds: new(int32(70)), DurationSeconds: new(cut),
			Member: new(benchv1alpha1.ActionMemberSecondary),
		},
	}
	n.Apply(t, run)
	ended := n.WaitSuccess(t, run)
	result := ended.Status.Result.Steps[0]
	if len(result.Actions) != len(step.Actions) {
		t.Fatalf("the status tells of %d actions, want %d: %+v", len(result.Actions), len(step.Actions), result.Actions)
	}
	for i, action := range result.Actions {
		outage := time.Duration(ptr.Deref(action.OutageMillis, 0)) * time.Millisecond
		recovered := "never"
		if action.RecoveryMillis != nil {
			recovered = present.Millis(*action.RecoveryMillis)
		}
		cluster.Summary.Figure("%s, member %s: outage %s, recovered after %s", action.Name, action.Member, outage, recovered)
		if action.Error != "" || action.Member == "" {
			t.Errorf("action %s has member %q and error %q", action.Name, action.Member, action.Error)
		}
		// A set elects when it has not heard of its primary for this long, and is done before the cut is over.
		const patience = 10 * time.Second
		elected := outage > patience/2 && outage < time.Duration(cut)*time.Second
		if i == 0 && !elected || i == 1 && outage > patience {
			t.Errorf("action %s has an outage of %s", action.Name, outage)
		}
	}
}
