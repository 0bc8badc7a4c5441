package result_test

import (
	"strings"
	"testing"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

func TestABusyServerIsToldWithTheOperationsThatScan(t *testing.T) {
	t.Parallel()
	scan := func(name string) reportv1.Explained {
		return reportv1.Explained{Operation: name, Stages: "SORT < COLLSCAN"}
	}
	byIndex := reportv1.Explained{Operation: "x", Stages: "FETCH < IXSCAN COLLSCAN_1"}
	for name, tc := range map[string]struct {
		explained []reportv1.Explained
		want      string
	}{
		"nothing that is known": {nil, "its machine"},
		"an index":              {[]reportv1.Explained{byIndex}, "its machine"},
		"a scan": {
			[]reportv1.Explained{byIndex, scan("a")}, `its machine; "a" reads a whole collection (COLLSCAN)`,
		},
		"two parts of one operation": {
			[]reportv1.Explained{scan("a"), scan("a")}, `; "a" reads a whole collection (COLLSCAN)`,
		},
		"more scans than can be listed": {
			[]reportv1.Explained{scan("a"), scan("b"), scan("c"), scan("d")},
			`; "a", "b", "c", 1 more read a whole collection (COLLSCAN)`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := busyReport(t, observed("a:1", "primary", always(map[string]int64{"cpu.user": 3900, "cpu.system": 50})...))
			report.Steps[1].Explained = tc.explained
			if first, _ := limitOf(t, report); first.By != reportv1.LimitedByCPU || !strings.HasSuffix(first.Because, tc.want) {
				t.Errorf("limited by %+v, want the CPU because of ... %s", first, tc.want)
			}
		})
	}
}

func TestHowOperationsAreCarriedOutIsOfThePodThatAsked(t *testing.T) {
	t.Parallel()
	one, two := busyReport(t), busyReport(t)
	two.Steps[1].Explained = []reportv1.Explained{{Operation: "read", Stages: "IDHACK"}}
	merged, err := result.Merge([]reportv1.Report{one, two})
	if err != nil {
		t.Fatal(err)
	}
	if explained := merged.Steps[1].Explained; len(explained) != 1 || explained[0].Stages != "IDHACK" {
		t.Errorf("explained %+v, want what one pod was told", explained)
	}
}
