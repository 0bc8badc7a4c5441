//go:build e2e

package e2e

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

const (
	// x509Service is a service that DNS has SRV records of, as of each that names a port, and a TXT record too: see the
	// Corefile of hack/cluster.
	x509Service = "x509"
	// x509Image is a mongod as a local cluster has it.
	x509Image = "mongobench.local/mongod:6.0.5"
	// x509Volume is where that mongod finds its files.
	x509Volume = "/etc/mongod"
)

// x509User is whom the load's certificate names, and x509UserName is the same as MongoDB writes it.
var x509User = pkix.Name{
	CommonName: "load", OrganizationalUnit: []string{"clients"}, Organization: []string{"mongobench"},
}

const x509UserName = "CN=load,OU=clients,O=mongobench"

// TestExternalByCertificate measures a database that is found by the names of mongodb+srv://, takes no unencrypted
// connection, and knows the load by its certificate alone. What the Secrets hold stands nowhere else. With another's
// authority the run ends with a verdict that says so.
func TestExternalByCertificate(t *testing.T) {
	t.Parallel()
	n := cluster.Namespace(t)
	trusted := newAuthority(t, "trusted")
	serveX509(t, n, trusted)
	n.Apply(t,
		connectionSecret(fmt.Sprintf("mongodb+srv://%s/?authMechanism=MONGODB-X509", x509Host(n))),
		secretOf("authority", map[string][]byte{"ca.crt": trusted.pem}),
		secretOf("another", map[string][]byte{"ca.crt": newAuthority(t, "another").pem}),
		secretOf("me", keyPair(trusted.issue(t, x509User))),
	)

	run := harness.Run("bench", byCertificate("authority"))
	run.Spec.CleanupPolicy = new(benchv1alpha1.CleanupKeep)
	n.Apply(t, run)
	ended := n.WaitSuccess(t, run)
	checkMeasured(t, ended, n.Report(t, ended))
	if got := ended.Status.Server.TLS; got != "Enabled" {
		t.Errorf("the load's connections had TLS %q, want Enabled", got)
	}

	deceived := harness.Run("deceived", byCertificate("another"))
	deceived.Spec.Target.External.ProvisioningSeconds = new(int32(60))
	deceived.Spec.CleanupPolicy = new(benchv1alpha1.CleanupKeep)
	n.Apply(t, deceived)
	ended = n.WaitRun(t, deceived, "ended", harness.HasVerdict)
	verdict := apimeta.FindStatusCondition(ended.Status.Conditions, benchv1alpha1.RunSucceeded)
	if verdict.Status != metav1.ConditionFalse || !strings.Contains(verdict.Message, "certificate") {
		t.Errorf("want a verdict about a certificate: %s", harness.Describe(ended.Status.Conditions))
	}
	cluster.Summary.Figure("an external database with another's authority: %s: %s", verdict.Reason, verdict.Message)

	secrets := n.Secrets(t)
	delete(secrets, "server/server.pem") // The database's own, half of which is a certificate that anybody may read.
	for _, want := range []string{"where/uri", "me/tls.key"} {
		if secrets[want] == "" {
			t.Errorf("there is no secret %s to look for", want)
		}
	}
	texts, err := n.Texts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, leak := range harness.Leaks(texts, secrets) {
		t.Error(leak)
	}
}

func byCertificate(authority string) *benchv1alpha1.BenchmarkTargetSpec {
	target := harness.External("where", "uri")
	target.External.TLS = &benchv1alpha1.ExternalTLS{
		CASecretRef:                &benchv1alpha1.NameReference{Name: authority},
		ClientCertificateSecretRef: &benchv1alpha1.NameReference{Name: "me"},
	}
	return target
}

// secretOf is a Secret that targets may name.
func secretOf(name string, data map[string][]byte) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Labels: map[string]string{naming.ConnectionLabel: naming.ConnectionAllowed},
		},
		Data: data,
	}
}

func keyPair(of pair) map[string][]byte {
	return map[string][]byte{corev1.TLSCertKey: of.certificate, corev1.TLSPrivateKeyKey: of.key}
}

// x509Host is the name that mongodb+srv:// is asked for.
func x509Host(n *harness.Namespace) string {
	return x509Service + "." + n.Name + ".svc.cluster.local"
}

// serveX509 starts a mongod that knows a user by his certificate, and waits until it does.
func serveX509(t *testing.T, n *harness.Namespace, trusted *authority) {
	t.Helper()
	pod := harness.Pod("db", x509Image, "mongod", "--bind_ip_all", "--auth", "--nounixsocket", "--dbpath", "/data/db",
		"--tlsMode", "requireTLS", "--tlsCertificateKeyFile", x509Volume+"/server.pem", "--tlsCAFile", x509Volume+"/ca.crt",
		"--wiredTigerCacheSizeGB", "0.25")
	pod.Labels = map[string]string{"database": x509Service}
	pod.Spec.Hostname, pod.Spec.Subdomain = pod.Name, x509Service
	pod.Spec.SecurityContext.FSGroup = pod.Spec.SecurityContext.RunAsUser
	pod.Spec.Volumes = []corev1.Volume{
		{Name: "data", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
		{Name: "files", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{
			SecretName: "server", DefaultMode: new(int32(0o440)),
		}}},
	}
	pod.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{
		{Name: "data", MountPath: "/data/db"}, {Name: "files", MountPath: x509Volume},
	}
	// A forwarded port that nobody listens on yet would not be forwarded again.
	pod.Spec.Containers[0].ReadinessProbe = &corev1.Probe{
		ProbeHandler:  corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(mongoPort)}},
		PeriodSeconds: 1,
	}
	server := trusted.issue(t, pkix.Name{CommonName: "server", Organization: []string{"servers"}},
		pod.Name+"."+x509Host(n), "localhost")
	n.Apply(t,
		secretOf("server", map[string][]byte{"server.pem": append(server.key, server.certificate...), "ca.crt": trusted.pem}),
		&corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Name: x509Service},
			Spec: corev1.ServiceSpec{
				ClusterIP: corev1.ClusterIPNone, Selector: pod.Labels,
				Ports: []corev1.ServicePort{{Name: "mongodb", Port: mongoPort}},
			},
		}, pod)
	waitPodReady(t, n, pod.Name)
	makeX509User(t, n, trusted)
}

func waitPodReady(t *testing.T, n *harness.Namespace, name string) {
	t.Helper()
	err := harness.Poll(t.Context(), harness.RunTime, func(ctx context.Context) (bool, string, error) {
		pod := &corev1.Pod{}
		err := n.Get(ctx, client.ObjectKey{Namespace: n.Name, Name: name}, pod)
		return harness.PodIsReady(pod), string(pod.Status.Phase), err
	})
	if err != nil {
		t.Fatalf("waiting for pod %s: %v", name, err)
	}
}

// makeX509User makes, as the first user, one who may do everything, as which it makes the one of the load.
func makeX509User(t *testing.T, n *harness.Namespace, trusted *authority) {
	t.Helper()
	roots := x509.NewCertPool()
	roots.AddCert(parse(t, trusted.pem))
	mine := trusted.issue(t, pkix.Name{CommonName: "test", Organization: []string{"tests"}})
	certificate, err := tls.X509KeyPair(mine.certificate, mine.key)
	if err != nil {
		t.Fatal(err)
	}
	settings := options.Client().ApplyURI("mongodb://" + n.Forward(t, "db", mongoPort)).SetDirect(true).
		SetTLSConfig(&tls.Config{RootCAs: roots, Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}).
		SetServerSelectionTimeout(forwardPatience).SetTimeout(forwardPatience)
	root, password := "root", rand.Text()
	command(t, settings, "admin", bson.D{
		{Key: "createUser", Value: root}, {Key: "pwd", Value: password}, {Key: "roles", Value: bson.A{"root"}},
	})
	settings.SetAuth(options.Credential{Username: root, Password: password, AuthSource: "admin"})
	command(t, settings, "$external", bson.D{
		{Key: "createUser", Value: x509UserName},
		{Key: "roles", Value: bson.A{
			bson.D{{Key: "role", Value: "readWrite"}, {Key: "db", Value: "mongobench"}},
			bson.D{{Key: "role", Value: "clusterMonitor"}, {Key: "db", Value: "admin"}},
		}},
	})
}

// forwardPatience is how long a mongod that was just started may take to answer.
const forwardPatience = hashTime

func command(t *testing.T, settings *options.ClientOptions, database string, what bson.D) {
	t.Helper()
	connected, err := mongo.Connect(settings)
	if err != nil {
		t.Fatalf("connecting to mongod: %v", err)
	}
	defer func() { _ = connected.Disconnect(t.Context()) }()
	if err := connected.Database(database).RunCommand(t.Context(), what).Err(); err != nil {
		t.Fatalf("%s in %s: %v", what[0].Key, database, err)
	}
}
