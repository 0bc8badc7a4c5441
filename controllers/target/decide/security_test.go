package decide

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/controllers/internal/settings"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

// secured is a target with security settings.
func secured(t *benchv1alpha1.BenchmarkTarget, security benchv1alpha1.SecuritySpec) *benchv1alpha1.BenchmarkTarget {
	t.Spec.MongoDB.Security = &security
	return t
}

func withTLS(mode benchv1alpha1.TLSMode, from *benchv1alpha1.IssuerReference) benchv1alpha1.SecuritySpec {
	return benchv1alpha1.SecuritySpec{TLS: &benchv1alpha1.TLSSpec{Mode: &mode, IssuerRef: from}}
}

// open is a target that anybody may do everything to.
func open() benchv1alpha1.SecuritySpec {
	return benchv1alpha1.SecuritySpec{
		Authentication: new(benchv1alpha1.Disabled), NetworkPolicy: new(benchv1alpha1.Disabled),
	}
}

// issued is a target with an issuer whose certificate is there.
func issued() Observation {
	o := observe(secured(targettest.ReplicaSet("bench", "set", 3),
		withTLS(benchv1alpha1.TLSRequired, &benchv1alpha1.IssuerReference{Name: "ours"})))
	o.Certificate = Provided{
		Object: certificateWith(`[{"type": "Ready", "status": "True"}]`, ""), Secret: SecretFound,
	}
	return o
}

// certificateWith is a Certificate with conditions in JSON.
func certificateWith(conditions, failed string) *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	content := `{"apiVersion": "cert-manager.io/v1", "kind": "Certificate", "metadata": {"name": "set-tls"}, ` +
		`"status": {"conditions": ` + conditions + `, "lastFailureTime": "` + failed + `"}}`
	if err := json.Unmarshal([]byte(content), &object.Object); err != nil {
		panic(err)
	}
	return object
}

func TestDesiredSecurity(t *testing.T) {
	for golden, o := range map[string]Observation{
		"tls-required.yaml": observe(secured(targettest.ReplicaSet("bench", "set", 3),
			withTLS(benchv1alpha1.TLSRequired, nil))),
		"tls-without-users.yaml": observe(secured(targettest.Standalone("bench", "alone", "6.0.5"),
			benchv1alpha1.SecuritySpec{
				Authentication: new(benchv1alpha1.Disabled), TLS: withTLS(benchv1alpha1.TLSPreferred, nil).TLS,
			})),
		"open.yaml":   observe(secured(targettest.Standalone("bench", "alone", "6.0.5"), open())),
		"issuer.yaml": issued(),
	} {
		t.Run(golden, func(t *testing.T) {
			decision := decided(o)
			compareGolden(t, golden, decision.Desired)
		})
	}
}

// TestGeneratedValuesAreInSecretsOnly: nothing else that the controller desires or says holds one of them, in any form.
func TestGeneratedValuesAreInSecretsOnly(t *testing.T) {
	for name, tc := range map[string]struct {
		o    Observation
		want int
	}{
		"a replica set": {observe(targettest.ReplicaSet("bench", "set", 3)), 9},
		"a standalone with TLS": {observe(secured(targettest.Standalone("bench", "alone", "6.0.5"),
			withTLS(benchv1alpha1.TLSPreferred, nil))), 9},
		"a set that is ready": {ready(0), 0},
	} {
		t.Run(name, func(t *testing.T) {
			decision := decided(tc.o)
			if found := inSecretsOnly(t, decision); found < tc.want {
				t.Errorf("the Secrets hold %d values, want the keyfile and the credentials of four users", found)
			}
		})
	}
}

// inSecretsOnly looks through everything but the data of Secrets, and counts what is in that.
func inSecretsOnly(t *testing.T, decision Decision) (found int) {
	t.Helper()
	for _, object := range decision.Desired {
		if secret, ok := object.(*corev1.Secret); ok {
			found += len(secret.Data)
			secret.Data = nil
		}
		content, err := desired.Content(object)
		if err != nil {
			t.Fatal(err)
		}
		refuseSecrets(t, object.GetName(), content)
	}
	refuseSecrets(t, "status", decision.Status)
	return found
}

func refuseSecrets(t *testing.T, where string, content any) {
	t.Helper()
	encoded, err := json.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range generated() {
		if bytes.Contains(encoded, value) || bytes.Contains(encoded, []byte(base64.StdEncoding.EncodeToString(value))) {
			t.Errorf("%s holds %s", where, value)
		}
	}
}

// generated are the values of observe's Candidate.
func generated() [][]byte {
	c := observe(targettest.Standalone("bench", "alone", "6.0.5")).Candidate
	return [][]byte{
		c.Keyfile, c.AdminPassword, c.LoadPassword, c.ObserverPassword, c.ActionPassword, c.TLS.Key, c.TLS.Certificate,
	}
}

func TestSecretsAreMadeOnce(t *testing.T) {
	for name, there := range map[string]func(*Observation){
		"a set": func(o *Observation) { o.StatefulSets = []*appsv1.StatefulSet{{}} },
		"a Job": func(o *Observation) { o.TopologyJob = &batchv1.Job{} },
		"a replica set of another operator": func(o *Observation) {
			o.Community = communityIn("", "", SecretFound).Community
		},
		"a connection": func(o *Observation) { o.Target.Status.Connection = &benchv1alpha1.TargetConnection{} },
	} {
		t.Run(name, func(t *testing.T) {
			target := secured(targettest.ReplicaSet("bench", "set", 3), withTLS(benchv1alpha1.TLSRequired, nil))
			if name == "a replica set of another operator" {
				target = byCommunity()
			}
			o := observe(target)
			if made := of[*corev1.Secret](decided(o).Desired); len(made) == 0 {
				t.Fatal("no Secret is made")
			}
			there(&o)
			if made := of[*corev1.Secret](decided(o).Desired); len(made) > 0 {
				t.Errorf("where there is %s, Secret %s is made again", name, made[0].Name)
			}
		})
	}
}

func TestConnectionNamesTheSecretsThatItNeeds(t *testing.T) {
	for name, tc := range map[string]struct {
		security benchv1alpha1.SecuritySpec
		want     benchv1alpha1.TargetConnection
	}{
		"a password and TLS": {
			withTLS(benchv1alpha1.TLSPreferred, nil),
			benchv1alpha1.TargetConnection{
				URI: new("mongodb://one-mongod-0.one-members.bench.svc:27017/" +
					"?directConnection=true&tls=true"),
				CredentialsSecretName:         new("one-load"),
				ObserverCredentialsSecretName: new("one-observer"),
				ActionCredentialsSecretName:   new("one-action"),
				CASecretName:                  new("one-tls"),
			},
		},
		"nothing": {
			open(),
			benchv1alpha1.TargetConnection{
				URI: new("mongodb://one-mongod-0.one-members.bench.svc:27017/?directConnection=true"),
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := connection(normalised(secured(targettest.Standalone("bench", "one", "6.0.5"), tc.security)))
			if diff := cmp.Diff(&tc.want, got); diff != "" {
				t.Errorf("connection (-want +got):\n%s", diff)
			}
		})
	}
}

// awaiting is the set of issued while its certificate is not there yet.
func awaiting(change func(*Provided)) Observation {
	o := issued()
	decision := decided(o)
	o.Target.Status = decision.Status
	o.Certificate = Provided{Secret: SecretMissing}
	change(&o.Certificate)
	return o
}

// certificateCases are all that a certificate is waited for by.
func certificateCases() map[string]readinessCase {
	pending := func(conditions, failed string) Observation {
		return awaiting(func(c *Provided) { c.Object = certificateWith(conditions, failed) })
	}
	return map[string]readinessCase{
		"cert-manager is not installed": {
			o:    awaiting(func(c *Provided) { c.KindMissing = true }),
			want: want{reason: benchv1alpha1.ReasonProviderMissing, message: "install cert-manager"},
		},
		"cert-manager is not installed by the deadline": {
			o: with(awaiting(func(c *Provided) { c.KindMissing = true }), func(o *Observation) {
				o.Now = start.Add(tooLate)
			}),
			want: want{benchv1alpha1.ReasonProviderMissing, true, "not ready within 60 s"},
		},
		"a certificate was just asked for": {
			o:    awaiting(func(*Provided) {}),
			want: want{reason: benchv1alpha1.ReasonProviderPending, message: "set-tls: cert-manager has not said anything"},
		},
		"an issuer takes its time": {
			o:    pending(`[{"type": "Ready", "status": "False", "message": "Issuing certificate"}]`, ""),
			want: want{reason: benchv1alpha1.ReasonProviderPending, message: "Certificate set-tls: Issuing certificate"},
		},
		"a certificate is ready and its Secret is not seen yet": {
			o:    pending(`[{"type": "Ready", "status": "True", "message": "up to date"}]`, ""),
			want: want{reason: benchv1alpha1.ReasonProviderPending, message: "up to date"},
		},
		"an issuer is not there": {
			o: awaiting(func(c *Provided) {
				c.Object = certificateWith(`[{"type": "Ready", "status": "False", "message": "Issuing certificate"}]`, "")
				c.Request = certificateWith(`[{"type": "Ready", "status": "False", "message": "issuer not found"}]`, "")
			}),
			want: want{reason: benchv1alpha1.ReasonProviderPending, message: "Certificate set-tls: issuer not found"},
		},
		"an issuer refuses": {
			o: pending(`[{"type": "Issuing", "status": "False", "message": "the CA said no"}]`,
				"2026-11-21T10:00:00Z"),
			want: want{benchv1alpha1.ReasonProviderFailed, true, "Certificate set-tls: the CA said no"},
		},
		"an issuer does not tell its authority": {
			o: awaiting(func(c *Provided) {
				c.Object, c.Secret = certificateWith(`[{"type": "Ready", "status": "True"}]`, ""), SecretKeyMissing
			}),
			want: want{benchv1alpha1.ReasonProviderFailed, true, "Secret set-tls, which cert-manager made, has no key ca.crt"},
		},
	}
}

func TestNothingElseIsMadeBeforeTheCertificate(t *testing.T) {
	for name, tc := range certificateCases() {
		t.Run(name, func(t *testing.T) {
			decision := decided(tc.o)
			expected := 1
			if tc.o.Certificate.KindMissing {
				expected = 0
			}
			if len(decision.Desired) != expected {
				t.Errorf("%d objects are desired, want %d", len(decision.Desired), expected)
			}
		})
	}
}

func TestATargetThatRunsDoesNotWaitForItsCertificateAgain(t *testing.T) {
	o := issued()
	all := decided(o)
	o.TopologyJob = ready(0).TopologyJob
	o.Certificate.Object = certificateWith(`[{"type": "Ready", "status": "False", "message": "renewing"}]`, "")
	again := decided(o)
	if want := len(all.Desired) - len(of[*corev1.Secret](all.Desired)); len(again.Desired) != want {
		t.Errorf("%d objects are desired while the certificate is renewed, want %d", len(again.Desired), want)
	}
}

func TestTheCertificatesKeyIsOnlyWhereTheMembersFilesAreMade(t *testing.T) {
	target := normalised(secured(targettest.ReplicaSet("bench", "set", 3), withTLS(benchv1alpha1.TLSRequired, nil)))
	member := memberPod(target, sets(target.Spec)[0], settings.Settings{}).Containers[0]
	mounts := member.VolumeMounts
	whole := []string{"certificate", "keyfile-secret"}
	if slices.ContainsFunc(mounts, func(m corev1.VolumeMount) bool { return slices.Contains(whole, m.Name) }) {
		t.Errorf("mongod mounts a Secret whole: %+v", mounts)
	}
	for _, volume := range topologyJob(target, observe(target).Settings, "plan").Spec.Template.Spec.Volumes {
		if volume.Secret != nil && volume.Secret.SecretName == naming.TLSSecret("set") && len(volume.Secret.Items) != 1 {
			t.Error("the topology Job mounts the certificate's key")
		}
	}
	flags := strings.Join(member.Args, " ")
	if !strings.Contains(flags, "--tlsMode requireTLS") {
		t.Errorf("flags %s", flags)
	}
}
