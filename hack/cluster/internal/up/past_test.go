package up

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mongobench/mongobench-operator/hack/cluster/internal/plan"
)

// TestWhatIsThereIsTakenDownOnlyIfItIsToBeReplaced has state folders that killed commands left: of none of the clusters
// is a process alive.
func TestWhatIsThereIsTakenDownOnlyIfItIsToBeReplaced(t *testing.T) {
	for name, tc := range map[string]struct {
		nodes   int
		replace bool
		refuses string
		says    string
	}{
		"another size is an error":    {nodes: 2, refuses: "a cluster of 1 nodes is up, not of 2"},
		"another size is replaced":    {nodes: 2, replace: true, says: "a cluster of 1 nodes is up, not of 2"},
		"dead processes are an error": {nodes: 1, refuses: "not healthy"},
		"dead processes are replaced": {nodes: 1, replace: true, says: "not healthy"},
	} {
		t.Run(name, func(t *testing.T) {
			cluster := plan.Cluster{State: t.TempDir(), NodeCount: 1, Finished: true}
			if err := cluster.Save(); err != nil {
				t.Fatal(err)
			}
			var said []string
			done, err := settleWithPast(t.Context(), Options{
				State: cluster.State, NodeCount: tc.nodes, Replace: tc.replace,
				Say: func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) },
			})
			if done || (err != nil) != (tc.refuses != "") || err != nil && !strings.Contains(err.Error(), tc.refuses) {
				t.Errorf("done %t, error %v, want %q", done, err, tc.refuses)
			}
			if all := strings.Join(said, "\n"); !strings.Contains(all, tc.says) {
				t.Errorf("it says %q, want %q", all, tc.says)
			}
			_, err = plan.Load(cluster.State)
			if gone := errors.Is(err, plan.ErrNoCluster); gone != tc.replace {
				t.Errorf("the state folder is gone: %t, want %t (%v)", gone, tc.replace, err)
			}
		})
	}
}
