package target_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

func replicaSet(namespace string) *benchv1alpha1.BenchmarkTarget {
	return targettest.ReplicaSet(namespace, "set", 3)
}

func standalone(namespace string) *benchv1alpha1.BenchmarkTarget {
	return targettest.Standalone(namespace, "alone", "6.0.5")
}

func external(namespace string) *benchv1alpha1.BenchmarkTarget {
	return targettest.External(namespace, "theirs")
}

// ownedKinds are lists of every kind that a target may own.
func ownedKinds() []client.ObjectList {
	return []client.ObjectList{
		&appsv1.StatefulSetList{}, &batchv1.JobList{}, &corev1.ServiceList{}, &corev1.SecretList{}, &corev1.ConfigMapList{},
		&corev1.ServiceAccountList{}, &rbacv1.RoleList{}, &rbacv1.RoleBindingList{}, &networkingv1.NetworkPolicyList{},
	}
}

// owned are the UIDs of everything that the target controls, by kind and name, and what its Secrets hold.
func (w *world) owned() (uids map[string]types.UID, secrets map[string]string) {
	w.Helper()
	uids, secrets = map[string]types.UID{}, map[string]string{}
	for _, list := range ownedKinds() {
		if err := environment.Client.List(w.Context(), list, client.InNamespace(w.namespace)); err != nil {
			w.Fatal(err)
		}
		err := apimeta.EachListItem(list, func(item runtime.Object) error {
			object, ok := item.(client.Object)
			if !ok || !metav1.IsControlledBy(object, w.target) {
				return nil
			}
			uids[fmt.Sprintf("%T %s", object, object.GetName())] = object.GetUID()
			if secret, ok := object.(*corev1.Secret); ok {
				secrets[secret.Name] = fmt.Sprint(secret.Data)
			}
			return nil
		})
		if err != nil {
			w.Fatal(err)
		}
	}
	return uids, secrets
}

func TestReplicaSetBecomesReadyThroughRestartsOfTheManager(t *testing.T) {
	t.Parallel()
	w := newWorld(t, replicaSet)
	w.expect(benchv1alpha1.TargetAccepted, metav1.ConditionTrue, benchv1alpha1.ReasonValid)
	w.expect(benchv1alpha1.TargetReady, metav1.ConditionFalse, benchv1alpha1.ReasonPodsStarting)
	w.job()
	uids, secrets := w.owned()
	w.restart()
	w.runMembers()
	w.expect(benchv1alpha1.TargetReady, metav1.ConditionFalse, benchv1alpha1.ReasonTopologyPending)
	w.restart()
	w.answer()
	w.expect(benchv1alpha1.TargetReady, metav1.ConditionTrue, benchv1alpha1.ReasonReady)
	// A manager that is stopped takes the events with it that it has not sent yet.
	w.expectEvent(benchv1alpha1.ReasonReady)
	w.restart()
	w.expect(benchv1alpha1.TargetStalled, metav1.ConditionFalse, benchv1alpha1.ReasonNotStalled)

	afterwards, sameSecrets := w.owned()
	if diff := cmp.Diff(uids, afterwards); diff != "" {
		t.Errorf("the restarted managers made other objects (-first +last):\n%s", diff)
	}
	if diff := cmp.Diff(secrets, sameSecrets); diff != "" {
		t.Error("a Secret was written again")
	}
	if len(uids) != 15 {
		t.Errorf("%d objects are owned, want 15: %v", len(uids), uids)
	}
	checkReadyStatus(t, w.target.Status)
}

func checkReadyStatus(t *testing.T, status benchv1alpha1.BenchmarkTargetStatus) {
	t.Helper()
	if uri := *status.Connection.URI; !strings.HasSuffix(uri, "svc:27017/?replicaSet=rs0") {
		t.Errorf("uri %s", uri)
	}
	if *status.Connection.CredentialsSecretName != "set-load" {
		t.Errorf("credentials in %s", *status.Connection.CredentialsSecretName)
	}
	if status.Server.Version != "6.0.5" || *status.Server.CacheMebibytes != 256 ||
		*status.Server.CPULimitMillicores != 2000 {
		t.Errorf("server %+v", status.Server)
	}
	for _, c := range status.Conditions {
		if c.ObservedGeneration != 1 {
			t.Errorf("condition %s was observed at generation %d", c.Type, c.ObservedGeneration)
		}
	}
}

func (w *world) expectEvent(reason string) {
	w.Helper()
	w.g.Eventually(func() []string {
		var list eventsv1.EventList
		if err := environment.Client.List(w.Context(), &list, client.InNamespace(w.namespace)); err != nil {
			return []string{err.Error()}
		}
		var reasons []string
		for _, e := range list.Items {
			if e.Regarding.UID == w.target.UID {
				reasons = append(reasons, e.Reason)
			}
		}
		return reasons
	}, patience, 50*time.Millisecond).Should(gomega.ContainElement(reason))
}

func TestStandaloneIsSpokenToDirectly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, standalone)
	w.runMembers()
	w.answer()
	w.expect(benchv1alpha1.TargetReady, metav1.ConditionTrue, benchv1alpha1.ReasonReady)
	if uri := *w.target.Status.Connection.URI; !strings.HasSuffix(uri, "/?directConnection=true") {
		t.Errorf("uri %s", uri)
	}
}

func TestInvalidTargetIsRefusedByThePathOfItsField(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(namespace string) *benchv1alpha1.BenchmarkTarget {
		target := standalone(namespace)
		target.Spec.MongoDB.Resources = targettest.Requests("8", "")
		return target
	})
	accepted := w.expect(benchv1alpha1.TargetAccepted, metav1.ConditionFalse, benchv1alpha1.ReasonInvalid)
	if !strings.HasPrefix(accepted.Message, "spec.mongodb.resources.requests[cpu]") {
		t.Errorf("message %q", accepted.Message)
	}
	w.expectStalled(benchv1alpha1.ReasonNotAccepted)
	if uids, _ := w.owned(); len(uids) > 0 {
		t.Errorf("objects were made: %v", uids)
	}
	w.expectEvent(benchv1alpha1.ReasonInvalid)
}

func TestExternalTargetWaitsForItsSecret(t *testing.T) {
	t.Parallel()
	w := newWorld(t, external)
	w.expect(benchv1alpha1.TargetReady, metav1.ConditionFalse, benchv1alpha1.ReasonSecretNotFound)
	missing := w.expect(benchv1alpha1.TargetReady, metav1.ConditionFalse, benchv1alpha1.ReasonSecretNotFound)
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "elsewhere"},
		StringData: map[string]string{"uri": "mongodb://someone:secret@db.example.com"},
	}
	w.create(secret)
	// One that is not for benchmarks is as if it were not there, however often it is looked for.
	w.g.Consistently(func() string {
		found := &benchv1alpha1.BenchmarkTarget{}
		w.get(w.target.Name, found)
		return condition.Find(found.Status.Conditions, benchv1alpha1.TargetReady).Message
	}, "3s").Should(gomega.Equal(missing.Message))
	secret.Labels = map[string]string{naming.ConnectionLabel: naming.ConnectionAllowed}
	if err := environment.Client.Update(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	w.expect(benchv1alpha1.TargetReady, metav1.ConditionFalse, benchv1alpha1.ReasonTopologyPending)
	w.answer()
	w.expect(benchv1alpha1.TargetReady, metav1.ConditionTrue, benchv1alpha1.ReasonReady)
	want := &benchv1alpha1.TargetConnection{
		URISecretRef: &benchv1alpha1.SecretKeyReference{Name: "elsewhere", Key: "uri"},
	}
	if diff := cmp.Diff(want, w.target.Status.Connection); diff != "" {
		t.Errorf("connection (-want +got):\n%s", diff)
	}
	if uids, _ := w.owned(); len(uids) != 6 {
		t.Errorf("%d objects are owned, want 6: %v", len(uids), uids)
	}
}

func TestDriftIsRepaired(t *testing.T) {
	t.Parallel()
	w := newWorld(t, replicaSet)
	w.made()
	_, secrets := w.owned()
	w.changeStatefulSet(func(set *appsv1.StatefulSet) { set.Spec.Replicas = new(int32(1)) })
	w.g.Eventually(func() int32 { return *w.statefulSet().Spec.Replicas }, patience).Should(gomega.Equal(int32(3)))

	var role rbacv1.Role
	w.get(naming.TopologyJob(w.target.Name), &role)
	role.Rules = append(role.Rules, rbacv1.PolicyRule{
		APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"get"},
	})
	if err := environment.Client.Update(t.Context(), &role); err != nil {
		t.Fatal(err)
	}
	w.g.Eventually(func() int {
		w.get(role.Name, &role)
		return len(role.Rules)
	}, patience).Should(gomega.Equal(1))

	service := &corev1.Service{}
	w.get(naming.MembersService(w.target.Name), service)
	old := service.UID
	if err := environment.Client.Delete(t.Context(), service); err != nil {
		t.Fatal(err)
	}
	w.g.Eventually(func() bool {
		w.get(naming.MembersService(w.target.Name), service)
		return service.UID != old
	}, patience).Should(gomega.BeTrue())
	if _, now := w.owned(); !cmp.Equal(secrets, now) {
		t.Error("a Secret was written again")
	}
}

func TestWhatIsNoLongerDesiredIsRemoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t, replicaSet)
	w.made()
	configMap := func(name string) *corev1.ConfigMap {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
			Namespace: w.namespace, Name: name, Labels: naming.ForTarget(w.target.Name, naming.ComponentTopology),
		}}
	}
	// As an operator of an earlier version would have left it, under another hash.
	stale := configMap("set-topology-00000000")
	if err := controllerutil.SetControllerReference(w.target, stale, environment.Scheme); err != nil {
		t.Fatal(err)
	}
	theirs := configMap("theirs")
	w.create(theirs)
	w.create(stale)
	w.g.Eventually(func() bool {
		err := environment.Client.Get(t.Context(), client.ObjectKeyFromObject(stale), stale)
		return apierrors.IsNotFound(err)
	}, patience).Should(gomega.BeTrue())
	w.get(theirs.Name, theirs)
}
