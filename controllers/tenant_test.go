package controllers_test

import (
	"strings"
	"testing"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/internal/testing/runtest"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
	"github.com/mongobench/mongobench-operator/internal/testing/testenv"
)

// waits is how long a state may take on a machine that has much else to do.
const waits = "2m"

// tenant is somebody who may do everything with the operator's kinds in one namespace, and nothing else, beside another
// tenant's namespace with a run that is measured.
type tenant struct {
	t            *testing.T
	own, theirs  string
	client       client.Client
	logs         kubernetes.Interface
	theirRun     *benchv1alpha1.BenchmarkRun
	ownRun       *benchv1alpha1.BenchmarkRun
	hiddenSecret string
}

func newTenant(t *testing.T) *tenant {
	t.Helper()
	n := &tenant{t: t, own: environment.Namespace(t), theirs: environment.Namespace(t), hiddenSecret: "hidden"}
	n.grant()
	as := rest.CopyConfig(environment.Config)
	as.Impersonate = rest.ImpersonationConfig{UserName: "tenant", Groups: []string{"system:authenticated"}}
	var err error
	if n.client, err = client.New(as, client.Options{Scheme: environment.Scheme}); err != nil {
		t.Fatal(err)
	}
	if n.logs, err = kubernetes.NewForConfig(as); err != nil {
		t.Fatal(err)
	}
	n.start()
	for _, name := range []string{n.hiddenSecret, "hidden2"} {
		n.make(environment.Client, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: n.own, Name: name},
			StringData: map[string]string{"uri": "mongodb://somebody:password@db.example.com"},
		})
	}
	n.theirRun = n.run(n.theirs, "theirs")
	n.make(environment.Client, n.theirRun)
	n.eventually(n.theirRun, benchv1alpha1.RunAdmitted, benchv1alpha1.ReasonAdmitted)
	n.ownRun = n.run(n.own, "own")
	n.make(n.client, n.ownRun)
	return n
}

// grant lets the tenant do everything with the operator's kinds.
func (n *tenant) grant() {
	n.t.Helper()
	meta := metav1.ObjectMeta{Namespace: n.own, Name: "tenant"}
	n.make(environment.Client, &rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{{
		APIGroups: []string{"mongobench.dev"}, Resources: []string{"benchmarkruns", "benchmarksuites", "benchmarktargets"},
		Verbs: []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"},
	}}})
	n.make(environment.Client, &rbacv1.RoleBinding{
		ObjectMeta: meta, Subjects: []rbacv1.Subject{{Kind: "User", Name: "tenant"}},
		RoleRef: rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "Role", Name: meta.Name},
	})
}

// start runs the operator for the two namespaces, as on a cluster of many tenants.
func (n *tenant) start() {
	n.t.Helper()
	manager, err := ctrl.NewManager(environment.Config, ctrl.Options{
		Scheme: environment.Scheme, Cache: controllers.CacheOptions([]string{n.own, n.theirs}),
		Metrics:    metricsserver.Options{BindAddress: "0"},
		Controller: config.Controller{SkipNameValidation: new(true), UsePriorityQueue: new(false)},
	})
	if err != nil {
		n.t.Fatal(err)
	}
	err = controllers.Setup(manager, controllers.Settings{
		LoadgenImage: "example.com/loadgen:1", Namespaces: []string{n.own, n.theirs}, RunsPerNodePool: 1,
		AllowedImages: []string{"example.com/*"},
	})
	if err != nil {
		n.t.Fatal(err)
	}
	testenv.Start(n.t, manager)
}

func (n *tenant) make(by client.Client, object client.Object) {
	n.t.Helper()
	if err := by.Create(n.t.Context(), object); err != nil {
		n.t.Fatalf("creating %T: %v", object, err)
	}
}

func (n *tenant) run(namespace, name string) *benchv1alpha1.BenchmarkRun {
	run := runtest.Run(namespace, name)
	run.Spec.Target, run.Spec.TargetRef = nil, &benchv1alpha1.NameReference{Name: "shared"}
	run.Spec.LoadGenerator = nil
	return run
}

// eventually waits for the reason of a condition, and returns its message.
func (n *tenant) eventually(object client.Object, conditionType, reason string) (message string) {
	n.t.Helper()
	gomega.NewWithT(n.t).Eventually(func() string {
		if err := environment.Client.Get(n.t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
			return err.Error()
		}
		var list []metav1.Condition
		switch object := object.(type) {
		case *benchv1alpha1.BenchmarkRun:
			list = object.Status.Conditions
		case *benchv1alpha1.BenchmarkTarget:
			list = object.Status.Conditions
		}
		if found := condition.Find(list, conditionType); found != nil {
			message = found.Message
		}
		return condition.Reason(list, conditionType)
	}, waits, "50ms").Should(gomega.Equal(reason))
	return message
}

// pointAt makes a target that names a Secret, and returns what its condition says of that.
func (n *tenant) pointAt(secret string) string {
	n.t.Helper()
	target := targettest.External(n.own, "at-"+secret)
	target.Spec.External.URISecretRef.Name = secret
	n.make(n.client, target)
	return n.eventually(target, benchv1alpha1.TargetReady, benchv1alpha1.ReasonSecretNotFound)
}

// TestATenantIsKeptToWhatIsHis goes through the rows of docs/how-to/security.md: who may make runs, targets and suites
// in a namespace reads, forges and stops nothing else by them.
func TestATenantIsKeptToWhatIsHis(t *testing.T) {
	n := newTenant(t)
	forbidden := func(err error) {
		t.Helper()
		if !apierrors.IsForbidden(err) {
			t.Errorf("got %v, want it forbidden", err)
		}
	}
	in := func(namespace, name string) client.ObjectKey {
		return client.ObjectKey{Namespace: namespace, Name: name}
	}
	meta := metav1.ObjectMeta{Namespace: n.own, Name: "mine"}
	for row, try := range map[string]func(){
		"reads a Secret": func() { forbidden(n.client.Get(t.Context(), in(n.own, n.hiddenSecret), &corev1.Secret{})) },
		"mounts a Secret in a pod of his own": func() {
			forbidden(n.client.Create(t.Context(), &corev1.Pod{ObjectMeta: meta}))
		},
		"reads the log of a load pod": func() {
			_, err := n.logs.CoreV1().Pods(n.own).GetLogs("own-load-0", &corev1.PodLogOptions{}).DoRaw(t.Context())
			forbidden(err)
		},
		"has load pods mount any Secret": func() { n.pointAt(n.hiddenSecret) },
		"learns which Secrets there are": func() {
			absent, present := n.pointAt("absent"), n.pointAt("hidden2")
			if strings.ReplaceAll(absent, "absent", "hidden2") != present {
				t.Errorf("%q tells a Secret that is there from one that is not: %q", present, absent)
			}
		},
		"runs an image of his own beside a password": func() {
			run := n.run(n.own, "image")
			run.Spec.LoadGenerator = &benchv1alpha1.LoadGenerator{Image: new("evil.example.org/loadgen:1")}
			n.make(n.client, run)
			n.eventually(run, benchv1alpha1.RunAccepted, benchv1alpha1.ReasonInvalid)
		},
		"forges the result of a run": func() {
			run := n.ownRun.DeepCopy()
			run.Status.Result = &benchv1alpha1.Result{}
			forbidden(n.client.Status().Update(t.Context(), run))
		},
		"forges the connection of a target": func() {
			target := targettest.External(n.own, "forged")
			n.make(n.client, target)
			target.Status.Connection = &benchv1alpha1.TargetConnection{
				URISecretRef: &benchv1alpha1.SecretKeyReference{Name: n.hiddenSecret, Key: "uri"},
			}
			forbidden(n.client.Status().Update(t.Context(), target))
		},
		"forges a report": func() {
			forbidden(n.client.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: meta}))
		},
		"reads the runs of another namespace": func() {
			forbidden(n.client.List(t.Context(), &benchv1alpha1.BenchmarkRunList{}, client.InNamespace(n.theirs)))
		},
		"stops the run of another namespace": func() {
			cancel := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"cancel":true}}`))
			forbidden(n.client.Patch(t.Context(), n.theirRun.DeepCopy(), cancel))
		},
		"measures beside the run of another namespace, or learns its name": func() {
			run := n.run(n.own, "beside")
			run.Spec.Concurrency = &benchv1alpha1.Concurrency{Group: new("mine"), Max: new(int32(1000))}
			n.make(n.client, run)
			said := n.eventually(run, benchv1alpha1.RunAdmitted, benchv1alpha1.ReasonQueued)
			said += n.eventually(n.ownRun, benchv1alpha1.RunAdmitted, benchv1alpha1.ReasonQueued)
			if strings.Contains(said, n.theirs) || strings.Contains(said, "theirs") {
				t.Errorf("a waiting run is told %q", said)
			}
		},
	} {
		t.Run(row, func(t *testing.T) { n.t = t; try() })
	}
}
