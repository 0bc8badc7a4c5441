package naming_test

import (
	"maps"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/mongobench/mongobench-operator/controllers/internal/naming"
)

// longest is the longest name that a target or run may have.
var longest = strings.Repeat("x", 51) + "1"

func TestNamesOfTheLongestOwnerAreValid(t *testing.T) {
	for name, limit := range map[string]int{
		naming.MembersService(longest):                                    validation.DNS1035LabelMaxLength,
		naming.MemberPod(longest, 6):                                      validation.DNS1123LabelMaxLength,
		naming.TopologyJob(longest):                                       validation.DNS1123LabelMaxLength,
		naming.LoadJob(longest) + "-63":                                   validation.DNS1123LabelMaxLength,
		naming.TargetStatefulSet(longest):                                 52,
		naming.TopologyPlanConfigMap(longest, []byte("plan")):             validation.DNS1123SubdomainMaxLength,
		naming.TargetStatefulSet("a-" + strings.Repeat("b", 43)):          52,
		strings.SplitN(naming.MemberHost(longest, "bench", 6), ".", 2)[0]: validation.DNS1123LabelMaxLength,
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
	if naming.TargetStatefulSet(one) == naming.TargetStatefulSet(other) {
		t.Error("two targets have the same StatefulSet")
	}
}

func TestMemberHost(t *testing.T) {
	if got, want := naming.MemberHost("t", "ns", 2), "t-mongod-2.t-members.ns.svc:27017"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestPlanIsNamedByItsContent(t *testing.T) {
	a, b := naming.PlanConfigMap("r", []byte("a")), naming.PlanConfigMap("r", []byte("b"))
	if a == b || a != naming.PlanConfigMap("r", []byte("a")) || a != "r-plan-ca978112" {
		t.Errorf("names %s and %s", a, b)
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
