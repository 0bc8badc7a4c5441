package result_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

func TestMergeTellsEachMachineOnce(t *testing.T) {
	old := reportv1alpha1.Machine{CPUModel: "old", Kernel: "6.1"}
	patched := reportv1alpha1.Machine{CPUModel: "old", Kernel: "6.2"}
	recent := reportv1alpha1.Machine{CPUModel: "recent", Kernel: "6.1"}
	seen := []reportv1alpha1.Machine{recent, old, patched, recent, old}
	reports := make([]reportv1alpha1.Report, 0, len(seen)+1)
	for _, machine := range seen {
		one := podReport(t, 1)
		one.Machines = []reportv1alpha1.Machine{machine}
		reports = append(reports, one)
	}
	merged, err := result.Merge(append(reports, podReport(t, 1)))
	if err != nil {
		t.Fatal(err)
	}
	want := []reportv1alpha1.Machine{old, patched, recent}
	if diff := cmp.Diff(want, merged.Machines); diff != "" {
		t.Errorf("machines (-want +got):\n%s", diff)
	}
}

func TestMachinesThatDifferInNodeOrSettingsAreTwo(t *testing.T) {
	seen := []reportv1alpha1.Machine{
		{Kernel: "6.1", Node: "b", Swappiness: "60"},
		{Kernel: "6.1", Node: "a", Swappiness: "60"},
		{Kernel: "6.1", Node: "a", Swappiness: "1"},
		{Kernel: "6.1", Node: "b", Swappiness: "60"},
	}
	reports := make([]reportv1alpha1.Report, 0, len(seen))
	for _, machine := range seen {
		one := podReport(t, 1)
		one.Machines = []reportv1alpha1.Machine{machine}
		reports = append(reports, one)
	}
	merged, err := result.Merge(reports)
	if err != nil {
		t.Fatal(err)
	}
	want := []reportv1alpha1.Machine{seen[2], seen[1], seen[0]}
	if diff := cmp.Diff(want, merged.Machines); diff != "" {
		t.Errorf("machines (-want +got):\n%s", diff)
	}
}

func TestSettingsOfAMachineAreALineOfWhatIsKnown(t *testing.T) {
	for want, machine := range map[string]reportv1alpha1.Machine{
		"": {CPUModel: "some", Kernel: "6.1", Node: "a"},
		"CPU governor performance, transparent huge pages madvise, swappiness 60, cgroup v2": {
			CPUGovernor: "performance", TransparentHugePages: "madvise", Swappiness: "60", CgroupVersion: 2,
		},
		"swappiness 0": {Swappiness: "0"},
	} {
		if got := result.Settings(machine); got != want {
			t.Errorf("%+v: got %q, want %q", machine, got, want)
		}
	}
}
