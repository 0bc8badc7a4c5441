package target_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/target/decide"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

// certManager is the version whose own definition of a Certificate the API server checks ours by.
const certManager = "github.com/cert-manager/cert-manager@v1.21.2"

// TestCertificateOfAnIssuer plays cert-manager: at first it is not installed.
func TestCertificateOfAnIssuer(t *testing.T) {
	required := benchv1alpha1.TLSRequired
	w := newWorld(t, func(namespace string) *benchv1alpha1.BenchmarkTarget {
		target := targettest.Standalone(namespace, "alone", "6.0.5")
		target.Spec.MongoDB.Security = &benchv1alpha1.SecuritySpec{TLS: &benchv1alpha1.TLSSpec{
			Mode: &required, IssuerRef: &benchv1alpha1.IssuerReference{Name: "ours"},
		}}
		return target
	})
	w.expect(benchv1alpha1.TargetReady, metav1.ConditionFalse, benchv1alpha1.ReasonProviderMissing)

	install(t, certManager, "deploy", "crds", "cert-manager.io_certificaterequests.yaml")
	install(t, certManager, "deploy", "crds", "cert-manager.io_certificates.yaml")
	pending := w.expect(benchv1alpha1.TargetReady, metav1.ConditionFalse, benchv1alpha1.ReasonProviderPending)
	if !strings.Contains(pending.Message, "Certificate alone-tls") {
		t.Errorf("message %q, want the Certificate's name", pending.Message)
	}
	w.expectNoStatefulSet()
	w.setCertificate(map[string]any{"type": "Ready", "status": "False", "reason": "DoesNotExist", "message": "Issuing"})
	w.g.Eventually(func() string {
		return w.expect(benchv1alpha1.TargetReady, metav1.ConditionFalse, benchv1alpha1.ReasonProviderPending).Message
	}, patience).Should(gomega.Equal("Certificate alone-tls: Issuing"))
	w.request(map[string]any{"type": "Ready", "status": "False", "reason": "Pending", "message": "issuer not found"})
	w.g.Eventually(func() string {
		return w.expect(benchv1alpha1.TargetReady, metav1.ConditionFalse, benchv1alpha1.ReasonProviderPending).Message
	}, patience).Should(gomega.Equal("Certificate alone-tls: issuer not found"))

	w.create(&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: w.namespace, Name: "alone-tls", Labels: naming.ForTarget("alone", naming.ComponentMongod),
			Annotations: map[string]string{"cert-manager.io/certificate-name": "alone-tls"},
		},
		Type: corev1.SecretTypeTLS,
		Data: map[string][]byte{"tls.crt": []byte("certificate"), "tls.key": []byte("key"), "ca.crt": []byte("authority")},
	})
	w.setCertificate(map[string]any{"type": "Ready", "status": "True", "reason": "Ready", "message": "up to date"})
	w.expect(benchv1alpha1.TargetReady, metav1.ConditionFalse, benchv1alpha1.ReasonPodsStarting)
	w.runMembers()
	w.answer()
	w.expect(benchv1alpha1.TargetReady, metav1.ConditionTrue, benchv1alpha1.ReasonReady)
	if ca := w.target.Status.Connection.CASecretName; ca == nil || *ca != "alone-tls" {
		t.Errorf("the authority is in Secret %v", ca)
	}
	var secret corev1.Secret
	w.get("alone-tls", &secret)
	if len(secret.OwnerReferences) != 1 || secret.OwnerReferences[0].UID != w.target.UID {
		t.Errorf("the Secret does not go with the target: %+v", secret.OwnerReferences)
	}
	if string(secret.Data["tls.key"]) != "key" {
		t.Error("the Secret's content was changed")
	}
}

func (w *world) expectNoStatefulSet() {
	w.Helper()
	set := &unstructured.Unstructured{}
	set.SetAPIVersion("apps/v1")
	set.SetKind("StatefulSet")
	key := client.ObjectKey{Namespace: w.namespace, Name: "alone-mongod"}
	if err := environment.Client.Get(w.Context(), key, set); !apierrors.IsNotFound(err) {
		w.Errorf("the members are made before their certificate: %v", err)
	}
}

// setCertificate writes a condition as cert-manager does.
func (w *world) setCertificate(condition map[string]any) {
	w.Helper()
	made := &unstructured.Unstructured{}
	made.SetGroupVersionKind(decide.CertificateKind)
	w.get("alone-tls", made)
	made.Object["status"] = map[string]any{"conditions": []any{condition}}
	if err := environment.Client.Status().Update(w.Context(), made); err != nil {
		w.Fatalf("writing the status of the Certificate: %v", err)
	}
}

// request asks an issuer as cert-manager does, and writes the answer.
func (w *world) request(condition map[string]any) {
	w.Helper()
	certificate := &unstructured.Unstructured{}
	certificate.SetGroupVersionKind(decide.CertificateKind)
	w.get("alone-tls", certificate)
	made := &unstructured.Unstructured{Object: map[string]any{
		"spec": map[string]any{"request": "eA==", "issuerRef": map[string]any{"name": "ours"}},
	}}
	made.SetGroupVersionKind(decide.CertificateRequestKind)
	made.SetNamespace(w.namespace)
	made.SetName("alone-tls-1")
	made.SetLabels(certificate.GetLabels())
	made.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(certificate, decide.CertificateKind)})
	w.create(made)
	made.Object["status"] = map[string]any{"conditions": []any{condition}}
	if err := environment.Client.Status().Update(w.Context(), made); err != nil {
		w.Fatalf("writing the status of the request: %v", err)
	}
}

// install creates the definition of a kind from the module of those who made it.
func install(t *testing.T, version string, path ...string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", version)
	command.Dir = t.TempDir()
	output, err := command.Output()
	if err != nil {
		t.Fatalf("fetching %s: %v", version, err)
	}
	var module struct {
		Dir string `json:"Dir"`
	}
	if err := json.Unmarshal(output, &module); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(append([]string{module.Dir}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	definition := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(content, &definition.Object); err != nil {
		t.Fatal(err)
	}
	if err := environment.Client.Create(t.Context(), definition); err != nil {
		t.Fatalf("creating the definition of %s: %v", path[len(path)-1], err)
	}
}
