package controllers_test

import (
	"strings"
	"testing"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

// asUser is a client of a user who may do everything.
func asUser(t *testing.T, name string) client.Client {
	t.Helper()
	config := rest.CopyConfig(environment.Config)
	config.Impersonate = rest.ImpersonationConfig{
		UserName: name, Groups: []string{"system:masters", "system:authenticated"},
	}
	made, err := client.New(config, client.Options{Scheme: environment.Scheme})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// usedTarget is a target that runs use, as its status says.
func usedTarget(t *testing.T, namespace, name string, users ...string) *benchv1alpha1.BenchmarkTarget {
	t.Helper()
	target := targettest.External(namespace, name)
	if err := environment.Client.Create(t.Context(), target); err != nil {
		t.Fatal(err)
	}
	target.Status.InUseBy = users
	if err := environment.Client.Status().Update(t.Context(), target); err != nil {
		t.Fatal(err)
	}
	return target
}

// TestATargetInUseIsNotDeletedByMistake: a person is told what uses it and how to delete it all the same; nobody else
// is held up.
func TestATargetInUseIsNotDeletedByMistake(t *testing.T) {
	install(t)
	namespace := environment.Namespace(t)
	used, free := usedTarget(t, namespace, "used", "first", "second"), usedTarget(t, namespace, "free")
	try := func(user string, target *benchv1alpha1.BenchmarkTarget) error {
		return asUser(t, user).Delete(t.Context(), target.DeepCopy(), client.DryRunAll)
	}
	annotate := "kubectl annotate -n " + namespace + " benchmarktarget used mongobench.dev/force-delete=true"
	gomega.NewWithT(t).Eventually(func() bool { // The API server heeds a policy a little after it was made.
		err := try("somebody", used)
		return apierrors.IsForbidden(err) && strings.Contains(err.Error(), "used is in use by first, second") &&
			strings.Contains(err.Error(), annotate)
	}, waits, "50ms").Should(gomega.BeTrue())
	if err := try("somebody", free); err != nil {
		t.Errorf("a target that nothing uses: %v", err)
	}
	for _, user := range []string{
		installedAs, "system:kube-controller-manager", "system:serviceaccount:kube-system:namespace-controller",
		"system:serviceaccount:kube-system:generic-garbage-collector",
	} {
		if err := try(user, used); err != nil {
			t.Errorf("as %s: %v", user, err)
		}
	}
	forced := used.DeepCopy()
	forced.Annotations = map[string]string{"mongobench.dev/force-delete": "true"}
	if err := environment.Client.Update(t.Context(), forced); err != nil {
		t.Fatal(err)
	}
	if err := try("somebody", forced); err != nil {
		t.Errorf("with the annotation: %v", err)
	}
}

// TestATargetInUseGoesWithItsNamespace, whoever deletes it then.
func TestATargetInUseGoesWithItsNamespace(t *testing.T) {
	install(t)
	namespace := &corev1.Namespace{}
	namespace.Name = environment.Namespace(t)
	used := usedTarget(t, namespace.Name, "used", "first")
	somebody := asUser(t, "somebody")
	gone := func() error { return somebody.Delete(t.Context(), used.DeepCopy(), client.DryRunAll) }
	gomega.NewWithT(t).Eventually(gone, waits, "50ms").Should(gomega.Satisfy(apierrors.IsForbidden))
	if err := environment.Client.Delete(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	gomega.NewWithT(t).Eventually(gone, waits, "50ms").Should(gomega.Succeed())
}
