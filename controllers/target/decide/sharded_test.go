package decide

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

// routed is a cluster with all that can be said of one.
func routed() *benchv1alpha1.BenchmarkTarget {
	target := targettest.Sharded("bench", "cluster")
	window, shard := benchv1alpha1.BalancerWindow, benchv1alpha1.ConfigServersShard
	target.Spec.MongoDB.Version = "8.0.4"
	target.Spec.MongoDB.Databases = []string{"one", "other"}
	target.Spec.MongoDB.Sharded = &benchv1alpha1.ShardedSpec{
		Shards: new(int32(2)), MembersPerShard: new(int32(3)), ChunkSizeMebibytes: new(int32(32)),
		ConfigServers: &benchv1alpha1.ConfigServersSpec{Kind: &shard},
		Mongos: &benchv1alpha1.MongosSpec{
			Replicas: new(int32(2)), Image: new("example.com/own/mongos:8"),
			Resources: targettest.Limits("2", ""),
		},
		Balancer: &benchv1alpha1.BalancerSpec{Mode: &window, WindowStart: new("23:00"), WindowStop: new("06:00")},
	}
	return target
}

// pinned are two shards that the load generator routes to, each with a node and cores of its own.
func pinned() *benchv1alpha1.BenchmarkTarget {
	required, exclusive := benchv1alpha1.SpreadRequired, benchv1alpha1.PinningExclusive
	target := shardsOf(2, 1, benchv1alpha1.PlacementSpec{
		MembersPerNode: new(int32(1)), Spread: &required, Pinning: &exclusive, ReservedCPUs: new(resource.MustParse("1")),
	})
	target.Spec.MongoDB.PodSettings = &benchv1alpha1.PodSettings{
		NodeSelector: map[string]string{"disk": "nvme"},
		Tolerations:  []corev1.Toleration{{Key: "for", Value: "mongo", Effect: corev1.TaintEffectNoSchedule}},
	}
	return target
}

// startingCluster is a cluster of two shards, a config server and a mongos, accepted at start, with its pods and Job.
func startingCluster(after time.Duration, change func(pods []corev1.Pod)) Observation {
	o := observe(targettest.Sharded("bench", "cluster"))
	decision := decided(o)
	o.Target.Status = decision.Status
	o.Now = start.Add(after)
	o.TopologyJob = &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "cluster-topology"}}
	o.TopologyResult = &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "cluster-topology-result"}}
	target := normalised(o.Target)
	for _, s := range sets(target.Spec) {
		o.StatefulSets = append(o.StatefulSets, statefulSet(target, s, o.Settings))
		o.MemberPods = append(o.MemberPods, targettest.MemberPod(o.Target, s.Name, 0))
	}
	o.TopologyPods = []corev1.Pod{targettest.TopologyPod(o.Target)}
	change(o.MemberPods)
	return o
}

// unfit is a set of three whose members ask for 2 CPU each, on one node of 6 that has a tenant.
func unfit(after time.Duration) Observation {
	o := observe(targettest.ReplicaSet("bench", "set", 3))
	o.Target.Spec.MongoDB.Placement = &benchv1alpha1.PlacementSpec{}
	o.Target.Status.ProvisioningStartTime = seconds(start)
	o.Now = start.Add(after)
	o.Room = &Room{}
	o.Room.AddNode(node("a", "6", "64Gi"))
	o.Room.AddPod(tenant("1"))
	return o
}

// tolerant is a set of three that is ready, and may lose members.
func tolerant(change func(*Observation)) Observation {
	return with(ready(time.Hour), func(o *Observation) {
		tolerate := benchv1alpha1.MemberRestartsTolerate
		o.Target.Spec.MongoDB.MemberRestarts = &tolerate
		change(o)
	})
}

// allReady makes pods run, but for those of some sets.
func allReady(pods []corev1.Pod, without ...string) {
	for i := range pods {
		if !strings.Contains(strings.Join(without, " "), pods[i].Labels[naming.SetLabel]) {
			targettest.Ready(&pods[i], start)
		}
	}
}

func shardedCases() map[string]readinessCase {
	return map[string]readinessCase{
		"shards are on their way": {
			o: startingCluster(inTime, func(pods []corev1.Pod) { allReady(pods, "shard1", "mongos") }),
			want: want{
				reason: benchv1alpha1.ReasonPodsStarting, message: "2 of 4 members are ready (shard1: 0 of 1, mongos: 0 of 1)",
			},
		},
		"the image of mongos cannot be pulled": {
			o: startingCluster(tooLate, func(pods []corev1.Pod) {
				allReady(pods, "mongos")
				targettest.Waiting(&pods[3], "ImagePullBackOff", "example.com/mongo:6.0.5: not found")
			}),
			want: want{
				benchv1alpha1.ReasonImagePull, true,
				"not ready within 60 s (spec.mongodb.provisioningSeconds): pod cluster-mongos-0, container mongos: ",
			},
		},
		"shards are being joined": {
			o: startingCluster(inTime, func(pods []corev1.Pod) { allReady(pods) }),
			want: want{
				reason: benchv1alpha1.ReasonTopologyPending, message: "the shards and their users are being made",
			},
		},
		"a cluster is ready": {
			o: with(startingCluster(inTime, func(pods []corev1.Pod) { allReady(pods) }), func(o *Observation) {
				o.TopologyResult.Data = targettest.Answer()
			}),
			want: want{
				reason:  benchv1alpha1.ReasonReady,
				message: "shards: 2, each a replica set of 1 member, are ready behind 1 mongos",
			},
		},
		"the nodes are full": {
			o: unfit(holdSeconds*time.Second - 1),
			want: want{
				reason:  benchv1alpha1.ReasonDoesNotFit,
				message: "2 of 3 members fit (each takes 2 CPU and 4096 MiB of memory, with 1536 MiB of cache): a: 2 (5 CPU",
			},
		},
		"the nodes are full, and pods wait for one that an autoscaler makes": {
			o: with(unfit(holdSeconds*time.Second), unplaced),
			want: want{
				reason:  benchv1alpha1.ReasonUnschedulable,
				message: "0/3 nodes are available: 3 Insufficient memory.; counted by what pods ask for: 2 of 3 members fit",
			},
		},
		"the nodes were full until the deadline": {
			o: with(unfit(tooLate), unplaced),
			want: want{
				benchv1alpha1.ReasonUnschedulable, true,
				"not ready within 60 s (spec.mongodb.provisioningSeconds): pod set-mongod-0: 0/3 nodes are available",
			},
		},
		"a tolerated member was deleted": {
			o: tolerant(func(o *Observation) { o.MemberPods = o.MemberPods[:2] }),
			want: want{
				reason: benchv1alpha1.ReasonMemberRestarting, message: "pod set-mongod-2 was deleted after the target was ready",
			},
		},
		"a tolerated member was replaced, and starts": {
			o: tolerant(func(o *Observation) {
				o.MemberPods[1].CreationTimestamp = metav1.NewTime(o.Now)
				o.MemberPods[1].Status = corev1.PodStatus{Phase: corev1.PodPending}
			}),
			want: want{reason: benchv1alpha1.ReasonMemberRestarting, message: "pod set-mongod-1 was replaced"},
		},
		"a tolerated member was replaced, and is back": {
			o: tolerant(func(o *Observation) {
				o.MemberPods[1].CreationTimestamp = metav1.NewTime(o.Now)
			}),
			want: want{reason: benchv1alpha1.ReasonReady},
		},
		"a tolerated member was evicted": {
			o: tolerant(func(o *Observation) {
				o.MemberPods[1].CreationTimestamp = metav1.NewTime(o.Now)
				o.MemberPods[1].Status = corev1.PodStatus{Phase: corev1.PodFailed, Reason: "Evicted"}
			}),
			want: want{reason: benchv1alpha1.ReasonMemberRestarting, message: "pod set-mongod-1 was replaced"},
		},
		"a tolerated member finds no image when it comes back": {
			o: tolerant(func(o *Observation) {
				o.MemberPods[1].CreationTimestamp = metav1.NewTime(o.Now)
				targettest.Waiting(&o.MemberPods[1], "InvalidImageName", "no such name")
			}),
			want: want{benchv1alpha1.ReasonImagePull, true, "pod set-mongod-1"},
		},
		"a tolerated member runs out of memory": {
			o: tolerant(func(o *Observation) {
				targettest.Restarted(&o.MemberPods[0], o.Now, corev1.ContainerStateTerminated{Reason: "OOMKilled"})
			}),
			want: want{benchv1alpha1.ReasonOOMKilled, true, "raise resources.memory"},
		},
	}
}

// unplaced has made its pods, of which none has a node.
func unplaced(o *Observation) {
	for _, s := range sets(normalised(o.Target).Spec) {
		o.StatefulSets = append(o.StatefulSets, statefulSet(normalised(o.Target), s, o.Settings))
		for i := range s.Members {
			pod := targettest.MemberPod(o.Target, s.Name, i)
			targettest.Unschedulable(&pod)
			o.MemberPods = append(o.MemberPods, pod)
		}
	}
	o.TopologyPods = []corev1.Pod{targettest.TopologyPod(o.Target)}
}

// TestAutoscalersSeePodsThatWait: what makes nodes for pods that wait has to see pods.
func TestAutoscalersSeePodsThatWait(t *testing.T) {
	const held = holdSeconds * time.Second
	early := decided(unfit(held - time.Second))
	if len(early.Desired) > 0 || early.Wait == 0 || early.Wait > held {
		t.Errorf("%d objects are desired, and it is looked again after %s", len(early.Desired), early.Wait)
	}
	if later := decided(unfit(held)); len(later.Desired) == 0 {
		t.Error("the pods are held back for as long as there is no room")
	}
	empty := unfit(0)
	empty.Room = &Room{}
	if scaledToZero := decided(empty); len(scaledToZero.Desired) == 0 {
		t.Error("the pods are held back where there is no node at all")
	}
}

func TestManySetsAreNotAllNamed(t *testing.T) {
	o := observe(shardsOf(20, 1, benchv1alpha1.PlacementSpec{}))
	if got := membersMessage(normal(o)); !strings.HasSuffix(got, "shard7: 0 of 1, and 12 more sets)") {
		t.Error(got)
	}
}

func TestConnectionOfShards(t *testing.T) {
	const host = "%s-%s-%d.%s-members.bench.svc:27017"
	hosts := func(target, set string, n int) string {
		all := make([]string, n)
		for i := range all {
			all[i] = fmt.Sprintf(host, target, set, i, target)
		}
		return "mongodb://" + strings.Join(all, ",") + "/"
	}
	behind := connection(normalised(routed()))
	if got, want := *behind.URI, hosts("cluster", "mongos", 2); got != want || len(behind.ShardURIs) > 0 {
		t.Errorf("got  %s and %v\nwant %s", got, behind.ShardURIs, want)
	}
	alone := connection(normalised(shardsOf(2, 2, benchv1alpha1.PlacementSpec{})))
	want := []string{
		hosts("many", "shard0", 2) + "?replicaSet=shard0", hosts("many", "shard1", 2) + "?replicaSet=shard1",
	}
	if diff := cmp.Diff(want, alone.ShardURIs); diff != "" || alone.URI != nil {
		t.Errorf("uri %v, shards (-want +got):\n%s", alone.URI, diff)
	}
}

func TestLongestConnectionFitsTheStatus(t *testing.T) {
	target := targettest.Sharded(strings.Repeat("n", 63), strings.Repeat("x", 52))
	target.Spec.MongoDB.Sharded = &benchv1alpha1.ShardedSpec{Mongos: &benchv1alpha1.MongosSpec{Replicas: new(int32(16))}}
	if uri := *connection(normalised(target)).URI; len(uri) > 4096 {
		t.Errorf("%d characters", len(uri))
	}
	one := shardsOf(64, 7, benchv1alpha1.PlacementSpec{})
	one.Name, one.Namespace = target.Name, target.Namespace
	for _, uri := range connection(normalised(one)).ShardURIs {
		if len(uri) > 2048 {
			t.Errorf("%d characters", len(uri))
		}
	}
}

func TestTopologyPlanOfACluster(t *testing.T) {
	made, err := topologyPlan(normalised(routed()))
	if err != nil {
		t.Fatal(err)
	}
	got, err := planv1alpha1.DecodeTopology([]byte(made.Data[naming.TopologyPlanKey]))
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, 0, len(got.Sets))
	for _, s := range got.Sets {
		names = append(names, fmt.Sprintf("%s %s %d", s.Name, s.Role, len(s.Members)))
	}
	if diff := cmp.Diff([]string{"shard0 ConfigShard 3", "shard1 Shard 3"}, names); diff != "" {
		t.Errorf("sets (-want +got):\n%s", diff)
	}
	got.Sets = nil
	want := planv1alpha1.Topology{
		Version: planv1alpha1.Version, Kind: benchv1alpha1.TopologySharded, ServerVersion: "8.0.4",
		Mongos: []string{
			"cluster-mongos-0.cluster-members.bench.svc:27017", "cluster-mongos-1.cluster-members.bench.svc:27017",
		},
		Databases:          []string{"one", "other"},
		Balancer:           planv1alpha1.Balancer{Mode: benchv1alpha1.BalancerWindow, Start: "23:00", Stop: "06:00"},
		ChunkSizeMebibytes: 32, DeadlineSeconds: 60,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
}

func TestConfigServersKeepLittle(t *testing.T) {
	target := targettest.Sharded("bench", "cluster")
	target.Spec.MongoDB.Storage = targettest.Directory(corev1.StorageMediumMemory, "500Gi")
	target = normalised(target)
	for _, s := range sets(target.Spec) {
		if routes(s) {
			continue // They keep nothing.
		}
		size, medium := s.Volume.Size, s.Volume.Medium
		isConfig := s.Name == naming.ConfigSet
		isSmall, isOnDisk := size.String() == "10Gi", medium == product.MediumEmptyDir
		if isSmall != isConfig || isOnDisk != isConfig {
			t.Errorf("%s: %s on %s", s.Name, size.String(), medium)
		}
	}
}
