package sharding

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"
)

func TestShardsHaveTheOrderOfTheirIndexes(t *testing.T) {
	names := []string{"rs10", "rs9", "config", "rs1"}
	slices.SortFunc(names, ByIndex)
	if diff := cmp.Diff([]string{"config", "rs1", "rs9", "rs10"}, names); diff != "" {
		t.Error(diff)
	}
}

func TestTheMembersOfAShard(t *testing.T) {
	tests := map[string]struct {
		// hosts are what the config servers call the address of shard s0.
		hosts     string
		index     int
		wantSet   string
		wantHosts []string
		wantErr   string
	}{
		"a set has a name and sorted members": {hosts: "rs/b:2,a:1", wantSet: "rs", wantHosts: []string{"a:1", "b:2"}},
		"a server alone has neither":          {hosts: "a:1", wantErr: "shard s0 at a:1 is no replica set"},
		"another shard is not there":          {hosts: "rs/a:1", index: 1, wantErr: "there is no shard 1: the cluster has 1"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			document, err := bson.Marshal(bson.D{{Key: "_id", Value: "s0"}, {Key: "host", Value: tc.hosts}})
			if err != nil {
				t.Fatal(err)
			}
			set, hosts, err := ShardMembers([]Shard{readShard(document)}, tc.index)
			if (err == nil) != (tc.wantErr == "") || err != nil && !strings.Contains(err.Error(), tc.wantErr) {
				t.Fatalf("error %v, want %q", err, tc.wantErr)
			}
			if set != tc.wantSet || !cmp.Equal(hosts, tc.wantHosts) {
				t.Errorf("set %q of %q, want %q of %q", set, hosts, tc.wantSet, tc.wantHosts)
			}
		})
	}
}
