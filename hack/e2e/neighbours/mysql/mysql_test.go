//go:build e2e

package mysql

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
	"github.com/mongobench/mongobench-operator/hack/e2e/neighbours/part"
)

const (
	page = "mysql.md"
	port = 3306
	// The password on the page, and the host.
	sample, elsewhere = "change-me", "mysql.example.com"
	password          = "s3cret-of-mysql"
)

// cluster is the cluster under test.
var cluster *harness.Cluster

func TestMain(m *testing.M) { os.Exit(harness.Main(m, &cluster)) }

// deploy starts a server as somebody else would have it, with the users that the page makes, and waits for it. Its name
// in the cluster is returned.
func deploy(t *testing.T, n *harness.Namespace, version string) string {
	t.Helper()
	labels := map[string]string{"app": "mysql"}
	users := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "users"},
		StringData: map[string]string{
			"users.sql": strings.ReplaceAll(part.Blocks(t, page, "sql")[0], sample, password) + "\n",
		},
	}
	pod := harness.Pod("mysql", "mongobench.local/mysql:"+version, "/usr/local/mysql/bin/mysqld", "--no-defaults",
		"--init-file=/users/users.sql", "--socket=/tmp/socket", "--pid-file=/tmp/pid", "--skip-name-resolve",
		"--performance-schema=OFF", "--innodb-buffer-pool-size=64M", "--max-allowed-packet=64M")
	pod.Labels = labels
	pod.Spec.Volumes = []corev1.Volume{{
		Name: "users", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: users.Name}},
	}}
	container := &pod.Spec.Containers[0]
	container.VolumeMounts = []corev1.VolumeMount{{Name: "users", MountPath: "/users", ReadOnly: true}}
	container.Resources = corev1.ResourceRequirements{
		Requests: corev1.ResourceList{corev1.ResourceCPU: *harness.Quantity("100m")},
		Limits: corev1.ResourceList{
			corev1.ResourceCPU: *harness.Quantity("1"), corev1.ResourceMemory: *harness.Quantity("512Mi"),
		},
	}
	container.ReadinessProbe = &corev1.Probe{ProbeHandler: corev1.ProbeHandler{
		TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(port)},
	}}
	service := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "mysql"},
		Spec:       corev1.ServiceSpec{Selector: labels, Ports: []corev1.ServicePort{{Port: port}}},
	}
	n.Apply(t, users, service, pod)
	err := harness.Poll(t.Context(), harness.RunTime, func(ctx context.Context) (bool, string, error) {
		seen := &corev1.Pod{}
		err := n.Get(ctx, client.ObjectKeyFromObject(pod), seen)
		return harness.PodIsReady(seen), fmt.Sprintf("%+v", seen.Status.ContainerStatuses), err
	})
	if err != nil {
		t.Fatalf("MySQL %s is not ready: %v", version, err)
	}
	return "mysql." + n.Name + ".svc"
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestThePage follows the page with each version, and then measures what only one of them can hold.
func TestThePage(t *testing.T) {
	for version, dates := range map[string]bool{"5.6.14": true, "5.5.9": false} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			n := cluster.Namespace(t)
			host := deploy(t, n, version)
			user := part.User(t, cluster, n.Name)
			user.Folder = t.TempDir()
			user.Folder = t.TempDir()
			uri := ""
			for _, block := range part.Blocks(t, page, "") {
				if strings.HasPrefix(block, "mysql://") {
					uri = strings.NewReplacer(sample, password, elsewhere, host).Replace(block)
				}
			}
			write(t, filepath.Join(user.Folder, "uri"), uri)
			write(t, filepath.Join(user.Folder, "run.yaml"), part.Blocks(t, page, "yaml")[0])
			said := ""
			for _, command := range part.Commands(t, page) {
				said = user.Run(t, command)
			}
			if want := "MySQL " + version + " Synced"; said != want {
				t.Errorf("the status says %q of the server, want %q", said, want)
			}
			run := &benchv1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: n.Name, Name: "mysql"}}
			checkMeasured(t, n.Report(t, n.WaitSuccess(t, run)))
			checkDates(t, n, dates)
		})
	}
}

// checkMeasured wants operations without an error, how the server's log is flushed, and what it did meanwhile.
func checkMeasured(t *testing.T, report reportv1.Report) {
	t.Helper()
	for _, name := range []string{"queries", "inserts"} {
		for _, operation := range harness.StepOf(t, report, name).Operations {
			if operation.Count == 0 || operation.Errors != 0 {
				t.Errorf("step %s, operation %s: %d succeeded, %d failed: %+v", name, operation.Name, operation.Count,
					operation.Errors, operation.ErrorClasses)
			}
		}
	}
	const flushed = "innodb_flush_log_at_trx_commit 1, no binary log, innodb_doublewrite ON, innodb_flush_method fsync"
	if got := report.Server.DefaultWriteConcern; got != flushed {
		t.Errorf("of durability it says %q", got)
	}
	if len(report.Members) != 1 {
		t.Fatalf("%d servers were observed", len(report.Members))
	}
	for _, name := range []string{"operations.insert", "journal.written", "size.documents"} {
		i := slices.IndexFunc(report.Members[0].Series, func(series reportv1.Series) bool { return series.Name == name })
		if i < 0 || slices.Max(report.Members[0].Series[i].Values) <= 0 {
			t.Errorf("%s was not observed", name)
		}
	}
}

// checkDates measures dates, by the other client, or wants to be told that this server has none.
func checkDates(t *testing.T, n *harness.Namespace, has bool) {
	t.Helper()
	run := harness.RunOn("dates", "mysql")
	run.Spec.LoadGenerator.Client = new(benchv1alpha1.ClientText)
	update := &run.Spec.Workload.Steps[0].Operations[1]
	update.Parameters = append(update.Parameters, benchv1alpha1.Parameter{
		Name: "born", Type: benchv1alpha1.ParameterType(benchv1alpha1.GeneratorDate),
	})
	update.Update = `{"$set": {"born": {"$param": "born"}}}`
	n.Apply(t, run)
	if has {
		n.WaitSuccess(t, run)
		return
	}
	ended := n.WaitRun(t, run, "ended", harness.HasVerdict)
	verdict := apimeta.FindStatusCondition(ended.Status.Conditions, benchv1alpha1.RunSucceeded)
	if verdict.Status != metav1.ConditionFalse || !strings.Contains(verdict.Message, `field "born" is a Date`) {
		t.Errorf("want a refusal of the Date: %s", harness.Describe(ended.Status.Conditions))
	}
}
