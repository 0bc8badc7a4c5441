package controllers_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/testing/testenv"
)

// installedAs is the user that the manager is in a cluster.
const installedAs = "system:serviceaccount:mongobench-system:mongobench-operator"

var environment testenv.Environment

func TestMain(m *testing.M) { os.Exit(testenv.Run(m, &environment)) }

// TestInstalledRightsAreEnough runs all controllers with the rights, the cache and the settings that an installation
// has, from a sample to a target that is ready and load pods that are asked for.
func TestInstalledRightsAreEnough(t *testing.T) {
	g := gomega.NewWithT(t)
	install(t)
	startInstalled(t)
	namespace := environment.Namespace(t)
	run := &benchv1alpha1.BenchmarkRun{}
	read(t, "../config/samples/standalone.yaml", run)
	run.Namespace = namespace
	if err := environment.Client.Create(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	get := func(name string, into client.Object) func() error {
		return func() error {
			return environment.Client.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, into)
		}
	}
	result := &corev1.ConfigMap{}
	g.Eventually(get(naming.TopologyResultConfigMap(run.Name), result), "3m", "50ms").Should(gomega.Succeed())
	answer(t, result)
	makeMember(t, g, namespace, run.Name)

	target := &benchv1alpha1.BenchmarkTarget{}
	g.Eventually(func() []metav1.Condition {
		_ = get(run.Name, target)()
		return target.Status.Conditions
	}, "3m", "50ms").Should(gomega.Satisfy(func(conditions []metav1.Condition) bool {
		return condition.IsTrue(conditions, benchv1alpha1.TargetReady)
	}))
	for _, name := range []string{naming.PodConfigMap(run.Name, 0), naming.GateConfigMap(run.Name)} {
		g.Eventually(get(name, &corev1.ConfigMap{}), "3m", "50ms").Should(gomega.Succeed())
	}
	binding := &rbacv1.RoleBinding{}
	g.Eventually(get(naming.LoadJob(run.Name), binding), "3m", "50ms").Should(gomega.Succeed())
	playSuite(t, g, namespace)
	g.Eventually(leaders(t), "3m", "50ms").ShouldNot(gomega.BeEmpty())
}

// leaders are the events that tell who leads, of the old kind.
func leaders(t *testing.T) func() []corev1.Event {
	t.Helper()
	return func() []corev1.Event {
		var list corev1.EventList
		_ = environment.Client.List(t.Context(), &list, client.InNamespace("mongobench-system"))
		return slices.DeleteFunc(list.Items, func(told corev1.Event) bool { return told.Reason != "LeaderElection" })
	}
}

// playSuite has a suite make a run, hold it, cancel it when it is of no use any more, and make it again when it is
// wanted again.
func playSuite(t *testing.T, g *gomega.WithT, namespace string) {
	t.Helper()
	suite := &benchv1alpha1.BenchmarkSuite{}
	read(t, "../config/samples/suite.yaml", suite)
	suite.Namespace = namespace
	if err := environment.Client.Create(t.Context(), suite); err != nil {
		t.Fatal(err)
	}
	runs := func() []benchv1alpha1.BenchmarkRun {
		var list benchv1alpha1.BenchmarkRunList
		_ = environment.Client.List(t.Context(), &list, client.InNamespace(namespace),
			client.MatchingLabels{"mongobench.dev/suite": suite.Name})
		return list.Items
	}
	edit := func(change string) {
		patch := client.RawPatch(types.MergePatchType, []byte(change))
		if err := environment.Client.Patch(t.Context(), suite, patch); err != nil {
			t.Fatal(err)
		}
	}
	g.Eventually(runs, "3m", "50ms").Should(gomega.HaveLen(1))
	first := runs()[0]
	edit(`{"spec":{"suspend":true,"suspendPolicy":"Now"}}`)
	g.Eventually(func() *bool { return runs()[0].Spec.Suspend }, "3m", "50ms").Should(gomega.HaveValue(gomega.BeTrue()))
	latest := func() *benchv1alpha1.BenchmarkRun {
		found := &benchv1alpha1.BenchmarkRun{}
		_ = environment.Client.Get(t.Context(), client.ObjectKeyFromObject(&first), found)
		return found
	}
	edit(`{"spec":{"suspend":false,"template":{"spec":{"seed":7}}}}`)
	g.Eventually(func() bool {
		return condition.IsFalse(latest().Status.Conditions, benchv1alpha1.RunSucceeded)
	}, "3m", "50ms").Should(gomega.BeTrue())
	edit(`{"spec":{"template":{"spec":{"seed":null}}}}`)
	g.Eventually(func() types.UID { return latest().UID }, "3m", "50ms").ShouldNot(
		gomega.Or(gomega.BeEmpty(), gomega.Equal(first.UID)))
}

// install creates what the manager may do as it is generated from the chart: roles, their bindings, and policies.
func install(t *testing.T) {
	t.Helper()
	manifests, err := os.ReadFile("../config/rbac/rbac.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := environment.Client.Create(t.Context(), &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{Name: "mongobench-system"},
	}); err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(manifests), 4096)
	for {
		object := &unstructured.Unstructured{}
		err := decoder.Decode(object)
		if errors.Is(err, io.EOF) {
			awaitPolicies(t)
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(object.Object) == 0 {
			continue
		}
		if err := environment.Client.Create(t.Context(), object); err != nil && !apierrors.IsAlreadyExists(err) {
			t.Fatalf("creating %s %s: %v", object.GetKind(), object.GetName(), err)
		}
	}
}

// installedConfig is that of the user which the manager is in a cluster.
func installedConfig() *rest.Config {
	installed := rest.CopyConfig(environment.Config)
	installed.Impersonate = rest.ImpersonationConfig{
		UserName: installedAs, Groups: []string{"system:serviceaccounts", "system:authenticated"},
	}
	return installed
}

// startInstalled runs the controllers as the user that they are in a cluster.
func startInstalled(t *testing.T) {
	t.Helper()
	scheme, err := controllers.Scheme()
	if err != nil {
		t.Fatal(err)
	}
	manager, err := ctrl.NewManager(installedConfig(), ctrl.Options{
		Scheme: scheme, Cache: controllers.CacheOptions(nil), Metrics: metricsserver.Options{BindAddress: "0"},
		LeaderElection: true, LeaderElectionID: "mongobench-operator", LeaderElectionNamespace: "mongobench-system",
		LeaderElectionReleaseOnCancel: true,
		Controller:                    config.Controller{UsePriorityQueue: new(false)}, // As cmd/manager does.
	})
	if err != nil {
		t.Fatal(err)
	}
	operator := controllers.Settings{
		LoadgenImage:      "example.com/loadgen:1",
		Installation:      "mongobench-system/mongobench-operator",
		RunsPerNodePool:   2, // The run, and the suite's.
		ImageRepositories: map[benchv1alpha1.Product]string{benchv1alpha1.ProductMongoDB: "example.com/mongo"},
	}
	if err := controllers.Setup(manager, operator); err != nil {
		t.Fatal(err)
	}
	testenv.Start(t, manager)
}

func read(t *testing.T, file string, into any) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(content, into); err != nil {
		t.Fatalf("reading %s: %v", file, err)
	}
}

// answer plays the topology Job.
func answer(t *testing.T, result *corev1.ConfigMap) {
	t.Helper()
	encoded, err := reportv1alpha1.EncodeTopology(reportv1alpha1.TopologyReport{Version: reportv1alpha1.Version})
	if err != nil {
		t.Fatal(err)
	}
	result.Data = map[string]string{reportv1alpha1.TopologyKey: string(encoded)}
	if err := environment.Client.Update(t.Context(), result); err != nil {
		t.Fatal(err)
	}
}

// makeMember plays the StatefulSet's controller and the kubelet.
func makeMember(t *testing.T, g *gomega.WithT, namespace, target string) {
	t.Helper()
	set := &unstructured.Unstructured{}
	set.SetAPIVersion("apps/v1")
	set.SetKind("StatefulSet")
	key := client.ObjectKey{Namespace: namespace, Name: naming.TargetStatefulSet(target, naming.ReplicaSet)}
	g.Eventually(func() error { return environment.Client.Get(t.Context(), key, set) }, 30*time.Second).
		Should(gomega.Succeed())
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: naming.MemberPod(target, naming.ReplicaSet, 0),
			Labels: naming.ForTarget(target, naming.ComponentMongod),
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "apps/v1", Kind: "StatefulSet", Name: set.GetName(), UID: set.GetUID(), Controller: new(true),
			}},
		},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: naming.MongodContainer, Image: "image"}}},
	}
	if err := environment.Client.Create(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	if err := environment.Client.Status().Update(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
}
