package estimate_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fileresource "k8s.io/cli-runtime/pkg/resource"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/estimate"
	"github.com/mongobench/mongobench-operator/config/samples"
	"github.com/mongobench/mongobench-operator/controllers/target/decide"
	"github.com/mongobench/mongobench-operator/internal/capacity"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func read(t *testing.T, path ...string) estimate.Objects {
	t.Helper()
	objects, err := estimate.Read(fileresource.FilenameOptions{Filenames: []string{filepath.Join(path...)}})
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

func sample(t *testing.T, name string) estimate.Objects {
	t.Helper()
	content, ok := samples.Read(name)
	if !ok {
		t.Fatalf("there is no sample %s", name)
	}
	file := filepath.Join(t.TempDir(), name+".yaml")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return read(t, file)
}

func amount(text string) *resource.Quantity { return new(resource.MustParse(text)) }

// kind of pod: what it asks for, may use, and keeps its data on.
type kind struct {
	Requests, Limits capacity.Amount
	Volume           estimate.Volume
}

// targets are all that a sample declares, and some that no sample has.
func targets(t *testing.T) map[string]benchv1alpha1.BenchmarkTargetSpec {
	t.Helper()
	const version = "8.0.4"
	inShard, byClient := benchv1alpha1.ConfigServersShard, benchv1alpha1.RouterClient
	three := new(int32(3))
	inMemory := targettest.Shards(version, benchv1alpha1.ShardedSpec{
		Shards: three, MembersPerShard: three, Mongos: &benchv1alpha1.MongosSpec{Replicas: three},
		ConfigServers: &benchv1alpha1.ConfigServersSpec{Members: three, Resources: targettest.Limits("1", "")},
	})
	inMemory.MongoDB.Resources = targettest.Limits("", "32Gi")
	inMemory.MongoDB.Resources.Requests = targettest.Requests("100m", "").Requests
	inMemory.MongoDB.Storage = targettest.Directory(corev1.StorageMediumMemory, "20Gi")
	pinned := targettest.MongoDB(version)
	pinned.MongoDB.Resources = targettest.Limits("2", "")
	pinned.MongoDB.Placement = &benchv1alpha1.PlacementSpec{Pinning: new(benchv1alpha1.PinningExclusive)}
	found := map[string]benchv1alpha1.BenchmarkTargetSpec{
		"defaults": targettest.MongoDB(version),
		"replica set": {MongoDB: &benchv1alpha1.MongoDBTarget{
			Deployment: benchv1alpha1.Deployment{Version: version}, ReplicaSet: &benchv1alpha1.ReplicaSetSpec{},
		}},
		"sharded":           targettest.Shards(version, benchv1alpha1.ShardedSpec{}),
		"sharded in memory": inMemory,
		"a config shard": targettest.Shards(version, benchv1alpha1.ShardedSpec{
			ConfigServers: &benchv1alpha1.ConfigServersSpec{Kind: &inShard},
		}),
		"no routers":       targettest.Shards(version, benchv1alpha1.ShardedSpec{Router: &byClient}),
		"cores of its own": pinned,
		"a MariaDB":        targettest.MariaDB("bench", "rows").Spec,
		"a FerretDB":       targettest.FerretDB("bench", "docs").Spec,
	}
	for _, name := range samples.Names() {
		objects := sample(t, name)
		for _, run := range objects.Runs {
			if run.Spec.Target != nil {
				found[name] = *run.Spec.Target
			}
		}
		for _, suite := range objects.Suites {
			if spec := suite.Spec.Template.Spec; spec.Target != nil {
				found[name] = *spec.Target
			}
		}
	}
	return found
}

func TestPodsAreThoseThatTheOperatorMakes(t *testing.T) {
	for name, spec := range targets(t) {
		t.Run(name, func(t *testing.T) {
			target := &benchv1alpha1.BenchmarkTarget{Spec: spec}
			target.Namespace, target.Name = "here", "target"
			target.Status.ProvisioningStartTime = new(metav1.NewTime(noon)) // It has had its turn.
			secrets := decide.ExternalSecrets(spec)
			for i := range secrets {
				secrets[i].State = decide.SecretFound
			}
			decision := decide.Decide(decide.Observation{Now: noon, Target: target, External: secrets})
			if err := decision.Trouble; err != nil {
				t.Fatal(err)
			}
			want, got := decided(decision), estimated(spec)
			if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 {
				t.Errorf("pods (-the operator's +ours):\n%s", diff)
			}
		})
	}
}

// decided are the numbers of pods that the operator makes.
func decided(decision decide.Decision) map[kind]int {
	pods := map[kind]int{}
	for _, object := range decision.Desired {
		switch object := object.(type) {
		case *appsv1.StatefulSet:
			pods[kindOf(object.Spec.Template.Spec, object.Spec.VolumeClaimTemplates)] += int(*object.Spec.Replicas)
		case *batchv1.Job:
			pods[kindOf(object.Spec.Template.Spec, nil)]++
		}
	}
	return pods
}

// estimated are those of the estimate.
func estimated(spec benchv1alpha1.BenchmarkTargetSpec) map[kind]int {
	found := map[kind]int{}
	for _, pods := range estimate.TargetPods(spec) {
		one := kind{Requests: pods.Requests, Limits: pods.Limits}
		if pods.Volume != nil {
			one.Volume = *pods.Volume
		}
		found[one] += pods.Count
	}
	return found
}

// kindOf is what the operator declares of a pod.
func kindOf(spec corev1.PodSpec, claims []corev1.PersistentVolumeClaim) kind {
	found := kind{
		Requests: capacity.Of(spec.Containers[0].Resources.Requests),
		Limits:   capacity.Of(spec.Containers[0].Resources.Limits),
	}
	for _, claim := range claims {
		found.Volume = estimate.Volume{
			Medium: product.MediumPersistentVolume, Bytes: claim.Spec.Resources.Requests.Storage().Value(),
		}
	}
	for _, volume := range spec.Volumes {
		if volume.Name != "data" || volume.EmptyDir == nil {
			continue
		}
		found.Volume = estimate.Volume{
			Medium: product.MediumEmptyDir, Bytes: volume.EmptyDir.SizeLimit.Value(),
		}
		if volume.EmptyDir.Medium == corev1.StorageMediumMemory {
			found.Volume.Medium = product.MediumMemory
		}
	}
	return found
}

func TestLoadPods(t *testing.T) {
	cases := map[string]struct {
		generator *benchv1alpha1.LoadGenerator
		want      estimate.Pods
	}{
		"one of the default size": {nil, estimate.Pods{
			Part: "load pods", Count: 1, Requests: capacity.Amount{CPUMillis: 500, MemoryBytes: 256 << 20},
			Limits: capacity.Amount{CPUMillis: 500, MemoryBytes: 256 << 20},
		}},
		"several that ask for less than they may use": {
			&benchv1alpha1.LoadGenerator{Pods: new(int32(4)), Resources: &corev1.ResourceRequirements{
				Limits: targettest.Limits("2", "1Gi").Limits, Requests: targettest.Requests("500m", "128Mi").Requests,
			}},
			estimate.Pods{
				Part: "load pods", Count: 4, Requests: capacity.Amount{CPUMillis: 500, MemoryBytes: 128 << 20},
				Limits: capacity.Amount{CPUMillis: 2000, MemoryBytes: 1 << 30},
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := estimate.LoadPods(benchv1alpha1.BenchmarkRunSpec{LoadGenerator: tc.generator})
			if diff := cmp.Diff(tc.want, got, cmpopts.IgnoreUnexported(estimate.Pods{})); diff != "" {
				t.Errorf("pods (-want +got):\n%s", diff)
			}
		})
	}
}

func TestGatewayPods(t *testing.T) {
	generator := &benchv1alpha1.LoadGenerator{Resources: targettest.Limits("2", "1Gi")}
	declared := benchv1alpha1.BenchmarkRunSpec{LoadGenerator: generator}
	if got := estimate.GatewayPods(declared); len(got) > 0 {
		t.Errorf("a load that goes straight to its target has the gateway %+v", got)
	}
	generator.Through = new(benchv1alpha1.WayGateway)
	generator.Gateway = &benchv1alpha1.Gateway{Pods: new(int32(3)), Resources: targettest.Limits("1", "128Mi")}
	size := capacity.Amount{CPUMillis: 1000, MemoryBytes: 128 << 20}
	want := []estimate.Pods{{Part: "gateway", Count: 3, Requests: size, Limits: size}}
	got := estimate.GatewayPods(declared)
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(estimate.Pods{})); diff != "" {
		t.Errorf("pods (-want +got):\n%s", diff)
	}
}

func estimateFile(path string) (estimate.Objects, error) {
	return estimate.Read(fileresource.FilenameOptions{Filenames: []string{path}})
}

// countsOf are the numbers of pods of each part.
func countsOf(all []estimate.Pods) string {
	counts := make([]string, 0, len(all))
	for _, pods := range all {
		counts = append(counts, strconv.Itoa(pods.Count)+" "+pods.Part)
	}
	return strings.Join(counts, ", ")
}
