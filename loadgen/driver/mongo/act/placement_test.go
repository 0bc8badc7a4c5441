package act

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// script is a server of a release that is not at hand: it has a reply, in the form that MongoDB documents, to each
// command, of several the next each time, and keeps the commands that it was sent.
type script struct {
	t       *testing.T
	replies map[string][]string
	sent    []string
}

func scripted(t *testing.T, version string, more map[string][]string) *script {
	t.Helper()
	s := &script{t: t, replies: map[string][]string{
		"isMaster":  {`{"ismaster": true, "msg": "isdbgrid"}`},
		"buildInfo": {`{"version": "` + version + `"}`},
		"listShards": {`{"shards": [
			{"_id": "shard1", "host": "shard1/b:1", "state": 1}, {"_id": "config", "host": "config/a:1", "state": 1}]}`},
	}}
	maps.Copy(s.replies, more)
	return s
}

// ask is a lookup.Ask.
func (s *script) ask(command bson.D) (bson.Raw, error) {
	s.t.Helper()
	name := command[0].Key
	replies := s.replies[name]
	if len(replies) == 0 {
		s.t.Fatalf("command %v was not expected", command)
	}
	if len(replies) > 1 {
		s.replies[name] = replies[1:]
	}
	if name != "isMaster" && name != "buildInfo" && name != "listShards" {
		s.sent = append(s.sent, text(s.t, command))
	}
	return raw(s.t, replies[0]), nil
}

func raw(t *testing.T, extended string) bson.Raw {
	t.Helper()
	var document bson.Raw
	if err := bson.UnmarshalExtJSON([]byte(extended), false, &document); err != nil {
		t.Fatal(err)
	}
	return document
}

func text(t *testing.T, command bson.D) string {
	t.Helper()
	encoded, err := bson.MarshalExtJSON(command, false, false)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

// TestDataIsPlacedByCommand is about a server of 8.0, which is not at hand.
func TestDataIsPlacedByCommand(t *testing.T) {
	done := []string{`{"ok": 1}`}
	for name, tc := range map[string]struct {
		action  planv1.Action
		replies map[string][]string
		want    []string
	}{
		"a collection that moves": {
			planv1.Action{Type: benchv1alpha1.ActionMoveCollection, Collection: "things", Shard: 1},
			map[string][]string{"moveCollection": done},
			[]string{`{"moveCollection":"db.things","toShard":"shard1"}`},
		},
		"a collection that is on one shard again": {
			planv1.Action{Type: benchv1alpha1.ActionUnshardCollection, Collection: "things"},
			map[string][]string{"unshardCollection": done},
			[]string{`{"unshardCollection":"db.things","toShard":"config"}`},
		},
		"config servers that become a shard": {
			planv1.Action{Type: benchv1alpha1.ActionTransitionFromDedicatedConfigServer},
			map[string][]string{"transitionFromDedicatedConfigServer": done},
			[]string{`{"transitionFromDedicatedConfigServer":1}`},
		},
		"a config shard that has everything moved off it": {
			planv1.Action{Type: benchv1alpha1.ActionTransitionToDedicatedConfigServer},
			map[string][]string{
				"transitionToDedicatedConfigServer": {
					`{"state": "started", "shard": "config", "dbsToMove": ["db"], "remaining": {"chunks": 2, "dbs": 1}}`,
					`{"state": "ongoing", "dbsToMove": ["db"], "collectionsToMove": ["db.plain"],
						"remaining": {"chunks": {"$numberLong": "0"}, "dbs": 1}}`,
					`{"state": "completed", "shard": "config"}`,
				},
				"moveCollection": done, "movePrimary": done,
			},
			[]string{
				`{"transitionToDedicatedConfigServer":1}`, `{"transitionToDedicatedConfigServer":1}`,
				`{"moveCollection":"db.plain","toShard":"shard1"}`, `{"movePrimary":"db","to":"shard1"}`,
				`{"transitionToDedicatedConfigServer":1}`,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := scripted(t, "8.0.4", tc.replies)
			if err := place(t.Context(), server.ask, "db", tc.action); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, server.sent); diff != "" {
				t.Errorf("sent (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPlacementsThatCannotBeAreRefused(t *testing.T) {
	move := planv1.Action{Type: benchv1alpha1.ActionMoveCollection, Collection: "things", Shard: 2}
	leave := planv1.Action{Type: benchv1alpha1.ActionTransitionToDedicatedConfigServer}
	for name, tc := range map[string]struct {
		version string
		replies map[string][]string
		action  planv1.Action
		want    string
	}{
		"a release that does not know it": {
			"7.0.9", nil, move, "MoveCollection needs MongoDB 8.0 or later, and this is 7.0",
		},
		"no mongos": {
			"8.0.4", map[string][]string{"isMaster": {`{"ismaster": true, "setName": "rs0"}`}}, move, "is no mongos",
		},
		"a shard that there is not": {"8.0.4", nil, move, "there is no shard 2: the cluster has 2"},
		"data that has nowhere to go": {
			"8.0.4", map[string][]string{
				"listShards": {`{"shards": [{"_id": "config", "host": "config/a:1", "state": 1}]}`},
				"transitionToDedicatedConfigServer": {
					`{"state": "ongoing", "dbsToMove": ["db"], "remaining": {"chunks": 0, "dbs": 1}}`,
				},
			}, leave, "nowhere to go",
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := place(t.Context(), scripted(t, tc.version, tc.replies).ask, "db", tc.action)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
}

// TestAShardKeyIsAnalysed is about a server of 7.0, which is not at hand.
func TestAShardKeyIsAnalysed(t *testing.T) {
	action := planv1.Action{
		Type: benchv1alpha1.ActionAnalyzeShardKey, Collection: "things",
		Key: []planv1.IndexKey{{Field: "customer", Order: "1"}, {Field: "n", Order: "hashed"}},
	}
	for name, tc := range map[string]struct{ version, reply, want, wantErr string }{
		"a key of few values": {
			version: "7.0.9",
			reply: `{"keyCharacteristics": {"numDocsTotal": {"$numberLong": "64000"}, "avgDocSizeBytes": 190,
				"numDocsSampled": {"$numberLong": "10000"}, "isUnique": false, "numDistinctValues": {"$numberLong": "12"},
				"mostCommonValues": [{"value": {"customer": "a"}, "frequency": {"$numberLong": "4000"}},
					{"value": {"customer": "b"}, "frequency": {"$numberLong": "300"}}],
				"monotonicity": {"recordIdCorrelationCoefficient": 0.02, "type": "not monotonic"}}}`,
			want: "12 distinct values in 10000 of 64000 documents, the most common in 4000 of them, not monotonic",
		},
		"a unique key of which the server does not say how it grows": {
			version: "8.0.4",
			reply: `{"keyCharacteristics": {"numDocsTotal": 5, "numDocsSampled": 5, "isUnique": true,
				"numDistinctValues": 5, "mostCommonValues": []}}`,
			want: "5 distinct values in 5 of 5 documents, unknown whether monotonic, unique",
		},
		"a key without an index": {version: "7.0.9", reply: `{"ok": 1}`, wantErr: "needs an index that begins with it"},
		"a release that does not know it": {
			version: "6.0.5", wantErr: "AnalyzeShardKey needs MongoDB 7.0 or later, and this is 6.0",
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := scripted(t, tc.version, map[string][]string{"analyzeShardKey": {tc.reply}})
			got, err := analyze(server.ask, "db", action)
			if got != tc.want || (tc.wantErr != "") != (err != nil) || err != nil && !strings.Contains(err.Error(), tc.wantErr) {
				t.Errorf("said %q, error %v; want %q, error %q", got, err, tc.want, tc.wantErr)
			}
			if want := `{"analyzeShardKey":"db.things","key":{"customer":1,"n":"hashed"},` +
				`"keyCharacteristics":true,"readWriteDistribution":false}`; err == nil && server.sent[0] != want {
				t.Errorf("sent %s, want %s", server.sent[0], want)
			}
		})
	}
}
