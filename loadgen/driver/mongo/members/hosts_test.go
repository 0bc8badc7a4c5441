package members

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"
)

func TestTheServersOfAShardMap(t *testing.T) {
	shardMap, err := bson.Marshal(bson.D{{Key: "map", Value: bson.D{
		{Key: "config", Value: "cfg/c1:1,c2:1"},
		{Key: "cfg/c1:1,c2:1", Value: "cfg/c1:1,c2:1"},
		{Key: "s1", Value: "rs1/b:1,a:1"},
		{Key: "a:1", Value: "rs1/b:1,a:1"},
		{Key: "odd", Value: 3},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := shardHosts(shardMap), []string{"a:1", "b:1", "c1:1", "c2:1"}; !cmp.Equal(got, want) {
		t.Errorf("servers are %v, want %v", got, want)
	}
}
