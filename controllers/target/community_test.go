package target_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/target/decide"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

// communityOperator is the version whose own definition of a MongoDBCommunity the API server checks ours by.
const communityOperator = "github.com/mongodb/mongodb-kubernetes-operator@v0.9.0"

// TestReplicaSetOfTheCommunityOperator plays that operator: at first it is not installed, then it fails once.
func TestReplicaSetOfTheCommunityOperator(t *testing.T) {
	w := newWorld(t, func(namespace string) *benchv1alpha1.BenchmarkTarget {
		target := targettest.ReplicaSet(namespace, "theirs", 3)
		target.Spec.MongoDB.Provider = new(benchv1alpha1.ProviderMongoDBCommunity)
		target.Spec.MongoDB.Parameters = []benchv1alpha1.ServerParameter{{Name: "notablescan", Value: "true"}}
		return target
	})
	w.expect(benchv1alpha1.TargetReady, metav1.ConditionFalse, benchv1alpha1.ReasonProviderMissing)

	install(t, communityOperator, "config", "crd", "bases", "mongodbcommunity.mongodb.com_mongodbcommunity.yaml")
	w.expect(benchv1alpha1.TargetReady, metav1.ConditionFalse, benchv1alpha1.ReasonProviderPending)
	w.setPhase("Failed", "no automation agent")
	w.expect(benchv1alpha1.TargetReady, metav1.ConditionFalse, benchv1alpha1.ReasonProviderFailed)
	w.setPhase("Pending", "ReplicaSet is not yet ready")
	w.g.Eventually(func() string {
		return w.expect(benchv1alpha1.TargetReady, metav1.ConditionFalse, benchv1alpha1.ReasonProviderPending).Message
	}, patience).Should(gomega.Equal("MongoDBCommunity theirs: phase Pending: ReplicaSet is not yet ready"))

	w.claims("data-volume-theirs-0", "logs-volume-theirs-2")
	w.create(&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "theirs-admin-mongobench"},
		Data:       map[string][]byte{"connectionString.standard": []byte("mongodb://mongobench:secret@somewhere")},
	})
	w.setPhase("Running", "")
	w.expect(benchv1alpha1.TargetReady, metav1.ConditionFalse, benchv1alpha1.ReasonTopologyPending)
	w.answer()
	w.expect(benchv1alpha1.TargetReady, metav1.ConditionTrue, benchv1alpha1.ReasonReady)
	want := &benchv1alpha1.TargetConnection{
		URISecretRef: &benchv1alpha1.SecretKeyReference{
			Name: "theirs-admin-mongobench", Key: "connectionString.standard",
		},
		ObserverCredentialsSecretName: new("theirs-observer"),
		ActionCredentialsSecretName:   new("theirs-action"),
	}
	if diff := cmp.Diff(want, w.target.Status.Connection); diff != "" {
		t.Errorf("connection (-want +got):\n%s", diff)
	}
	w.expectNothingOfOurs()
	w.expectClaimsToGo(map[string]bool{
		"data-volume-theirs-0": true, "logs-volume-theirs-2": true, "data-volume-others-0": false,
	})
	if generation := w.community().GetGeneration(); generation != 1 {
		t.Errorf("the object was changed after it was made: generation %d", generation)
	}
}

// claims makes those of members, as a StatefulSet does by the templates of the MongoDBCommunity, and one of another's.
func (w *world) claims(names ...string) {
	w.Helper()
	templates, _, err := unstructured.NestedSlice(w.community().Object,
		"spec", "statefulSet", "spec", "volumeClaimTemplates")
	if err != nil || len(templates) != 2 {
		w.Fatalf("there are %d templates of claims, want one of the data and one of the logs: %v", len(templates), err)
	}
	for i, name := range names {
		template, _ := templates[i].(map[string]any)
		labels, _, _ := unstructured.NestedStringMap(template, "metadata", "labels")
		w.create(w.claim(name, labels))
	}
	w.create(w.claim("data-volume-others-0", nil))
}

func (w *world) claim(name string, labels map[string]string) *corev1.PersistentVolumeClaim {
	made := &corev1.PersistentVolumeClaim{}
	made.Namespace, made.Name, made.Labels = w.namespace, name, labels
	made.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
	made.Spec.Resources.Requests = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}
	return made
}

// expectClaimsToGo looks which claims go with the target.
func (w *world) expectClaimsToGo(want map[string]bool) {
	w.Helper()
	for name, goes := range want {
		var claim corev1.PersistentVolumeClaim
		w.get(name, &claim)
		if got := len(claim.OwnerReferences) == 1 && claim.OwnerReferences[0].UID == w.target.UID; got != goes {
			w.Errorf("claim %s goes with the target: %t, want %t", name, got, goes)
		}
	}
}

func (w *world) community() *unstructured.Unstructured {
	w.Helper()
	made := &unstructured.Unstructured{}
	made.SetGroupVersionKind(decide.CommunityKind)
	w.get("theirs", made)
	return made
}

// setPhase writes what the Community Operator says.
func (w *world) setPhase(phase, message string) {
	w.Helper()
	made := w.community()
	made.Object["status"] = map[string]any{
		"phase": phase, "message": message, "mongoUri": "", "currentStatefulSetReplicas": int64(3),
		"currentMongoDBMembers": int64(3),
	}
	if err := environment.Client.Status().Update(w.Context(), made); err != nil {
		w.Fatalf("writing the phase: %v", err)
	}
}

// expectNothingOfOurs looks for members beside those of the other operator.
func (w *world) expectNothingOfOurs() {
	w.Helper()
	for name, object := range map[string]client.Object{
		"theirs-mongod": unstructuredOf("apps/v1", "StatefulSet"), "theirs-keyfile": unstructuredOf("v1", "Secret"),
		"theirs-members": unstructuredOf("v1", "Service"),
	} {
		err := environment.Client.Get(w.Context(), client.ObjectKey{Namespace: w.namespace, Name: name}, object)
		if !apierrors.IsNotFound(err) {
			w.Errorf("%s was made: %v", name, err)
		}
	}
}

func unstructuredOf(version, kind string) *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	object.SetAPIVersion(version)
	object.SetKind(kind)
	return object
}
