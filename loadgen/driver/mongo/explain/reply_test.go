package explain

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// TestRepliesOfARouterAndOfLaterServers has the shapes of replies that no server of the other tests gives.
func TestRepliesOfARouterAndOfLaterServers(t *testing.T) {
	const byIndex = `{"stage": "FETCH", "inputStage": {
		"stage": "IXSCAN", "indexName": "n_1", "indexBounds": {"n": ["[1, 1]"]}}}`
	const took = `"executionStats": {"nReturned": 2, "totalKeysExamined": 3, "totalDocsExamined": 4}`
	for name, tc := range map[string]struct {
		reply, want string
		examined    *reportv1.Examined
	}{
		"a find on two shards": {
			`{"queryPlanner": {"winningPlan": {"stage": "SHARD_MERGE", "shards": [
				{"winningPlan": ` + byIndex + `}, {"winningPlan": ` + byIndex + `}]}},` + took + `}`,
			"SHARD_MERGE < 2 times FETCH < IXSCAN n_1", &reportv1.Examined{Keys: 3, Documents: 4, Found: 2},
		},
		"a find that was given up": {
			`{"queryPlanner": {"winningPlan": ` + byIndex + `}, "executionStats": {"executionSuccess": false,
				"errorMessage": "operation exceeded time limit", "nReturned": 2, "totalKeysExamined": 3, "totalDocsExamined": 4}}`,
			"FETCH < IXSCAN n_1", nil,
		},
		"an update on shards with different plans": {
			`{"queryPlanner": {"winningPlan": {"stage": "SHARD_WRITE", "shards": [
				{"winningPlan": {"stage": "UPDATE", "inputStage": ` + byIndex + `}},
				{"winningPlan": {"stage": "UPDATE", "inputStage": {"stage": "COLLSCAN"}}}]}},
			"executionStats": {"nReturned": 0, "totalKeysExamined": 3, "totalDocsExamined": 4, "executionStages": {
				"stage": "SHARD_WRITE", "shards": [{"executionStages": {"stage": "UPDATE", "nMatched": 5}},
				{"executionStages": {"stage": "UPDATE", "nMatched": 6}}]}}}`,
			"SHARD_WRITE < (UPDATE < COLLSCAN | UPDATE < FETCH < IXSCAN n_1)",
			&reportv1.Examined{Keys: 3, Documents: 4, Found: 11},
		},
		"an aggregation on two shards": {
			`{"shards": {
				"a": {"stages": [
					{"$cursor": {"queryPlanner": {"winningPlan": ` + byIndex + `}, ` + took + `}}, {"$group": {}}]},
				"b": {"queryPlanner": {"winningPlan": {"stage": "COLLSCAN"}}, ` + took + `}}}`,
			"SHARDS < ($group < FETCH < IXSCAN n_1 | COLLSCAN)", &reportv1.Examined{Keys: 6, Documents: 8, Found: 4},
		},
		"a query of several indexes by the engine of 5.0": {
			`{"queryPlanner": {"winningPlan": {"queryPlan": {"stage": "OR", "inputStages": [
				{"stage": "IXSCAN", "indexName": "a_1"}, {"stage": "IXSCAN", "indexName": "b_1"}]}, "slotBasedPlan": {}}}}`,
			"OR < (IXSCAN a_1 | IXSCAN b_1)", nil,
		},
		"a quick read by 8.0": {
			`{"queryPlanner": {"winningPlan": {"isCached": false, "stage": "EXPRESS_IXSCAN", "indexName": "_id_"}}}`,
			"EXPRESS_IXSCAN _id_", nil,
		},
		"an answer of something else": {`{"ok": 1}`, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			var reply bson.Raw
			if err := bson.UnmarshalExtJSON([]byte(tc.reply), false, &reply); err != nil {
				t.Fatal(err)
			}
			if got := stages(reply); got != tc.want {
				t.Errorf("stages %q, want %q", got, tc.want)
			}
			if diff := cmp.Diff(tc.examined, examined(reply)); diff != "" {
				t.Errorf("examined (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAPlanIsBounded(t *testing.T) {
	deep := bson.D{{Key: "stage", Value: "COLLSCAN"}}
	for range 100 {
		deep = bson.D{{Key: "stage", Value: strings.Repeat("ä", 40)}, {Key: "inputStage", Value: deep}}
	}
	reply, err := bson.Marshal(bson.D{{Key: "queryPlanner", Value: bson.D{{Key: "winningPlan", Value: deep}}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := stages(reply); len(got) > reportv1.MaxStagesBytes || !strings.HasSuffix(got, " …") ||
		strings.ToValidUTF8(got, "") != got {
		t.Errorf("a plan of %d bytes, %q", len(got), got)
	}
}
