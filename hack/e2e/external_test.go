//go:build e2e

package e2e

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// reachable lets any pod reach the members, as load pods have to that measure them as an external database.
func reachable(spec *benchv1alpha1.BenchmarkTargetSpec) *benchv1alpha1.BenchmarkTargetSpec {
	spec.Deployment().Security = &benchv1alpha1.SecuritySpec{NetworkPolicy: new(benchv1alpha1.Disabled)}
	return spec
}

// TestExternal measures a database that the run did not deploy, and that must be as it was afterwards.
func TestExternal(t *testing.T) {
	t.Parallel()
	n := cluster.Namespace(t)
	database := harness.Target("db", reachable(harness.Standalone("6.0.5")))
	n.Apply(t, database)
	n.WaitTarget(t, database)
	before := n.UIDs(t, "BenchmarkTarget", "StatefulSet", "Pod", "Service", "Secret")

	user, password := credentials(t, n, "db-admin")
	uri := fmt.Sprintf("mongodb://%s@db-mongod-0.db-members.%s.svc:27017/?authSource=admin",
		url.UserPassword(user, password), n.Name)
	secret := connectionSecret(uri)
	run := harness.Run("bench", harness.External("where", "uri"))
	n.Apply(t, secret, run)

	ended := n.WaitSuccess(t, run)
	checkMeasured(t, ended, n.Report(t, ended))
	wanted := []string{"ConfigMap bench-report", "Secret where"}
	objects, err := n.Objects(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name := range objects {
		if kind, its, _ := strings.Cut(name, " "); strings.HasPrefix(its, "db") {
			wanted = append(wanted, kind+" "+its)
		}
	}
	n.WaitLeft(t, removalDeadline, wanted...)
	after := n.UIDs(t, "BenchmarkTarget", "StatefulSet", "Pod", "Service", "Secret")
	for name, uid := range before {
		if after[name] != uid {
			t.Errorf("%s of the external database was UID %s before the run and is %q now", name, uid, after[name])
		}
	}
}

// TestExternalThatHoldsSomething measures a database that holds what no run made: it is refused unless the target says
// that it may be written to.
func TestExternalThatHoldsSomething(t *testing.T) {
	t.Parallel()
	n := cluster.Namespace(t)
	database := harness.Target("db", reachable(harness.Standalone("6.0.5")))
	n.Apply(t, database)
	n.WaitTarget(t, database)
	user, password := credentials(t, n, "db-admin")
	login := url.UserPassword(user, password)
	insertPerson(t, fmt.Sprintf("mongodb://%s@%s/?directConnection=true", login, n.Forward(t, "db-mongod-0", mongoPort)))

	uri := fmt.Sprintf("mongodb://%s@db-mongod-0.db-members.%s.svc:27017/?authSource=admin", login, n.Name)
	secret := connectionSecret(uri)
	refused := harness.Run("refused", harness.External("where", "uri"))
	n.Apply(t, secret, refused)
	ended := n.WaitRun(t, refused, "ended", harness.HasVerdict)
	verdict := apimeta.FindStatusCondition(ended.Status.Conditions, benchv1alpha1.RunSucceeded)
	if verdict.Status != metav1.ConditionFalse || !strings.Contains(verdict.Message, "allowExisting") {
		t.Errorf("want a refusal that names allowExisting: %s", harness.Describe(ended.Status.Conditions))
	}

	target := harness.External("where", "uri")
	target.External.AllowExisting = new(true)
	taken := harness.Run("taken", target)
	n.Apply(t, taken)
	ended = n.WaitSuccess(t, taken)
	checkMeasured(t, ended, n.Report(t, ended))
}

// connectionSecret is a Secret that targets may name.
func connectionSecret(uri string) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name: "where", Labels: map[string]string{naming.ConnectionLabel: naming.ConnectionAllowed},
		},
		StringData: map[string]string{"uri": uri},
	}
}

// insertPerson writes a document where the runs have theirs.
func insertPerson(t *testing.T, uri string) {
	t.Helper()
	client, err := mongo.Connect(options.Client().ApplyURI(uri).SetTimeout(hashTime))
	if err != nil {
		t.Fatalf("connecting to mongod: %v", err)
	}
	defer func() { _ = client.Disconnect(t.Context()) }()
	_, err = client.Database("mongobench").Collection("people").InsertOne(t.Context(), bson.D{{Key: "name", Value: "Ada"}})
	if err != nil {
		t.Fatalf("inserting a document: %v", err)
	}
}

// credentials reads the name and password of a Secret that the operator made for people.
func credentials(t *testing.T, n *harness.Namespace, name string) (user, password string) {
	t.Helper()
	secret := &corev1.Secret{}
	n.Fetch(t, name, secret)
	user, password = string(secret.Data["username"]), string(secret.Data["password"])
	if user == "" || password == "" {
		t.Fatalf("Secret %s lacks username or password", name)
	}
	return user, password
}
