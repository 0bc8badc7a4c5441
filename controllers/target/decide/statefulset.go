package decide

import (
	"encoding/json"
	"math"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/settings"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/podspec"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/product/catalogue"
)

// statefulSet deploys the members of a set. Its pods are replaced only when they are deleted: an operator of a
// later version must not restart a member in the midst of a measurement because its template would be another one
// today.
//
// The routers are one as well, though they keep nothing: a driver that knows each of them by a name of its own, rather
// than all of them by one address, spreads its connections over them evenly, and sends what belongs to a cursor to the
// one router that has it.
func statefulSet(t *benchv1alpha1.BenchmarkTarget, s product.Set, given settings.Settings) *appsv1.StatefulSet {
	made := &appsv1.StatefulSet{
		ObjectMeta: meta(t, naming.TargetStatefulSet(t.Name, s.Name), s.Component),
		Spec: appsv1.StatefulSetSpec{
			Replicas:    new(int32(s.Members)),
			ServiceName: naming.MembersService(t.Name),
			Selector:    &metav1.LabelSelector{MatchLabels: naming.SelectSet(t.Name, s.Name, s.Component)},
			// Members need each other to become ready: no member of any set waits for another to be started.
			PodManagementPolicy: appsv1.ParallelPodManagement,
			UpdateStrategy:      appsv1.StatefulSetUpdateStrategy{Type: appsv1.OnDeleteStatefulSetStrategyType},
			PersistentVolumeClaimRetentionPolicy: &appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{
				WhenDeleted: appsv1.DeletePersistentVolumeClaimRetentionPolicyType,
				WhenScaled:  appsv1.DeletePersistentVolumeClaimRetentionPolicyType,
			},
			VolumeClaimTemplates: volumeClaims(t, s),
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{
					Labels:      naming.ForMember(t.Name, s.Name, s.Component),
					Annotations: podspec.StayAnnotations(),
				},
				Spec: memberPod(t, s, given),
			},
		},
	}
	if duet := t.Labels[naming.DuetLabel]; duet != "" {
		made.Spec.Template.Labels[naming.DuetLabel] = duet
	}
	podspec.Apply(given.Pods(t.Spec.Pods()), &made.Spec.Template, naming.SelectComponent(t.Name, s.Component))
	return made
}

// stopSeconds is more than a mongod needs to write its last checkpoint; 11 s was seen. It is less than the 30 s within
// which a run must be gone, because a mongod that has just been started, as after a lack of memory, does not hear the
// signal and is killed when the time is over. Its journal makes that harmless.
const stopSeconds = 20

// memberPod is the pod of each member of a set.
func memberPod(t *benchv1alpha1.BenchmarkTarget, s product.Set, given settings.Settings) corev1.PodSpec {
	images := given.Images()
	pod := catalogue.Of(t.Spec).Pod(product.Member{Target: t, Set: s, Images: images, IPv6: given.IPv6})
	pod.InitContainers = slices.Concat(syncContainers(s, images), pod.InitContainers)
	pod.AutomountServiceAccountToken = new(false)
	pod.EnableServiceLinks = new(false)
	pod.TerminationGracePeriodSeconds = new(int64(stopSeconds))
	pod.Affinity = beside(affinity(t, s), t.Labels[naming.DuetLabel])
	pod.TopologySpreadConstraints = spreadConstraints(t, s)
	return pod
}

// volumeClaims ask for a volume for each member. They go with the StatefulSet.
func volumeClaims(t *benchv1alpha1.BenchmarkTarget, s product.Set) []corev1.PersistentVolumeClaim {
	if s.Volume == nil || s.Volume.Medium != product.MediumPersistentVolume {
		return nil
	}
	return []corev1.PersistentVolumeClaim{{
		ObjectMeta: metav1.ObjectMeta{Name: product.DataVolume, Labels: naming.ForTarget(t.Name, s.Component)},
		Spec:       claim(*s.Volume),
	}}
}

// claim asks for a volume as the target's template does, of the size that the members of this set need.
func claim(volume product.Volume) corev1.PersistentVolumeClaimSpec {
	made := *volume.Claim.DeepCopy()
	made.Resources.Requests[corev1.ResourceStorage] = volume.Size
	return made
}

// syncContainers measure how long the volume of a member that holds data takes to bring a block to its disk, before
// the server is there: afterwards the two would be in each other's way. Durable writes depend on nothing so much.
func syncContainers(s product.Set, images product.Images) []corev1.Container {
	if !s.Measured {
		return nil
	}
	return []corev1.Container{{
		Name:            naming.SyncLatencyContainer,
		Image:           images.Loadgen,
		Args:            []string{"sync-latency", "--dir", naming.DataPath},
		Resources:       s.Resources,
		SecurityContext: podspec.ContainerSecurity(),
		VolumeMounts:    s.DataMounts(),
	}}
}

// syncLatency is what those containers said, of the slowest volume; nil where none said anything, and where the volume
// is in memory.
func syncLatency(o Observation) (p50, p99 *int64) {
	var slowest reportv1alpha1.SyncMicros
	for i := range o.MemberPods {
		for _, container := range o.MemberPods[i].Status.InitContainerStatuses {
			ended := container.State.Terminated
			if container.Name != naming.SyncLatencyContainer || ended == nil || ended.ExitCode != 0 {
				continue
			}
			var said reportv1alpha1.SyncMicros
			if json.Unmarshal([]byte(ended.Message), &said) == nil && said.P99 > slowest.P99 {
				slowest = said
			}
		}
	}
	return known(slowest.P50), known(slowest.P99)
}

// membersService gives each member of every set its name. The names are published before the members are ready: a set
// is initiated by names that every member must resolve, its own included, and a member that is busy must not lose its
// name.
func membersService(t *benchv1alpha1.BenchmarkTarget) *corev1.Service {
	all := catalogue.Of(t.Spec).Ports(t.Spec)
	served := make([]corev1.ServicePort, 0, len(all))
	for _, port := range all {
		served = append(served, corev1.ServicePort{
			Name: port.Name, Port: port.Number, TargetPort: intstr.FromInt32(port.Number), Protocol: corev1.ProtocolTCP,
		})
	}
	return &corev1.Service{
		ObjectMeta: meta(t, naming.MembersService(t.Name), dataComponent(t.Spec)),
		Spec: corev1.ServiceSpec{
			ClusterIP:                corev1.ClusterIPNone,
			PublishNotReadyAddresses: true,
			Selector:                 naming.SelectMembers(t.Name),
			Ports:                    served,
		},
	}
}

const (
	// apartFromAll and apartFromOwn are how strongly a member avoids the nodes of members alike, and of its own set.
	apartFromAll = 50
	apartFromOwn = 100
	// moreNodesThanAny is more than the nodes of any cluster.
	moreNodesThanAny = math.MaxInt32
)

// affinity asks for a node each, if there are enough: members that share a disk measure each other. Members of one
// replica set need it most; with spread Required they are given nothing else.
func affinity(t *benchv1alpha1.BenchmarkTarget, s product.Set) *corev1.Affinity {
	own := sameNode(naming.SelectSet(t.Name, s.Name, s.Component))
	var apart corev1.PodAntiAffinity
	switch alike := membersAlike(t.Spec, s); {
	case *t.Spec.Deployment().Placement.Spread == benchv1alpha1.SpreadNone || alike == 1:
		return nil
	case s.KeptApart(t.Spec):
		apart.RequiredDuringSchedulingIgnoredDuringExecution = []corev1.PodAffinityTerm{own}
	case s.Members > 1:
		apart.PreferredDuringSchedulingIgnoredDuringExecution = []corev1.WeightedPodAffinityTerm{
			{Weight: apartFromOwn, PodAffinityTerm: own},
		}
	}
	if membersAlike(t.Spec, s) > s.Members {
		all := sameNode(naming.SelectComponent(t.Name, s.Component))
		apart.PreferredDuringSchedulingIgnoredDuringExecution = append(
			apart.PreferredDuringSchedulingIgnoredDuringExecution,
			corev1.WeightedPodAffinityTerm{Weight: apartFromAll, PodAffinityTerm: all})
	}
	return &corev1.Affinity{PodAntiAffinity: &apart}
}

// besideDuet is how strongly a member wants a node with members of the other side of a duet: less than it avoids those
// of its own set.
const besideDuet = 80

// beside adds the wish for the nodes of a duet's other members: sides that are measured in turns are to differ in what
// is compared, and not in which of them shares a node with the load pod, or has the faster one.
func beside(apart *corev1.Affinity, duet string) *corev1.Affinity {
	if duet == "" {
		return apart
	}
	if apart == nil {
		apart = &corev1.Affinity{}
	}
	apart.PodAffinity = &corev1.PodAffinity{
		PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{
			{Weight: besideDuet, PodAffinityTerm: sameNode(map[string]string{naming.DuetLabel: duet})},
		},
	}
	return apart
}

func sameNode(labels map[string]string) corev1.PodAffinityTerm {
	return corev1.PodAffinityTerm{
		TopologyKey: corev1.LabelHostname, LabelSelector: &metav1.LabelSelector{MatchLabels: labels},
	}
}

// membersAlike is the number of members of the target that play the same part.
func membersAlike(spec benchv1alpha1.BenchmarkTargetSpec, s product.Set) int {
	alike := 0
	for _, other := range sets(spec) {
		if other.Component == s.Component {
			alike += other.Members
		}
	}
	return alike
}

// dealing is how the members that hold data are dealt to nodes, in the scheduler's terms: no node may hold more than
// maxSkew members above the node that holds the fewest, which counts as none while there are fewer nodes than
// minDomains. The zero value leaves it open.
type dealing struct {
	maxSkew    int
	minDomains int
}

// dealt translates membersPerNode and spread Required. A pod may have one such rule for nodes, so the two become one.
//
// A limit is a skew against nothing: with more domains asked for than there can be nodes, the fewest is always taken
// for none. Evenness is a skew of 1. Both at once is a skew of 1, and as many domains as the limit makes necessary:
// with m members on n nodes, none then holds more than m/n, rounded up.
//
// Members of one set are kept apart besides, and the scheduler takes nothing back: the last member may find that the
// only node that evenness leaves holds a sibling. So shards of several members may differ by as many as a shard has,
// and where there is a limit as well it alone is a rule; the preferences of affinity make it even.
func dealt(spec benchv1alpha1.BenchmarkTargetSpec, s product.Set) dealing {
	all, limit := membersAlike(spec, s), product.MembersPerNode(spec)
	evenly := *spec.Deployment().Placement.Spread == benchv1alpha1.SpreadRequired && all > s.Members
	switch {
	case !s.Measured || all == 1:
		return dealing{}
	case evenly && limit > 0 && s.Members == 1:
		return dealing{maxSkew: 1, minDomains: (all + limit - 1) / limit}
	case limit > 0:
		return dealing{maxSkew: limit, minDomains: moreNodesThanAny}
	case evenly:
		return dealing{maxSkew: s.Members, minDomains: 1}
	}
	return dealing{}
}

func spreadConstraints(t *benchv1alpha1.BenchmarkTarget, s product.Set) []corev1.TopologySpreadConstraint {
	rule := dealt(t.Spec, s)
	if rule.maxSkew == 0 {
		return nil
	}
	// A node that the members do not tolerate stays empty, and must not hold the others down.
	honor := corev1.NodeInclusionPolicyHonor
	return []corev1.TopologySpreadConstraint{{
		TopologyKey:        corev1.LabelHostname,
		WhenUnsatisfiable:  corev1.DoNotSchedule,
		MaxSkew:            int32(rule.maxSkew),
		MinDomains:         new(int32(rule.minDomains)),
		NodeAffinityPolicy: &honor,
		NodeTaintsPolicy:   &honor,
		LabelSelector:      &metav1.LabelSelector{MatchLabels: naming.SelectComponent(t.Name, s.Component)},
	}}
}
