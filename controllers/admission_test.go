package controllers_test

import (
	"strings"
	"testing"

	"github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mongobench/mongobench-operator/internal/naming"
)

// operatorClient is a client of the user that the manager is in a cluster.
func operatorClient(t *testing.T) client.Client {
	t.Helper()
	operator, err := client.New(installedConfig(), client.Options{Scheme: environment.Scheme})
	if err != nil {
		t.Fatal(err)
	}
	return operator
}

// deniedAsForeign says whether the chart's policy refuses a write, for the label that the object lacks.
func deniedAsForeign(err error) bool {
	return apierrors.IsForbidden(err) && strings.Contains(err.Error(), "ValidatingAdmissionPolicy") &&
		strings.Contains(err.Error(), "app.kubernetes.io/managed-by: mongobench-operator")
}

// awaitPolicies waits until the API server heeds the policies, which it does a little after they were made.
func awaitPolicies(t *testing.T) {
	t.Helper()
	operator := operatorClient(t)
	gomega.NewWithT(t).Eventually(func() error {
		foreign := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, Name: "foreign"}}
		return operator.Create(t.Context(), foreign, client.DryRunAll)
	}, waits, "50ms").Should(gomega.Satisfy(deniedAsForeign))
}

// written are objects of every kind that the operator writes, without a label.
func written(namespace string) map[string]client.Object {
	meta := metav1.ObjectMeta{Namespace: namespace, Name: "theirs"}
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}}
	pod := corev1.PodSpec{
		Containers: []corev1.Container{{Name: "c", Image: "image"}}, RestartPolicy: corev1.RestartPolicyNever,
	}
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: selector.MatchLabels}, Spec: pod}
	restarted := template
	restarted.Spec.RestartPolicy = corev1.RestartPolicyAlways
	return map[string]client.Object{
		"ConfigMap":      &corev1.ConfigMap{ObjectMeta: meta},
		"Secret":         &corev1.Secret{ObjectMeta: meta},
		"Pod":            &corev1.Pod{ObjectMeta: meta, Spec: pod},
		"ServiceAccount": &corev1.ServiceAccount{ObjectMeta: meta},
		"Service": &corev1.Service{ObjectMeta: meta, Spec: corev1.ServiceSpec{
			ClusterIP: corev1.ClusterIPNone, Selector: selector.MatchLabels,
		}},
		"StatefulSet": &appsv1.StatefulSet{ObjectMeta: meta, Spec: appsv1.StatefulSetSpec{
			Selector: selector, Template: restarted,
		}},
		"Job":  &batchv1.Job{ObjectMeta: meta, Spec: batchv1.JobSpec{Template: template}},
		"Role": &rbacv1.Role{ObjectMeta: meta},
		"RoleBinding": &rbacv1.RoleBinding{ObjectMeta: meta, RoleRef: rbacv1.RoleRef{
			APIGroup: rbacv1.GroupName, Kind: "Role", Name: "empty",
		}},
		"NetworkPolicy":       &networkingv1.NetworkPolicy{ObjectMeta: meta},
		"PodDisruptionBudget": &policyv1.PodDisruptionBudget{ObjectMeta: meta},
	}
}

// mayNot are the verbs that the operator's roles do not give it at all, by kind.
var mayNot = map[string]string{"Pod": "create patch", "Secret": "delete", "Job": "patch"}

// writes are what is tried on an object, without doing it: the first makes another one with the same labels.
func writes(t *testing.T, by client.Client, fresh client.Object) map[string]func(client.Object) error {
	t.Helper()
	return map[string]func(client.Object) error{
		"create": func(like client.Object) error {
			made := copied(fresh)
			made.SetName("new")
			made.SetLabels(like.GetLabels())
			return by.Create(t.Context(), made, client.DryRunAll)
		},
		"patch": func(object client.Object) error {
			patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"annotations":{"a":"b"}}}`))
			return by.Patch(t.Context(), copied(object), patch, client.DryRunAll)
		},
		"delete": func(object client.Object) error {
			return by.Delete(t.Context(), copied(object), client.DryRunAll)
		},
	}
}

func copied(object client.Object) client.Object {
	made, _ := object.DeepCopyObject().(client.Object)
	return made
}

// TestTheOperatorWritesOnlyItsOwn tries, as the operator, what its roles let it do to any object, on objects with its
// label and without.
func TestTheOperatorWritesOnlyItsOwn(t *testing.T) {
	install(t)
	operator := operatorClient(t)
	namespace := environment.Namespace(t)
	empty := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "empty"}}
	if err := environment.Client.Create(t.Context(), empty); err != nil {
		t.Fatal(err)
	}
	for kind, theirs := range written(namespace) {
		t.Run(kind, func(t *testing.T) { writesOwn(t, operator, kind, theirs) })
	}
}

// writesOwn tries each write on an object of a kind, and on another that has the label.
func writesOwn(t *testing.T, operator client.Client, kind string, theirs client.Object) {
	t.Helper()
	all, own := writes(t, operator, copied(theirs)), copied(theirs)
	own.SetName("own")
	own.SetLabels(map[string]string{naming.ManagedByLabel: naming.ManagedBy})
	for _, object := range []client.Object{theirs, own} {
		if err := environment.Client.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	for verb, try := range all {
		forbidden := strings.Contains(mayNot[kind], verb)
		if err := try(theirs); !deniedAsForeign(err) && (!forbidden || !apierrors.IsForbidden(err)) {
			t.Errorf("%s of another's: %v", verb, err)
		}
		if err := try(own); (err == nil) == forbidden {
			t.Errorf("%s of its own: %v", verb, err)
		}
	}
}

// TestTheOperatorKeepsItsLabelOn: an object that it takes its own label from would be nobody's.
func TestTheOperatorKeepsItsLabelOn(t *testing.T) {
	install(t)
	own := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Namespace: environment.Namespace(t), Name: "own", Labels: map[string]string{naming.ManagedByLabel: naming.ManagedBy},
	}}
	if err := environment.Client.Create(t.Context(), own); err != nil {
		t.Fatal(err)
	}
	patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"labels":null}}`))
	if err := operatorClient(t).Patch(t.Context(), own, patch); !deniedAsForeign(err) {
		t.Errorf("got %v", err)
	}
}
