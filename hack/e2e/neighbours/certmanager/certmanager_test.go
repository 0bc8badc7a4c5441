//go:build e2e

package certmanager

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
	"github.com/mongobench/mongobench-operator/hack/e2e/neighbours/part"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

const (
	page = "certmanager"
	// patience is for what cert-manager does within a second or two.
	patience = 3 * time.Minute
)

// TestCertManager runs what its page says, and what happens where an issuer does not issue.
func TestCertManager(t *testing.T) {
	install(t)
	t.Run("issues and renews", func(t *testing.T) {
		t.Parallel()
		issuesAndRenews(t, cluster.Namespace(t))
	})
	t.Run("is asked for an issuer that is not there", func(t *testing.T) {
		t.Parallel()
		n := cluster.Namespace(t)
		stalls(t, n, "nobody", benchv1alpha1.ReasonProviderPending, "not ready within 30 s", `"nobody" not found`)
	})
	t.Run("has an issuer that is not ready", func(t *testing.T) {
		t.Parallel()
		n := cluster.Namespace(t)
		part.User(t, cluster, n.Name).Apply(t, issuerOf("no-such-secret"))
		stalls(t, n, "ours", benchv1alpha1.ReasonProviderPending, "not ready within 30 s", "issuer does not have a Ready")
	})
	t.Run("has an issuer that refuses", func(t *testing.T) {
		t.Parallel()
		n := cluster.Namespace(t)
		breakAuthority(t, n)
		stalls(t, n, "ours", benchv1alpha1.ReasonProviderFailed, "The certificate request has failed", "doesn't match")
	})
}

func issuesAndRenews(t *testing.T, n *harness.Namespace) {
	t.Helper()
	reader := part.User(t, cluster, n.Name)
	reader.Apply(t, part.Block(t, page, "yaml", "selfSigned"))
	reader.Apply(t, part.Block(t, page, "yaml", "BenchmarkTarget"))
	reader.Run(t, part.Block(t, page, "sh", "benchmarkrun/first"))
	first := &benchv1alpha1.BenchmarkRun{}
	n.Fetch(t, "first", first)
	n.WaitSuccess(t, first)
	if got := first.Status.Server.TLS; got != "Enabled" {
		t.Errorf("the load's connections had TLS %q, want Enabled", got)
	}
	issued, served := inSecret(t, n), servedBy(t, n)
	if issued != served {
		t.Errorf("the member serves certificate %s, and the Secret holds %s", served, issued)
	}

	before := n.UIDs(t, "Pod", "StatefulSet")
	reader.Run(t, part.Block(t, page, "sh", "ManuallyTriggered"))
	renewed := awaitRenewal(t, n, issued)
	if got := n.UIDs(t, "Pod", "StatefulSet")["Pod secure-mongod-0"]; got != before["Pod secure-mongod-0"] {
		t.Error("the member's pod was made again by a renewal")
	}
	again := harness.RunOn("renewed", "secure")
	n.Apply(t, again)
	n.WaitSuccess(t, again)
	if got := servedBy(t, n); got != served {
		t.Errorf("the member serves %s, and had %s at its start", got, served)
	}

	reader.Run(t, part.Block(t, page, "sh", "delete benchmarktarget"))
	leavesNothing(t, n)
	reader.Apply(t, part.Block(t, page, "yaml", "BenchmarkTarget"))
	reader.Run(t, part.Block(t, page, "sh", "benchmarkrun/first"))
	if got := servedBy(t, n); got != inSecret(t, n) || got == renewed {
		t.Errorf("the target that was made again serves %s, and the one before had %s", got, renewed)
	}
}

// leavesNothing looks for what was made for a target that was deleted.
func leavesNothing(t *testing.T, n *harness.Namespace) {
	t.Helper()
	n.WaitLeft(t, patience, "Secret our-ca")
	for _, kind := range []string{"Certificate", "CertificateRequest"} {
		err := harness.Poll(t.Context(), patience, func(ctx context.Context) (bool, string, error) {
			list := &unstructured.UnstructuredList{}
			list.SetGroupVersionKind(kindOf(kind + "List"))
			err := n.List(ctx, list, client.InNamespace(n.Name), client.MatchingLabels(naming.SelectTarget("secure")))
			return len(list.Items) == 0, fmt.Sprintf("%d of kind %s", len(list.Items), kind), err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func kindOf(kind string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "cert-manager.io", Version: "v1", Kind: kind}
}

// stalls has a target whose issuer does not issue, and a run on it: both end, and say why.
func stalls(t *testing.T, n *harness.Namespace, issuer, reason string, causes ...string) {
	t.Helper()
	spec := harness.Standalone("6.0.5")
	spec.MongoDB.ProvisioningSeconds = new(int32(30))
	spec.MongoDB.Security = &benchv1alpha1.SecuritySpec{TLS: &benchv1alpha1.TLSSpec{
		Mode: new(benchv1alpha1.TLSRequired), IssuerRef: &benchv1alpha1.IssuerReference{Name: issuer},
	}}
	run := harness.RunOn("bench", "secure")
	n.Apply(t, harness.Target("secure", spec), run)
	ended := n.WaitRun(t, run, "ended", harness.HasVerdict)
	target := &benchv1alpha1.BenchmarkTarget{}
	n.Fetch(t, "secure", target)
	stalled := apimeta.FindStatusCondition(target.Status.Conditions, benchv1alpha1.TargetStalled)
	if stalled == nil || stalled.Status != metav1.ConditionTrue || stalled.Reason != reason {
		t.Fatalf("want a target that is given up for %s: %s", reason, harness.Describe(target.Status.Conditions))
	}
	verdict := apimeta.FindStatusCondition(ended.Status.Conditions, benchv1alpha1.RunSucceeded)
	for _, cause := range causes {
		if !strings.Contains(stalled.Message, cause) || !strings.Contains(verdict.Message, cause) {
			t.Errorf("want both to say %q: the target says %q, the run %q", cause, stalled.Message, verdict.Message)
		}
	}
	cluster.Summary.Figure("cert-manager, issuer %q: %s: %s", issuer, stalled.Reason, stalled.Message)
}

// issuerOf is an issuer whose authority is in a Secret.
func issuerOf(secret string) string {
	const issuer = "apiVersion: cert-manager.io/v1\nkind: Issuer\nmetadata: {name: ours}\nspec: {ca: {secretName: %s}}\n"
	return fmt.Sprintf(issuer, secret)
}

// breakAuthority makes an issuer that can sign nothing: its certificate and its key do not belong together, which
// cert-manager does not look at before it signs.
func breakAuthority(t *testing.T, n *harness.Namespace) {
	t.Helper()
	reader := part.User(t, cluster, n.Name)
	reader.Apply(t, part.Block(t, page, "yaml", "selfSigned"))
	other := strings.ReplaceAll(part.Block(t, page, "yaml", "selfSigned"), "our-ca", "other-ca")
	reader.Apply(t, other)
	reader.Run(t, "kubectl wait --for=condition=Ready certificate/our-ca certificate/other-ca --timeout=3m")
	ours, others := &corev1.Secret{}, &corev1.Secret{}
	n.Fetch(t, "our-ca", ours)
	n.Fetch(t, "other-ca", others)
	n.Apply(t, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "broken"}, Type: corev1.SecretTypeTLS,
		Data: map[string][]byte{"tls.crt": ours.Data["tls.crt"], "tls.key": others.Data["tls.key"]},
	})
	reader.Apply(t, issuerOf("broken"))
	reader.Run(t, "kubectl wait --for=condition=Ready issuer/ours --timeout=3m")
}

// inSecret is the serial number of the certificate that cert-manager has issued.
func inSecret(t *testing.T, n *harness.Namespace) string {
	t.Helper()
	secret := &corev1.Secret{}
	n.Fetch(t, "secure-tls", secret)
	block, _ := pem.Decode(secret.Data["tls.crt"])
	if block == nil {
		t.Fatal("Secret secure-tls holds no certificate")
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return certificate.SerialNumber.String()
}

// awaitRenewal waits until the Secret holds another certificate.
func awaitRenewal(t *testing.T, n *harness.Namespace, before string) string {
	t.Helper()
	var now string
	err := harness.Poll(t.Context(), patience, func(context.Context) (bool, string, error) {
		now = inSecret(t, n) //nolint:contextcheck // It has the test's own.
		return now != before, "certificate " + now, nil
	})
	if err != nil {
		t.Fatalf("waiting for the renewal: %v", err)
	}
	return now
}

// servedBy is the serial number of the certificate that the member shows to who connects.
func servedBy(t *testing.T, n *harness.Namespace) string {
	t.Helper()
	address := n.Forward(t, "secure-mongod-0", naming.MongodPort)
	// Who signed it is what a run checks; here only its number is looked at.
	dialer := tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}} //nolint:gosec // The number alone is looked at.
	var serial string
	err := harness.Poll(t.Context(), patience, func(ctx context.Context) (bool, string, error) {
		connection, err := dialer.DialContext(ctx, "tcp", address)
		if err != nil {
			return false, "", err
		}
		defer func() { _ = connection.Close() }()
		encrypted, _ := connection.(*tls.Conn)
		serial = encrypted.ConnectionState().PeerCertificates[0].SerialNumber.String()
		return true, "", nil
	})
	if err != nil {
		t.Fatalf("asking the member for its certificate: %v", err)
	}
	return serial
}
