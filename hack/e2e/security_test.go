//go:build e2e

package e2e

import (
	"fmt"
	"slices"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
)

// TestSecurity looks at a run while everything of it is there: what can be read, what its pods may do, and what they
// are allowed to be.
func TestSecurity(t *testing.T) {
	t.Parallel()
	n := cluster.Namespace(t)
	run := harness.Run("bench", harness.Standalone("6.0.5"))
	run.Spec.CleanupPolicy = new(benchv1alpha1.CleanupKeep)
	n.Apply(t, run)
	n.WaitSuccess(t, run)

	t.Run("passwords stand nowhere but in their Secrets", func(t *testing.T) { checkLeaks(t, n) })
	t.Run("load pods may write into their own ConfigMaps and do nothing else", func(t *testing.T) { checkRights(t, n) })
	t.Run("the namespace is restricted and the pods run in it", func(t *testing.T) { checkPodSecurity(t, n) })
}

func checkLeaks(t *testing.T, n *harness.Namespace) {
	t.Helper()
	secrets := n.Secrets(t)
	for _, want := range []string{
		"bench-keyfile/keyfile", "bench-admin/password", "bench-load/password", "bench-observer/password",
		"bench-action/password",
	} {
		if secrets[want] == "" {
			t.Errorf("there is no secret %s to look for", want)
		}
	}
	texts, err := n.Texts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Pod bench-mongod-0", "BenchmarkRun bench", "ConfigMap bench-report/report", "NetworkPolicy bench-members",
		"log of pod bench-mongod-0, container mongod",
	} {
		if texts[want] == "" {
			t.Errorf("there is no %s to look into", want)
		}
	}
	for _, leak := range harness.Leaks(texts, secrets) {
		t.Error(leak)
	}
}

// checkRights asks the API server what the load pods' account may do.
func checkRights(t *testing.T, n *harness.Namespace) {
	t.Helper()
	type right struct{ verb, resource, name string }
	cases := map[right]bool{
		{"get", "configmaps", "bench-gate"}:         true,
		{"get", "configmaps", "bench-pod-0"}:        true,
		{"patch", "configmaps", "bench-pod-0"}:      true,
		{"watch", "configmaps", "bench-gate"}:       true,
		{"watch", "configmaps", "bench-pod-0"}:      false,
		{"watch", "configmaps", ""}:                 false,
		{"patch", "configmaps", "bench-gate"}:       false,
		{"patch", "configmaps", "bench-pod-1"}:      false,
		{"patch", "configmaps", "bench-report"}:     true, // Load pod 0 stores it.
		{"patch", "configmaps", "bench-collected"}:  true,
		{"patch", "configmaps", "other-report"}:     false,
		{"get", "configmaps", "other-report"}:       false,
		{"list", "configmaps", ""}:                  false,
		{"create", "configmaps", ""}:                false,
		{"get", "secrets", "bench-admin"}:           false,
		{"get", "secrets", "bench-load"}:            false,
		{"list", "secrets", ""}:                     false,
		{"get", "pods", "bench-mongod-0"}:           false,
		{"create", "pods", ""}:                      false,
		{"delete", "pods", "bench-mongod-0"}:        false,
		{"get", "benchmarkruns", "bench"}:           false,
		{"update", "benchmarkruns/status", "bench"}: false,
	}
	user := fmt.Sprintf("system:serviceaccount:%s:bench-load", n.Name)
	for asked, want := range cases {
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			User:   user,
			Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + n.Name, "system:authenticated"},
			ResourceAttributes: &authorizationv1.ResourceAttributes{
				Namespace: n.Name, Verb: asked.verb, Resource: asked.resource, Name: asked.name, Group: groupOf(asked.resource),
			},
		}}
		if err := n.Create(t.Context(), review); err != nil {
			t.Fatalf("asking what %s may do: %v", user, err)
		}
		if review.Status.Allowed != want {
			t.Errorf("%s: may %s %s %q: %t, want %t (%s)", user, asked.verb, asked.resource, asked.name, review.Status.Allowed,
				want, review.Status.Reason)
		}
	}
}

func groupOf(resource string) string {
	if resource == "benchmarkruns" || resource == "benchmarkruns/status" {
		return benchv1alpha1.GroupVersion.Group
	}
	return ""
}

// checkPodSecurity makes sure that the standard is enforced here, so that pods that run have passed it.
func checkPodSecurity(t *testing.T, n *harness.Namespace) {
	t.Helper()
	careless := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "careless", Namespace: n.Name},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "any", Image: "any"}}},
	}
	if err := n.Create(t.Context(), careless); err == nil {
		t.Error("the namespace takes a pod that the restricted Pod Security Standard forbids")
	}
	pods := &corev1.PodList{}
	n.FetchAll(t, pods)
	if len(pods.Items) < 2 {
		t.Errorf("there are %d pods to look at, want mongod and a load pod at least", len(pods.Items))
	}
	for i := range pods.Items {
		checkContainers(t, &pods.Items[i])
	}
}

// checkContainers looks at what the standard leaves open: a read-only image, and no account where none is needed.
func checkContainers(t *testing.T, pod *corev1.Pod) {
	t.Helper()
	for _, container := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		security := container.SecurityContext
		if security == nil || security.ReadOnlyRootFilesystem == nil || !*security.ReadOnlyRootFilesystem {
			t.Errorf("pod %s, container %s can write into its image", pod.Name, container.Name)
		}
	}
	mounts := pod.Spec.AutomountServiceAccountToken
	if pod.Labels["app.kubernetes.io/component"] == "mongod" && (mounts == nil || *mounts) {
		t.Errorf("pod %s holds a token of the API server, which mongod has no use for", pod.Name)
	}
}
