package run_test

import (
	"testing"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mongobench/mongobench-operator/internal/naming"
)

// TestWhatARunCutOffIsHealedWhenTheManagerStarts: the run was deleted while none ran, and its policy went with it. The
// target's own does not speak for a member with the label, so that everybody could reach it.
func TestWhatARunCutOffIsHealedWhenTheManagerStarts(t *testing.T) {
	t.Parallel()
	namespace := environment.Namespace(t)
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: "shared-mongod-0",
			Labels: naming.ForMember("shared", naming.ReplicaSet, naming.ComponentMongod),
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "apps/v1", Kind: "StatefulSet", Name: "shared-mongod", UID: "1", Controller: new(true),
			}},
		},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: naming.MongodContainer, Image: "image"}}},
	}
	if err := environment.Client.Create(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
	cut := &unstructured.Unstructured{}
	cut.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
	cut.SetNamespace(namespace)
	cut.SetName(pod.Name)
	cut.SetLabels(map[string]string{naming.PartitionedLabel: "gone"})
	err := environment.Client.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(cut),
		client.FieldOwner("mongobench-operator-partition"))
	if err != nil {
		t.Fatal(err)
	}
	startManager(t, namespace)
	gomega.NewWithT(t).Eventually(func() map[string]string {
		found := &corev1.Pod{}
		key := client.ObjectKeyFromObject(pod)
		if err := environment.Client.Get(t.Context(), key, found); err != nil {
			t.Log(err)
		}
		return found.Labels
	}, wakeTime, "50ms").ShouldNot(gomega.HaveKey(naming.PartitionedLabel))
}
