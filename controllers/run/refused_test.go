package run_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// TestAnObjectThatIsInvalidEndsTheRunInAMinute: waiting for a deadline would hold the place of all others.
func TestAnObjectThatIsInvalidEndsTheRunInAMinute(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.settle()
	p.targetReady()
	p.writes.Refuse = func(write string) error {
		if write != "create *v1.Job r-load" {
			return nil
		}
		return apierrors.NewInvalid(schema.GroupKind{Group: "batch", Kind: "Job"}, "r-load", nil)
	}
	if _, err := p.reconcile(); err == nil {
		t.Error("the refusal was not returned")
	}
	p.want(benchv1alpha1.RunSucceeded, "Unknown NotEnded")
	p.pass(time.Minute)
	p.settle()
	p.want(benchv1alpha1.RunSucceeded, "False Forbidden")
	p.collectAll()
	if got := p.names(); len(got) > 0 {
		t.Errorf("left are %v", got)
	}
}

var queueKind = schema.GroupVersionKind{Group: "kueue.x-k8s.io", Version: "v1beta2", Kind: "LocalQueue"}

// installKueue has the API server know the kind of Kueue's queues, once for all tests.
var installKueue = sync.OnceValue(func() error {
	keep := new(true)
	_, err := envtest.InstallCRDs(environment.Config, envtest.CRDInstallOptions{
		CRDs: []*apiextensionsv1.CustomResourceDefinition{{
			ObjectMeta: metav1.ObjectMeta{
				Name: "localqueues.kueue.x-k8s.io",
				// The API server asks that definitions in the group of a project of Kubernetes say who looked at them.
				Annotations: map[string]string{"api-approved.kubernetes.io": "unapproved, for a test"},
			},
			Spec: apiextensionsv1.CustomResourceDefinitionSpec{
				Group: queueKind.Group, Scope: apiextensionsv1.NamespaceScoped,
				Names: apiextensionsv1.CustomResourceDefinitionNames{
					Plural: "localqueues", Singular: "localqueue", Kind: queueKind.Kind, ListKind: "LocalQueueList",
				},
				Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
					Name: queueKind.Version, Served: true, Storage: true,
					Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
						Type: "object", XPreserveUnknownFields: keep,
					}},
				}},
			},
		}},
	})
	return err
})

// makeQueue plays an administrator of Kueue.
func (p *play) makeQueue(name string) {
	p.t.Helper()
	p.must(installKueue())
	queue := &unstructured.Unstructured{}
	queue.SetGroupVersionKind(queueKind)
	queue.SetNamespace(p.namespace)
	queue.SetName(name)
	gomega.NewWithT(p.t).Eventually(func() error {
		return client.IgnoreAlreadyExists(environment.Client.Create(p.t.Context(), queue))
	}, "1m").Should(gomega.Succeed())
}

// TestAQueueThatDoesNotExistEndsTheRunInAMinute, with the place of the label, and nothing is made until then.
func TestAQueueThatDoesNotExistEndsTheRunInAMinute(t *testing.T) {
	t.Parallel()
	p := newPlay(t, func(run *benchv1alpha1.BenchmarkRun) {
		run.Labels = map[string]string{"kueue.x-k8s.io/queue-name": "taem"}
	})
	p.makeQueue("team")
	p.settle()
	p.want(benchv1alpha1.RunProgressing, "True Provisioning")
	if got := p.names(); len(got) > 0 {
		t.Errorf("made for a queue that is not there: %v", got)
	}
	p.pass(time.Minute)
	p.collectAll()
	p.want(benchv1alpha1.RunSucceeded, "False ConfigError")
	const want = `metadata.labels[kueue.x-k8s.io/queue-name]: no LocalQueue "taem" exists in this namespace`
	if said := p.message(benchv1alpha1.RunSucceeded); !strings.HasPrefix(said, want) {
		t.Errorf("Succeeded says %q", said)
	}
}
