package mongodb

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
)

// defaultReplicaSet fills in the members of a replica set.
func defaultReplicaSet(declared *benchv1alpha1.ReplicaSetSpec) {
	product.Default(&declared.Members, benchv1alpha1.DefaultMembers)
	for i := range declared.MemberSettings {
		defaultMember(&declared.MemberSettings[i])
	}
}

func defaultMember(m *benchv1alpha1.MemberSettings) {
	visibility, votes, priority := benchv1alpha1.MemberVisible, int32(1), int32(1)
	if m.DelaySeconds != nil {
		visibility, votes = benchv1alpha1.MemberHidden, 0
	}
	product.Default(&m.Visibility, visibility)
	product.Default(&m.Votes, votes)
	if *m.Visibility == benchv1alpha1.MemberHidden || *m.Votes == 0 {
		priority = 0
	}
	product.Default(&m.Priority, priority)
}

// MemberSettings are those of a replica set as the topology Job is told them.
func MemberSettings(spec benchv1alpha1.BenchmarkTargetSpec) []planv1alpha1.MemberSettings {
	if spec.MongoDB == nil || spec.MongoDB.ReplicaSet == nil {
		return nil
	}
	var all []planv1alpha1.MemberSettings
	for _, m := range spec.MongoDB.ReplicaSet.MemberSettings {
		told := planv1alpha1.MemberSettings{
			Member: int(ptr.Deref(m.Member, 0)), Priority: int(*m.Priority), Votes: int(*m.Votes),
			Hidden: *m.Visibility == benchv1alpha1.MemberHidden, DelaySeconds: int(ptr.Deref(m.DelaySeconds, 0)),
		}
		for _, tag := range m.Tags {
			if told.Tags == nil {
				told.Tags = make(map[string]string, len(m.Tags))
			}
			told.Tags[tag.Name] = tag.Value
		}
		all = append(all, told)
	}
	return all
}

// arbiterVolume is room for an empty database with its journal: an arbiter keeps the set's configuration, and nothing
// else.
var arbiterVolume = resource.MustParse("1Gi")

// arbiterSet are the members that vote and hold no data. They are not what is measured: nothing that a target says of
// its members is for them, and what they keep may be lost with the pod, since the others give it back.
func arbiterSet(spec benchv1alpha1.BenchmarkTargetSpec) product.Set {
	made := product.Set{
		Name: naming.ArbiterSet, Role: planv1alpha1.RoleArbiter, Component: naming.ComponentArbiter, Part: "arbiters",
		Members: int(ptr.Deref(spec.MongoDB.ReplicaSet.Arbiters, 0)),
		Volume:  &product.Volume{Medium: product.MediumEmptyDir, Size: arbiterVolume.DeepCopy()},
	}
	var resources *corev1.ResourceRequirements
	product.Resources(&resources, benchv1alpha1.DefaultConfigResources)
	made.Resources = made.Volume.Resources(*resources)
	made.CacheMebibytes = mongod.CacheMebibytes(plainly(spec.Version()), *made.Resources.Limits.Memory())
	return made
}

// members refuses a replica set that cannot acknowledge a write by a majority of the members that are up to date.
func (c *check) members() {
	if c.Spec.MongoDB.ReplicaSet == nil {
		return
	}
	set, path := c.Normal.MongoDB.ReplicaSet, c.Path.Child("replicaSet")
	current, voting := 0, int(ptr.Deref(set.Arbiters, 0))
	for member := range *set.Members {
		settings := settingsOf(set, member)
		voting += int(*settings.Votes)
		if settings.DelaySeconds == nil {
			current += int(*settings.Votes)
		}
	}
	majority := voting/2 + 1
	c.Refuse(current < majority, path, voting,
		"has %d votes, of which %d are a majority, and %d members with a vote that hold data and are not delayed: "+
			"a write that a majority is to acknowledge would wait; use fewer arbiters and delayed voters, or more members",
		voting, majority, current)
	for i, member := range c.Spec.MongoDB.ReplicaSet.MemberSettings {
		c.Refuse(ptr.Deref(member.Member, 0) >= *set.Members, path.Child("memberSettings").Index(i).Child("member"),
			member.Member, "must be below members, which is %d: they are counted from 0", *set.Members)
	}
}

// settingsOf are the settings of a member, with every default.
func settingsOf(set *benchv1alpha1.ReplicaSetSpec, member int32) benchv1alpha1.MemberSettings {
	at := slices.IndexFunc(set.MemberSettings, func(m benchv1alpha1.MemberSettings) bool {
		return ptr.Deref(m.Member, 0) == member
	})
	if at >= 0 {
		return set.MemberSettings[at]
	}
	settings := benchv1alpha1.MemberSettings{Member: &member}
	defaultMember(&settings)
	return settings
}
