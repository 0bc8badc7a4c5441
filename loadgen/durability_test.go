package loadgen

import (
	"testing"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

func TestConcernDurability(t *testing.T) {
	replicaSet := reportv1.Server{Topology: "ReplicaSet", Persistence: "Durable"}
	standalone := reportv1.Server{Topology: TopologyStandalone, Persistence: "Durable", Version: "5.0.4"}
	old := reportv1.Server{Topology: TopologyStandalone, Persistence: "Durable", Version: "4.4.2"}
	transient := reportv1.Server{Topology: TopologyStandalone, Persistence: PersistenceTransient}
	transientSet := reportv1.Server{Topology: "ReplicaSet", Persistence: PersistenceTransient}
	synced, unsynced := benchv1alpha1.JournalRequired, benchv1alpha1.JournalNotRequired
	tests := map[string]struct {
		concern planv1.WriteConcern
		server  reportv1.Server
		want    string
	}{
		"no acknowledgement":                 {planv1.WriteConcern{W: "0"}, replicaSet, "None"},
		"one server":                         {planv1.WriteConcern{W: "1"}, replicaSet, "Memory"},
		"one server, not from its journal":   {planv1.WriteConcern{W: "1", Journal: unsynced}, standalone, "Memory"},
		"the journal of one server":          {planv1.WriteConcern{W: "1", Journal: synced}, standalone, "Synced"},
		"the journal, of any number":         {planv1.WriteConcern{Journal: synced}, replicaSet, "Synced"},
		"a majority":                         {planv1.WriteConcern{W: "majority"}, replicaSet, "Majority"},
		"a majority of one":                  {planv1.WriteConcern{W: "majority"}, standalone, "Synced"},
		"a majority of one of earlier days":  {planv1.WriteConcern{W: "majority"}, old, "Memory"},
		"the same, from its journal":         {planv1.WriteConcern{W: "majority", Journal: synced}, old, "Synced"},
		"a majority of one, not its journal": {planv1.WriteConcern{W: "majority", Journal: unsynced}, standalone, "Memory"},
		"two members":                        {planv1.WriteConcern{W: "2"}, replicaSet, "Memory"},
		"the journal of what has no disk":    {planv1.WriteConcern{W: "1", Journal: synced}, transient, "Memory"},
		"a majority of one without a disk":   {planv1.WriteConcern{W: "majority"}, transient, "Memory"},
		"a majority of several without disk": {planv1.WriteConcern{W: "majority"}, transientSet, "Majority"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := ConcernDurability(tc.concern, tc.server); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}
