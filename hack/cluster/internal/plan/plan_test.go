package plan_test

import (
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mongobench/mongobench-operator/hack/cluster/internal/plan"
)

func TestAddressesStayInTheBenchmarkRangeAndApart(t *testing.T) {
	benchmark := netip.MustParsePrefix("198.18.0.0/15")
	machines := netip.MustParsePrefix(plan.MachineRange)
	services := netip.MustParsePrefix(plan.ServiceRange)
	pods := netip.MustParsePrefix(plan.PodRanges)
	if machines.Overlaps(services) || machines.Overlaps(pods) || services.Overlaps(pods) {
		t.Errorf("%s, %s and %s overlap", machines, services, pods)
	}
	seen := map[string]bool{plan.ControlPlaneAddress: true}
	for _, node := range (plan.Cluster{NodeCount: plan.MaxNodes}).Nodes() {
		address, podRange := netip.MustParseAddr(node.Address()), netip.MustParsePrefix(node.PodRange())
		if !machines.Contains(address) || !benchmark.Contains(address) {
			t.Errorf("%s: address %s is outside %s", node.Name(), address, machines)
		}
		if !pods.Contains(podRange.Addr()) || podRange.Masked() != podRange {
			t.Errorf("%s: pod range %s is not a range inside %s", node.Name(), podRange, pods)
		}
		if seen[node.Address()] || seen[node.PodRange()] {
			t.Errorf("%s: shares %s or %s with another", node.Name(), address, podRange)
		}
		seen[node.Address()], seen[node.PodRange()] = true, true
	}
}

func TestFixedServicesAreInTheServiceRange(t *testing.T) {
	services := netip.MustParsePrefix(plan.ServiceRange)
	for _, address := range []string{plan.APIServiceAddress, plan.DNSAddress} {
		if !services.Contains(netip.MustParseAddr(address)) {
			t.Errorf("%s is outside %s", address, services)
		}
	}
}

func TestSavedClusterIsLoadedAgain(t *testing.T) {
	saved := plan.Cluster{State: t.TempDir(), NodeCount: 2, Port: 1234, Finished: true}
	if err := saved.Save(); err != nil {
		t.Fatalf("Save: %v", err)
	}
	loaded, err := plan.Load(saved.State)
	if err != nil {
		t.Fatalf("Load: %v", err)
	}
	if diff := cmp.Diff(saved, loaded); diff != "" {
		t.Errorf("loaded cluster differs (-saved +loaded):\n%s", diff)
	}
}

func TestEmptyFolderHoldsNoCluster(t *testing.T) {
	if _, err := plan.Load(t.TempDir()); !errors.Is(err, plan.ErrNoCluster) {
		t.Errorf("error = %v, want ErrNoCluster", err)
	}
}

func TestTooLongStateFolderIsRefusedWithTheVariableToSet(t *testing.T) {
	t.Setenv("MONGOBENCH_STATE", "/"+strings.Repeat("x", 60))
	_, err := plan.StateFolder()
	if err == nil || !strings.Contains(err.Error(), "MONGOBENCH_STATE") {
		t.Errorf("error = %v, want one that names MONGOBENCH_STATE", err)
	}
}

func TestTwoStateFoldersHaveTwoCgroups(t *testing.T) {
	if plan.CgroupName("/a") == plan.CgroupName("/b") {
		t.Error("two state folders share a cgroup: taking one down would end the other's pods")
	}
}
