package output_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/output"
)

func TestMachinesOfAKindAreOneLineWithTheirNodes(t *testing.T) {
	tuned := func(node string) reportv1.Machine {
		return reportv1.Machine{
			Node: node, CPUModel: "A", Kernel: "6.1", TransparentHugePages: "never", Swappiness: "1", CgroupVersion: 2,
		}
	}
	for name, tc := range map[string]struct {
		machines []reportv1.Machine
		want     []string
	}{
		"one that tells nothing more": {[]reportv1.Machine{{Kernel: "6.1"}}, []string{"kernel 6.1"}},
		"two kinds": {
			[]reportv1.Machine{tuned("a"), {CPUModel: "A", Kernel: "6.1", Swappiness: "60"}, tuned("b")},
			[]string{
				"A, kernel 6.1, transparent huge pages never, swappiness 1, cgroup v2, nodes a b",
				"A, kernel 6.1, swappiness 60",
			},
		},
		"one node": {
			[]reportv1.Machine{tuned("a")},
			[]string{"A, kernel 6.1, transparent huge pages never, swappiness 1, cgroup v2, node a"},
		},
		"more nodes than a line takes": {
			[]reportv1.Machine{{Node: "a"}, {Node: "b"}, {Node: "c"}, {Node: "d"}, {Node: "e"}, {Node: "f"}},
			[]string{"nodes a b c d and 2 more"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, fact := range output.Head(output.Run{Report: reportv1.Report{Machines: tc.machines}}) {
				if fact.Name == "Machine" {
					got = append(got, fact.Text)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
		})
	}
}
