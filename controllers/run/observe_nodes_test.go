package run_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/loop"
	"github.com/mongobench/mongobench-operator/controllers/internal/queue"
	"github.com/mongobench/mongobench-operator/controllers/internal/settings"
	"github.com/mongobench/mongobench-operator/controllers/run"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/testing/runtest"
)

// TestFingerprintIsReadWithTheRightsThereAre reads as a user who has the rights of a case and no others.
func TestFingerprintIsReadWithTheRightsThereAre(t *testing.T) {
	t.Parallel()
	rule := func(resource, verb string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{resource}, Verbs: []string{verb}}
	}
	for name, tc := range map[string]struct {
		rules []rbacv1.PolicyRule
		want  benchv1alpha1.RunFingerprint
	}{
		"those of an installation for all namespaces": {
			[]rbacv1.PolicyRule{
				rule("configmaps", "get"), rule("nodes", "list"), rule("persistentvolumeclaims", "get"),
			},
			benchv1alpha1.RunFingerprint{
				StorageClass: "gold", NodeTypes: []string{"4 cores, 16 GiB, amd64", "m7g.large"},
				Kernels: []string{"6.1.0", "6.8.0"},
			},
		},
		"those of an installation for this namespace": {
			[]rbacv1.PolicyRule{rule("configmaps", "get"), rule("persistentvolumeclaims", "get")},
			benchv1alpha1.RunFingerprint{StorageClass: "gold"},
		},
		"those of an operator that may read neither nodes nor claims": {
			[]rbacv1.PolicyRule{rule("configmaps", "get")}, benchv1alpha1.RunFingerprint{},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t)
			p.toMeasuring()
			p.placePods()
			p.allSay(runtest.StepWrite, reportv1alpha1.ProgressDone, 100)
			p.reportAll()
			live := p.reader(tc.rules)
			for range 3 {
				p.reconcileWith(live)
			}
			p.want(benchv1alpha1.RunSucceeded, "True Completed")
			want, got := tc.want, p.run().Status.Fingerprint
			if got == nil {
				t.Fatal("the result has no fingerprint")
			}
			want.DatasetHash, want.WorkloadHash = got.DatasetHash, got.WorkloadHash
			want.ServerImages = []string{"mongo@sha256:1"}
			want.GeneratorImage, want.GeneratorVersion = "loadgen@sha256:2", "test"
			want.SharedNodes, want.StealPercent = benchv1alpha1.SharedNone, new(int32(0))
			want.CPUModels, want.KernelSettings = []string{runtest.CPUModel}, []string{"swappiness 60, cgroup v2"}
			want.Processors = new(int32(2))
			if diff := cmp.Diff(&want, got); diff != "" {
				t.Errorf("fingerprint (-want +got):\n%s", diff)
			}
			if len(got.DatasetHash) != 64 || len(got.WorkloadHash) != 64 {
				t.Errorf("hashes %q and %q", got.DatasetHash, got.WorkloadHash)
			}
		})
	}
}

// placePods plays scheduler and kubelet: two nodes, a member with a volume on the one, the load pods on the other.
func (p *play) placePods() {
	p.t.Helper()
	member := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: p.namespace, Name: "r-mongod-0",
			Labels:          naming.ForMember(p.targetName(), naming.ReplicaSet, naming.ComponentMongod),
			OwnerReferences: ofSet(),
		},
		Spec: corev1.PodSpec{
			NodeName: p.node("m7g.large", "6.1.0"),
			Containers: []corev1.Container{{
				Name: naming.MongodContainer, Image: "mongo", Resources: corev1.ResourceRequirements{
					Limits: corev1.ResourceList{
						corev1.ResourceCPU: resource.MustParse("1"), corev1.ResourceMemory: resource.MustParse("1Gi"),
					},
				},
			}},
			Volumes: []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data-r-mongod-0"},
			}}},
		},
	}
	p.must(environment.Client.Create(p.t.Context(), &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: "data-r-mongod-0"},
		Spec: corev1.PersistentVolumeClaimSpec{
			StorageClassName: new("gold"), AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources: corev1.VolumeResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
			},
		},
	}))
	p.must(environment.Client.Create(p.t.Context(), member))
	p.runs(member, naming.MongodContainer, "mongo@sha256:1")
	node := p.node("", "6.8.0")
	for i := range 2 {
		pod := p.bind(fmt.Sprintf("%s-%d", naming.LoadJob(p.name.Name), i), node)
		p.runs(pod, naming.LoadContainer, "loadgen@sha256:2")
	}
}

// bind plays the scheduler.
func (p *play) bind(name, node string) *corev1.Pod {
	p.t.Helper()
	var pod corev1.Pod
	p.get(name, &pod)
	p.must(environment.Client.SubResource("binding").Create(p.t.Context(), &pod, &corev1.Binding{
		Target: corev1.ObjectReference{Kind: "Node", Name: node},
	}))
	return &pod
}

// node makes one of 4 cores, of a type unless that is empty, and returns its name.
func (p *play) node(instanceType, kernel string) string {
	p.t.Helper()
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{GenerateName: p.namespace + "-"}}
	if instanceType != "" {
		node.Labels = map[string]string{corev1.LabelInstanceTypeStable: instanceType}
	}
	p.must(environment.Client.Create(p.t.Context(), node))
	node.Status.Capacity = corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("4"), corev1.ResourceMemory: resource.MustParse("16300Mi"),
	}
	node.Status.NodeInfo.KernelVersion, node.Status.NodeInfo.Architecture = kernel, "amd64"
	p.must(environment.Client.Status().Update(p.t.Context(), node))
	return node.Name
}

// runs says of a pod's container which image it runs.
func (p *play) runs(pod *corev1.Pod, container, image string) {
	p.t.Helper()
	p.must(environment.Client.Get(p.t.Context(), client.ObjectKeyFromObject(pod), pod))
	pod.Status.Phase = corev1.PodRunning
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: container, ImageID: image}}
	p.must(environment.Client.Status().Update(p.t.Context(), pod))
}

// reader reads as a user who has these rights and no others.
func (p *play) reader(rules []rbacv1.PolicyRule) client.Reader {
	p.t.Helper()
	user := "reader-of-" + p.namespace
	rules = append(rules, rbacv1.PolicyRule{ // The queue is told of all runs.
		APIGroups: []string{benchv1alpha1.GroupVersion.Group}, Resources: []string{"benchmarkruns"}, Verbs: []string{"list"},
	})
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: user}, Rules: rules}
	p.must(environment.Client.Create(p.t.Context(), role))
	p.must(environment.Client.Create(p.t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: user},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: user},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: user}},
	}))
	config := rest.CopyConfig(environment.Config)
	config.Impersonate = rest.ImpersonationConfig{UserName: user}
	reader, err := client.New(config, client.Options{Scheme: environment.Scheme})
	p.must(err)
	return reader
}

// reconcileWith reconciles with a reader of its own for what is not in the cache.
func (p *play) reconcileWith(live client.Reader) {
	p.t.Helper()
	reconciler := run.New(loop.Cluster{
		Client: environment.Client, Live: live, Recorder: events.NewFakeRecorder(100),
		Settings: settings.Settings{LoadgenImage: "loadgen:test", Namespaces: []string{p.namespace}},
		Now:      func() time.Time { return p.now },
	}, &queue.Queue{})
	_, err := reconciler.Reconcile(p.t.Context(), ctrl.Request{NamespacedName: p.name})
	p.must(err)
}
