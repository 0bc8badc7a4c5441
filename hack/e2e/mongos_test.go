//go:build e2e

package e2e

import (
	"context"
	"os"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
)

// imagesVariable names images that hold mongod and mongos, with a blank between them. Those that it names must be had;
// when it is not set, those of MongoDB's own are tried.
const imagesVariable = "E2E_MONGOS_IMAGES"

const publicImages = "mongo:7 mongo:8"

// chunks is in how many pieces the collection is made, where the server still lets one say so.
const chunks = int32(8)

// TestMongosImageIsMissing makes everything of a sharded cluster but its mongos, whose image is nowhere: shards and
// config servers come up, and the run ends with that reason and no other.
func TestMongosImageIsMissing(t *testing.T) {
	t.Parallel()
	n := cluster.Namespace(t)
	target := harness.Sharded("6.0.5", 2)
	const image = "mongobench.local/mongos:missing"
	target.MongoDB.Sharded = &benchv1alpha1.ShardedSpec{Mongos: &benchv1alpha1.MongosSpec{Image: new(image)}}
	target.MongoDB.ProvisioningSeconds = new(int32(45))
	run := harness.Run("bench", target)
	run.Spec.CleanupPolicy = new(benchv1alpha1.CleanupKeep)
	n.Apply(t, run)

	ended := n.WaitRun(t, run, "ended", harness.HasVerdict)
	verdict := apimeta.FindStatusCondition(ended.Status.Conditions, benchv1alpha1.RunSucceeded)
	if verdict.Status != metav1.ConditionFalse {
		t.Fatalf("the verdict is %s", harness.Describe(ended.Status.Conditions))
	}
	for _, word := range []string{benchv1alpha1.ReasonImagePull, "bench-mongos-", image} {
		if text := verdict.Reason + ": " + verdict.Message; !strings.Contains(text, word) {
			t.Errorf("the verdict does not say %s: %s", word, text)
		}
	}
	for _, name := range []string{"bench-shard0-0", "bench-shard1-0", "bench-config-0"} {
		pod := &corev1.Pod{}
		n.Fetch(t, name, pod)
		if !harness.PodIsReady(pod) {
			t.Errorf("pod %s is not ready: %+v", name, pod.Status.Conditions)
		}
	}
}

// TestMongos measures a sharded cluster through mongos, and changes how it is sharded meanwhile.
func TestMongos(t *testing.T) {
	images, demanded := os.LookupEnv(imagesVariable)
	if !demanded {
		images = publicImages
	}
	for image := range strings.FieldsSeq(images) {
		t.Run(image, func(t *testing.T) {
			t.Parallel()
			n := cluster.Namespace(t)
			if said := canPull(t, n, image); said != "" {
				if demanded {
					t.Fatalf("image %s cannot be had: %s", image, said)
				}
				t.Skipf("needs mongos: the nodes cannot pull %s", image)
			}
			measureMongos(t, n, image)
		})
	}
}

func measureMongos(t *testing.T, n *harness.Namespace, image string) {
	t.Helper()
	_, version, _ := strings.Cut(image, ":")
	target := harness.Sharded(version+".0", 2)
	target.MongoDB.Image = &image
	target.MongoDB.Sharded = &benchv1alpha1.ShardedSpec{
		Mongos:   &benchv1alpha1.MongosSpec{Replicas: new(int32(2))},
		Balancer: &benchv1alpha1.BalancerSpec{Mode: new(benchv1alpha1.BalancerEnabled)},
	}
	run := harness.Run("bench", target)
	people := &run.Spec.Dataset.Collections[0]
	people.Sharding = &benchv1alpha1.Sharding{
		Key:           []benchv1alpha1.IndexKey{{Field: "_id", Type: new(benchv1alpha1.IndexKeyHashed)}},
		InitialChunks: new(chunks),
	}
	others := people.DeepCopy()
	others.Name = "others"
	others.Sharding = &benchv1alpha1.Sharding{Key: []benchv1alpha1.IndexKey{{Field: "age"}}}
	run.Spec.Dataset.Collections = append(run.Spec.Dataset.Collections, *others)
	run.Spec.Dataset.Load = &benchv1alpha1.Load{Verify: new(benchv1alpha1.VerifyAll)}
	for i := range run.Spec.Workload.Steps {
		for j := range run.Spec.Workload.Steps[i].Operations {
			run.Spec.Workload.Steps[i].Operations[j].Collection = people.Name
		}
	}
	run.Spec.Workload.Steps[0].Actions = []benchv1alpha1.Action{{
		Name: "refine", Type: benchv1alpha1.ActionRefineShardKey, Collection: &others.Name,
		Key: []benchv1alpha1.IndexKey{{Field: "age"}, {Field: "name"}},
	}, {
		Name: "reshard", Type: benchv1alpha1.ActionReshardCollection, AfterSeconds: new(int32(1)), Collection: &people.Name,
		Key: []benchv1alpha1.IndexKey{{Field: "name", Type: new(benchv1alpha1.IndexKeyHashed)}},
	}}
	n.Apply(t, run)

	ended := n.WaitSuccess(t, run)
	report := n.Report(t, ended)
	if got := ended.Status.Server; got.Topology != string(benchv1alpha1.TopologySharded) ||
		ptr.Deref(got.Shards, 0) != 2 || got.Router != string(benchv1alpha1.RouterMongos) {
		t.Errorf("the server is %+v, want two shards behind mongos", got)
	}
	checkSpread(t, harness.StepOf(t, report, "balance"), people.Name)
	for _, action := range harness.StepOf(t, report, "mixed").Actions {
		if action.Error != "" {
			t.Errorf("action %s was not carried out: %s", action.Name, action.Error)
		}
	}
	n.WaitLeft(t, removalDeadline, "ConfigMap bench-report")
}

// checkSpread looks for chunks and documents of a collection on both shards, within the bound.
func checkSpread(t *testing.T, step reportv1alpha1.Step, collection string) {
	t.Helper()
	if step.ImbalancePercent > step.MaxImbalancePercent {
		t.Errorf("the fullest shard is %d %% above the mean, want at most %d %%", step.ImbalancePercent,
			step.MaxImbalancePercent)
	}
	shards := 0
	for _, size := range step.Sizes {
		if size.Collection != collection {
			continue
		}
		shards++
		if size.Documents == 0 || size.Chunks == 0 {
			t.Errorf("shard %s holds %d documents in %d chunks of %s", size.Shard, size.Documents, size.Chunks, collection)
		}
	}
	if shards != 2 {
		t.Errorf("%s lies on %d shards, want 2: %+v", collection, shards, step.Sizes)
	}
}

// canPull says why the nodes cannot have an image; nothing when they can.
func canPull(t *testing.T, n *harness.Namespace, image string) string {
	t.Helper()
	pod := harness.Pod("image", image, "mongos", "--version")
	n.Apply(t, pod)
	said := ""
	err := harness.Poll(t.Context(), harness.RunTime, func(ctx context.Context) (bool, string, error) {
		if err := n.Get(ctx, client.ObjectKeyFromObject(pod), pod); err != nil {
			return false, "", err
		}
		for _, status := range pod.Status.ContainerStatuses {
			if waiting := status.State.Waiting; waiting != nil && strings.HasPrefix(waiting.Reason, "ErrImage") {
				said = waiting.Message
				return true, "", nil
			}
		}
		return pod.Status.Phase == corev1.PodSucceeded, string(pod.Status.Phase), nil
	})
	if err != nil {
		t.Fatalf("waiting for image %s: %v", image, err)
	}
	if err := n.Delete(t.Context(), pod); err != nil {
		t.Fatalf("deleting pod %s: %v", pod.Name, err)
	}
	return said
}
