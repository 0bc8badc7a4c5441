//go:build e2e

package e2e

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
)

// TestExternal measures a database that the run did not deploy, and that must be as it was afterwards.
func TestExternal(t *testing.T) {
	n := cluster.Namespace(t)
	database := harness.Target("db", harness.Standalone("6.0.5"))
	n.Apply(t, database)
	n.WaitTarget(t, database)
	before := n.UIDs(t, "BenchmarkTarget", "StatefulSet", "Pod", "Service", "Secret")

	user, password := credentials(t, n, "db-admin")
	uri := fmt.Sprintf("mongodb://%s@db-mongod-0.db-members.%s.svc:27017/?authSource=admin",
		url.UserPassword(user, password), n.Name)
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "where"}, StringData: map[string]string{"uri": uri}}
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
	n.WaitLeft(t, removalBound, wanted...)
	after := n.UIDs(t, "BenchmarkTarget", "StatefulSet", "Pod", "Service", "Secret")
	for name, uid := range before {
		if after[name] != uid {
			t.Errorf("%s of the external database was UID %s before the run and is %q now", name, uid, after[name])
		}
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
