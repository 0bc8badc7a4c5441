package naming_test

import (
	"maps"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// longest is the longest name that a target or run may have.
var longest = strings.Repeat("x", 51) + "1"

func TestNamesOfTheLongestOwnerAreValid(t *testing.T) {
	const label = validation.DNS1123LabelMaxLength
	for name, limit := range map[string]int{
		naming.MembersService(longest):                                                       label,
		naming.MemberPod(longest, naming.ShardSet(63), 6):                                    label,
		naming.TopologyJob(longest):                                                          label,
		naming.LoadJob(longest) + "-63":                                                      label,
		naming.TargetStatefulSet(longest, naming.MongosSet):                                  52,
		naming.TargetStatefulSet("a-"+strings.Repeat("b", 43), naming.ReplicaSet):            52,
		strings.SplitN(naming.MemberHost(longest, "bench", naming.ReplicaSet, 6), ".", 2)[0]: label,
		naming.TopologyPlanConfigMap(longest, []byte("plan")):                                253,
	} {
		if len(name) > limit {
			t.Errorf("%s has %d characters, more than %d", name, len(name), limit)
		}
		if errs := validation.IsDNS1123Subdomain(name); len(errs) > 0 {
			t.Errorf("%s: %v", name, errs)
		}
	}
}

func TestLongNamesStayApart(t *testing.T) {
	one, other := strings.Repeat("x", 51)+"1", strings.Repeat("x", 51)+"2"
	if naming.TargetStatefulSet(one, naming.ReplicaSet) == naming.TargetStatefulSet(other, naming.ReplicaSet) {
		t.Error("two targets have the same StatefulSet")
	}
}

func TestMemberHost(t *testing.T) {
	if got, want := naming.MemberHost("t", "ns", naming.ReplicaSet, 2), "t-mongod-2.t-members.ns.svc:27017"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestPlanIsNamedByItsContent(t *testing.T) {
	named := func(content string) string { return naming.PlanConfigMap("r", planv1.Hash([]byte(content))) }
	if a, b := named("a"), named("b"); a == b || a != named("a") || a != "r-plan-ca978112" {
		t.Errorf("names %s and %s", a, b)
	}
	if got := naming.PlanConfigMap("r", ""); got != "r-plan-" {
		t.Errorf("a plan that has no hash yet is in %s", got)
	}
}

func TestLabelsAreNotShared(t *testing.T) {
	first := naming.ForTarget("t", naming.ComponentMongod)
	first["mine"] = "yes"
	if second := naming.ForTarget("t", naming.ComponentMongod); len(second) != 4 || maps.Equal(first, second) {
		t.Errorf("labels %v", second)
	}
	selector := naming.SelectComponent("t", naming.ComponentMongod)
	for key, value := range selector {
		if first[key] != value {
			t.Errorf("the selector's %s=%s is no label", key, value)
		}
	}
}

func TestMembersOfAllSetsAreFoundAndNothingElse(t *testing.T) {
	selects := func(selector, labels map[string]string) bool {
		for key, value := range selector {
			if labels[key] != value {
				return false
			}
		}
		return true
	}
	shard := naming.ForMember("t", naming.ShardSet(1), naming.ComponentMongod)
	for name, tc := range map[string]struct {
		labels          map[string]string
		member, inShard bool
	}{
		"a member of the shard": {shard, true, true},
		"one of another shard":  {naming.ForMember("t", naming.ShardSet(0), naming.ComponentMongod), true, false},
		"a router":              {naming.ForMember("t", naming.MongosSet, naming.ComponentMongos), true, false},
		"another target's":      {naming.ForMember("u", naming.ShardSet(1), naming.ComponentMongod), false, false},
		"the topology Job's":    {naming.ForTarget("t", naming.ComponentTopology), false, false},
		"a load pod":            {naming.ForRun("t", naming.ComponentLoad), false, false},
	} {
		if got := selects(naming.SelectMembers("t"), tc.labels); got != tc.member {
			t.Errorf("%s is selected as a member: %t", name, got)
		}
		set := naming.SelectSet("t", naming.ShardSet(1), naming.ComponentMongod)
		if got := selects(set, tc.labels); got != tc.inShard {
			t.Errorf("%s is selected as one of the shard: %t", name, got)
		}
	}
}
