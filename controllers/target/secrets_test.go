package target_test

import (
	"context"
	"testing"

	"github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/testing/testenv"
)

// counted counts what is read past the cache.
type counted struct {
	client.Reader
	read int
}

func (c *counted) Get(ctx context.Context, key client.ObjectKey, into client.Object, o ...client.GetOption) error {
	c.read++
	return c.Reader.Get(ctx, key, into, o...)
}

func (c *counted) List(ctx context.Context, into client.ObjectList, o ...client.ListOption) error {
	c.read++
	return c.Reader.List(ctx, into, o...)
}

// TestASecretOfAReadyTargetIsNotReadAndNotMadeAgain: its content was random, and the members were made with it.
func TestASecretOfAReadyTargetIsNotReadAndNotMadeAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, replicaSet)
	w.runMembers()
	w.answer()
	w.expect(benchv1alpha1.TargetReady, metav1.ConditionTrue, benchv1alpha1.ReasonReady)
	w.stop()
	var secret corev1.Secret
	w.get(naming.LoadSecret("set"), &secret)
	if err := environment.Client.Delete(t.Context(), &secret); err != nil {
		t.Fatal(err)
	}
	var writes testenv.Writes
	live := &counted{Reader: environment.Client}
	request := ctrl.Request{NamespacedName: client.ObjectKeyFromObject(w.target)}
	_, err := reconciler(&writes, live).Reconcile(t.Context(), request)
	if err != nil || live.read > 0 || len(writes.Done) > 0 {
		t.Errorf("error %v; %d reads past the cache; written %v", err, live.read, writes.Done)
	}
}

// TestNoPodIsStartedBeforeEverySecretIsThere: so a StatefulSet says that there are all, and none has to be read.
func TestNoPodIsStartedBeforeEverySecretIsThere(t *testing.T) {
	t.Parallel()
	theirs := &corev1.Secret{}
	w := newWorld(t, func(namespace string) *benchv1alpha1.BenchmarkTarget {
		theirs.Namespace, theirs.Name = namespace, naming.LoadSecret("set")
		if err := environment.Client.Create(t.Context(), theirs); err != nil {
			t.Fatal(err)
		}
		return replicaSet(namespace)
	})
	w.expect(benchv1alpha1.TargetReady, metav1.ConditionFalse, benchv1alpha1.ReasonConfigError)
	if uids, secrets := w.owned(); len(secrets) == 0 || uids["*v1.StatefulSet set-mongod"] != "" {
		t.Errorf("%d Secrets were made; all that was: %v", len(secrets), uids)
	}
	if err := environment.Client.Delete(t.Context(), theirs); err != nil {
		t.Fatal(err)
	}
	w.g.Eventually(func() bool {
		key := client.ObjectKey{Namespace: w.namespace, Name: naming.TargetStatefulSet("set", naming.ReplicaSet)}
		return !apierrors.IsNotFound(environment.Client.Get(t.Context(), key, &appsv1.StatefulSet{}))
	}, patience).Should(gomega.BeTrue())
	if _, secrets := w.owned(); secrets[theirs.Name] == "" {
		t.Errorf("Secret %s is missing", theirs.Name)
	}
}
