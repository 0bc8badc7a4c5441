//go:build e2e

package e2e

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/yaml"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/config/samples"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
)

// mariaDB is a small server on the disk of its node.
func mariaDB() *benchv1alpha1.BenchmarkTargetSpec {
	return &benchv1alpha1.BenchmarkTargetSpec{
		MariaDB: &benchv1alpha1.MariaDBTarget{Deployment: harness.Small("10.11")},
	}
}

// rows is the run of the other scenarios with what a table can do: every document is read back after it was loaded, and
// updates set a value.
func rows(target *benchv1alpha1.BenchmarkTargetSpec, sendBy benchv1alpha1.Client) *benchv1alpha1.BenchmarkRun {
	run := harness.Run("bench", target)
	run.Spec.Dataset.Load = &benchv1alpha1.Load{Verify: new(benchv1alpha1.VerifyAll)}
	run.Spec.LoadGenerator.Client = &sendBy
	update := &run.Spec.Workload.Steps[0].Operations[1]
	update.Parameters = append(update.Parameters, benchv1alpha1.Parameter{
		Name: "age", Type: benchv1alpha1.ParameterType(benchv1alpha1.GeneratorInt),
	})
	update.Update = `{"$set": {"age": {"$param": "age"}}}`
	return run
}

// TestMariaDB goes through every way of talking to one, with every row read back, and looks for secrets where there is
// the most of them.
func TestMariaDB(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change             func(*benchv1alpha1.BenchmarkTargetSpec)
		sendBy             benchv1alpha1.Client
		engine, durability string
	}{
		"prepared": {func(*benchv1alpha1.BenchmarkTargetSpec) {}, benchv1alpha1.ClientPrepared, "InnoDB", "Synced"},
		"text on MyRocks": {func(spec *benchv1alpha1.BenchmarkTargetSpec) {
			spec.MariaDB.Engine = new(benchv1alpha1.MariaDBMyRocks)
			// What is written is collected in memory first.
			spec.MariaDB.Resources.Limits[corev1.ResourceMemory] = *harness.Quantity("1Gi")
			spec.MariaDB.Durability = new(benchv1alpha1.DurabilityOSCache)
		}, benchv1alpha1.ClientText, "MyRocks", "OSCache"},
		"HandlerSocket": {func(spec *benchv1alpha1.BenchmarkTargetSpec) {
			spec.MariaDB.HandlerSocket = &benchv1alpha1.HandlerSocketSpec{}
		}, benchv1alpha1.ClientHandlerSocket, "InnoDB", "Synced"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := cluster.Namespace(t)
			target := mariaDB()
			tc.change(target)
			run := rows(target, tc.sendBy)
			if target.MariaDB.HandlerSocket != nil {
				run.Spec.CleanupPolicy = new(benchv1alpha1.CleanupKeep)
			}
			n.Apply(t, run)

			ended := n.WaitSuccess(t, run)
			checkMeasured(t, ended, n.Report(t, ended))
			server := ended.Status.Server
			if server == nil || server.Product != "MariaDB" || !strings.HasPrefix(server.Version, "10.11.") ||
				server.StorageEngine != tc.engine || server.Durability != tc.durability {
				t.Errorf("the server is %+v, want MariaDB 10.11, %s, %s", server, tc.engine, tc.durability)
			}
			if target.MariaDB.HandlerSocket == nil {
				n.WaitLeft(t, removalDeadline, "ConfigMap bench-report")
				return
			}
			checkFenced(t, n)
		})
	}
}

// checkFenced looks at a server with HandlerSocket while it is there: its secret is not passed on, and its Service
// has no address outside.
func checkFenced(t *testing.T, n *harness.Namespace) {
	t.Helper()
	secrets := n.Secrets(t)
	for name, value := range secrets {
		if key, its, found := strings.Cut(name, "/"); found && key == "bench-load" && its == "server.cnf" {
			_, after, _ := strings.Cut(value, "handlersocket-plain-secret=")
			secrets["bench-load/handlersocket"], _, _ = strings.Cut(after, "\n")
		}
	}
	if len(secrets["bench-load/handlersocket"]) < 16 || secrets["bench-observer/password"] == "" {
		t.Error("there is no secret of HandlerSocket, or of the observer, to look for")
	}
	texts, err := n.Texts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, leak := range harness.Leaks(texts, secrets) {
		t.Error(leak)
	}
	service := &corev1.Service{}
	n.Fetch(t, "bench-members", service)
	if service.Spec.Type != corev1.ServiceTypeClusterIP || service.Spec.ClusterIP != corev1.ClusterIPNone {
		t.Errorf("the Service is of type %s, at %s", service.Spec.Type, service.Spec.ClusterIP)
	}
}

// TestExternalMariaDB measures a server that the run did not deploy, by a connection string of a user's own.
func TestExternalMariaDB(t *testing.T) {
	t.Parallel()
	n := cluster.Namespace(t)
	database := harness.Target("db", reachable(mariaDB()))
	n.Apply(t, database)
	n.WaitTarget(t, database)
	secret := &corev1.Secret{}
	n.Fetch(t, "db-load", secret)
	named := connectionSecret(string(secret.Data["uri"]))
	n.Apply(t, named)
	external := harness.External(named.Name, "uri")
	external.External.Product = new(benchv1alpha1.ProductMariaDB)
	external.External.Durability = new(benchv1alpha1.DurabilitySynced)
	run := rows(external, benchv1alpha1.ClientPrepared)
	n.Apply(t, run)

	ended := n.WaitSuccess(t, run)
	checkMeasured(t, ended, n.Report(t, ended))
	if server := ended.Status.Server; server == nil || server.Product != "MariaDB" || server.Durability != "Synced" {
		t.Errorf("the server is %+v", server)
	}
}

// TestMariaDBSaysWhatItDoesNotKnow declares a system variable that there is not.
func TestMariaDBSaysWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	n := cluster.Namespace(t)
	target := mariaDB()
	target.MariaDB.Parameters = []benchv1alpha1.ServerParameter{{Name: "innodb_no_such_thing", Value: "1"}}
	target.MariaDB.ProvisioningSeconds = new(int32(90))
	run := harness.Run("bench", target)
	run.Spec.Workload.Steps[0].Operations = run.Spec.Workload.Steps[0].Operations[:1]
	n.Apply(t, run)
	failed := n.WaitRun(t, run, "ended", harness.HasVerdict)
	ready := apimeta.FindStatusCondition(failed.Status.Conditions, benchv1alpha1.RunTargetReady)
	if ready == nil || ready.Reason != benchv1alpha1.ReasonCrashed ||
		!strings.Contains(ready.Message, "unknown variable 'innodb_no_such_thing=1'") {
		t.Errorf("what is said: %s", harness.Describe(failed.Status.Conditions))
	}
}

// TestSamplesOfOtherDatabases applies samples as they are, for a namespace that has little room.
func TestSamplesOfOtherDatabases(t *testing.T) {
	t.Parallel()
	for sample, product := range map[string]string{"mariadb": "MariaDB", "ferretdb": "FerretDB"} {
		t.Run(sample, func(t *testing.T) {
			t.Parallel()
			n := cluster.Namespace(t)
			ended := n.WaitSuccess(t, applySample(t, n, sample))
			checkNothingFailed(t, n.Report(t, ended))
			if server := ended.Status.Server; server == nil || server.Product != product {
				t.Errorf("the server is %+v", server)
			}
			n.WaitLeft(t, removalDeadline, "ConfigMap "+ended.Name+"-report")
		})
	}
}

func applySample(t *testing.T, n *harness.Namespace, sample string) *benchv1alpha1.BenchmarkRun {
	t.Helper()
	content, ok := samples.Read(sample)
	if !ok {
		t.Fatalf("there is no such sample among %v", samples.Names())
	}
	run := &benchv1alpha1.BenchmarkRun{}
	if err := yaml.UnmarshalStrict(content, run); err != nil {
		t.Fatal(err)
	}
	n.Apply(t, run)
	return run
}

// checkNothingFailed wants of each operation that it was done, and never failed.
func checkNothingFailed(t *testing.T, report reportv1alpha1.Report) {
	t.Helper()
	for _, step := range report.Steps {
		for _, operation := range step.Operations {
			if operation.Count == 0 || operation.Errors != 0 {
				t.Errorf("step %s, operation %s: %d succeeded, %d failed: %+v", step.Name, operation.Name,
					operation.Count, operation.Errors, operation.ErrorClasses)
			}
		}
	}
}
