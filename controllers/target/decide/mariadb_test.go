package decide

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

// running has the server of a MariaDB run.
func running(o Observation) Observation {
	pod := targettest.MemberPod(o.Target, naming.MariaDBSet, 0)
	targettest.Ready(&pod, start)
	o.MemberPods = []corev1.Pod{pod}
	return o
}

func TestMemoryOfMyRocksIsGivenOutOfFewArenas(t *testing.T) {
	for engine, want := range map[benchv1alpha1.MariaDBEngine]int{
		benchv1alpha1.MariaDBInnoDB: 0, benchv1alpha1.MariaDBMyRocks: 1,
	} {
		target := targettest.MariaDB("bench", "rows")
		target.Spec.MariaDB.Engine = new(engine)
		decision := decided(observe(target))
		servers := of[*appsv1.StatefulSet](decision.Desired)
		if len(servers) != 1 || len(servers[0].Spec.Template.Spec.Containers[0].Env) != want {
			t.Errorf("%s: want one server with %d variables of its environment", engine, want)
		}
	}
}

func TestMariaDBIsLookedAtOnceItWorks(t *testing.T) {
	o := observe(targettest.MariaDB("bench", "rows"))
	jobs := func(o Observation) int {
		decision := decided(o)
		return len(of[*batchv1.Job](decision.Desired))
	}
	if got := jobs(o); got != 0 {
		t.Errorf("%d Jobs before the server works", got)
	}
	working := running(o)
	if got := jobs(working); got != 1 {
		t.Errorf("%d Jobs once the server works, want 1", got)
	}
	o.TopologyJob = &batchv1.Job{}
	if got := jobs(o); got != 1 {
		t.Errorf("%d Jobs after the server ceased to work, want that which is there", got)
	}
}

// of are the objects of one kind.
func of[K desired.Object](objects []desired.Object) []K {
	var found []K
	for _, object := range objects {
		if wanted, ok := object.(K); ok {
			found = append(found, wanted)
		}
	}
	return found
}

func TestSecretsOfMariaDBStandInSecretsOnly(t *testing.T) {
	decision := decided(running(observe(targettest.HandlerSocket("bench", "rows"))))
	for _, object := range decision.Desired {
		if _, isSecret := object.(*corev1.Secret); isSecret {
			continue
		}
		content, err := desired.Content(object)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{"for the load", "for looking", "among us"} {
			if contains(content, secret) {
				t.Errorf("%T %s holds %q", object, object.GetName(), secret)
			}
		}
	}
}

func contains(content any, text string) bool {
	switch content := content.(type) {
	case string:
		return strings.Contains(content, text)
	case []any:
		return slices.ContainsFunc(content, func(item any) bool { return contains(item, text) })
	case map[string]any:
		for _, item := range content {
			if contains(item, text) {
				return true
			}
		}
	}
	return false
}

func TestConnectionStringOfMariaDB(t *testing.T) {
	for name, tc := range map[string]struct {
		target  *benchv1alpha1.BenchmarkTarget
		options url.Values
		keys    int
	}{
		"SQL": {targettest.MariaDB("bench", "rows"), url.Values{}, 3},
		"HandlerSocket": {targettest.HandlerSocket("bench", "rows"), url.Values{
			"handlersocketPort": {"9998"}, "handlersocketWritePort": {"9999"}, "handlersocketSecret": {"among us"},
		}, 4},
	} {
		t.Run(name, func(t *testing.T) {
			decision := decided(observe(tc.target))
			load := of[*corev1.Secret](decision.Desired)[0]
			if load.Name != "rows-load" || len(load.Data) != tc.keys {
				t.Errorf("Secret %s has %d keys, want rows-load with %d", load.Name, len(load.Data), tc.keys)
			}
			uri, err := url.Parse(string(load.Data[naming.URIKey]))
			if err != nil {
				t.Fatal(err)
			}
			password, _ := uri.User.Password()
			if uri.Host != "rows-mariadb-0.rows-members.bench.svc:3306" || password != "for the load" ||
				uri.Query().Encode() != tc.options.Encode() {
				t.Errorf("connection string %s", uri)
			}
		})
	}
}

func TestOnlyOpenPortsAreReachable(t *testing.T) {
	for name, tc := range map[string]struct {
		target *benchv1alpha1.BenchmarkTarget
		want   []int32
	}{
		"SQL":           {targettest.MariaDB("bench", "rows"), []int32{3306}},
		"HandlerSocket": {targettest.HandlerSocket("bench", "rows"), []int32{3306, 9998, 9999}},
	} {
		t.Run(name, func(t *testing.T) {
			decision := decided(observe(tc.target))
			policy := of[*networkingv1.NetworkPolicy](decision.Desired)[0]
			if let := letIn(policy); !slices.Equal(let, tc.want) || len(policy.Spec.Egress) != 0 {
				t.Errorf("let in %d, want %d; let out %v", let, tc.want, policy.Spec.Egress)
			}
			service := of[*corev1.Service](decision.Desired)[0]
			if served := portsOf(service); !slices.Equal(served, tc.want) {
				t.Errorf("served %d, want %d", served, tc.want)
			}
			if service.Spec.ClusterIP != corev1.ClusterIPNone || service.Spec.Type != "" {
				t.Errorf("the Service has the address %q and the type %q", service.Spec.ClusterIP, service.Spec.Type)
			}
		})
	}
}

func letIn(policy *networkingv1.NetworkPolicy) []int32 {
	ports := make([]int32, 0, len(policy.Spec.Ingress[0].Ports))
	for _, port := range policy.Spec.Ingress[0].Ports {
		ports = append(ports, port.Port.IntVal)
	}
	return ports
}

func portsOf(service *corev1.Service) []int32 {
	ports := make([]int32, 0, len(service.Spec.Ports))
	for _, port := range service.Spec.Ports {
		ports = append(ports, port.Port)
	}
	return ports
}

func TestWorkingMariaDBIsReadyOnceItWasLookedAt(t *testing.T) {
	o := running(observe(targettest.MariaDB("bench", "rows")))
	o.TopologyJob = &batchv1.Job{Status: targettest.JobComplete(start, start)}
	o.TopologyResult = &corev1.ConfigMap{Data: targettest.Answer()}
	o.MemberPods[0].Status.InitContainerStatuses = []corev1.ContainerStatus{{
		Name:  naming.SyncLatencyContainer,
		State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Message: `{"p50":120,"p99":370}`}},
	}}
	decision := decided(o)
	found := decision.Status.Connection
	if found == nil || found.URI != nil || found.URISecretRef.Name != "rows-load" || found.URISecretRef.Key != "uri" ||
		*found.ObserverCredentialsSecretName != "rows-observer" || found.CredentialsSecretName != nil {
		t.Errorf("connection %+v", found)
	}
	if server := decision.Status.Server; *server.SyncP50Micros != 120 || *server.SyncP99Micros != 370 {
		t.Errorf("the volume takes %d and %d µs", *server.SyncP50Micros, *server.SyncP99Micros)
	}
}
