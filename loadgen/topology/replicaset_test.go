package topology

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
)

func TestStablePrimary(t *testing.T) {
	tests := map[string]struct {
		states   map[string]int
		arbiters []string
		settings []planv1.MemberSettings
		want     string
		wantErr  string
	}{
		"one primary and secondaries are stable": {
			states: map[string]int{"a:1": statePrimary, "b:1": stateSecondary}, want: "a:1",
		},
		"a member that still copies is not stable": {
			states: map[string]int{"a:1": statePrimary, "b:1": 5}, wantErr: "no stable primary yet among 2 members",
		},
		"secondaries alone are not stable": {
			states: map[string]int{"a:1": stateSecondary, "b:1": stateSecondary}, wantErr: "no stable primary",
		},
		"a member that is missing from the set is not stable": {
			states: map[string]int{"a:1": statePrimary}, wantErr: "no stable primary",
		},
		"a primary with the highest priority is stable": {
			states:   map[string]int{"a:1": stateSecondary, "b:1": statePrimary},
			settings: []planv1.MemberSettings{{Member: 1, Priority: 2, Votes: 1}}, want: "b:1",
		},
		"a primary that another one takes over from is not stable": {
			states:   map[string]int{"a:1": statePrimary, "b:1": stateSecondary},
			settings: []planv1.MemberSettings{{Member: 1, Priority: 2, Votes: 1}}, wantErr: "no stable primary",
		},
		"an arbiter is stable as what it is": {
			states: map[string]int{"a:1": stateSecondary, "b:1": statePrimary, "c:1": stateArbiter}, arbiters: []string{"c:1"},
			want: "b:1",
		},
		"an arbiter that has not heard of the set is not stable": {
			states: map[string]int{"a:1": statePrimary, "b:1": stateSecondary, "c:1": 0}, arbiters: []string{"c:1"},
			wantErr: "no stable primary yet among 3 members",
		},
		"a member that became an arbiter is none that was declared": {
			states: map[string]int{"a:1": statePrimary, "b:1": stateArbiter}, wantErr: "no stable primary",
		},
	}
	all := members{{host: "a:1", client: &mongo.Client{}}, {host: "b:1", client: &mongo.Client{}}}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			set := planv1.ReplicaSet{Arbiters: tc.arbiters, Settings: tc.settings}
			got, err := stablePrimary(statusOf(t, tc.states), set, all)
			if got.host != tc.want {
				t.Errorf("primary %q, want %q", got.host, tc.want)
			}
			if (tc.wantErr == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tc.wantErr) {
				t.Errorf("error %v, want one with %q", err, tc.wantErr)
			}
		})
	}
}

// statusOf is what a server would reply about members in these states.
func statusOf(t *testing.T, states map[string]int) status {
	t.Helper()
	reply := make(bson.A, 0, len(states))
	for host, state := range states {
		reply = append(reply, bson.M{"name": host, "state": state, "stateStr": "X"})
	}
	encoded, err := bson.Marshal(bson.M{"members": reply})
	if err != nil {
		t.Fatal(err)
	}
	var s status
	if err := bson.Unmarshal(encoded, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestMeasuringSettings(t *testing.T) {
	config := func(version any, s bson.D) bson.Raw {
		encoded, err := bson.Marshal(bson.M{"config": bson.D{
			{Key: "_id", Value: "rs0"}, {Key: "version", Value: version}, {Key: "settings", Value: s},
		}})
		if err != nil {
			t.Fatal(err)
		}
		return encoded
	}
	election := func(timeout, heartbeat int32) bson.D {
		return bson.D{
			{Key: "electionTimeoutMillis", Value: timeout}, {Key: "heartbeatIntervalMillis", Value: heartbeat},
		}
	}
	fast, slow := election(500, 100), election(10000, 2000)

	got, done, err := withMeasuringSettings(config(int32(1), fast))
	want := bson.D{{Key: "_id", Value: "rs0"}, {Key: "version", Value: int64(2)}, {Key: "settings", Value: slow}}
	if err != nil || done {
		t.Fatalf("done %v, error %v, want another configuration", done, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("configuration (-want +got):\n%s", diff)
	}
	if _, done, err := withMeasuringSettings(config(int64(7), slow)); err != nil || !done {
		t.Errorf("done %v, error %v, want nothing to do", done, err)
	}
	if _, _, err := withMeasuringSettings(config("x", fast)); err == nil {
		t.Error("no error for a version that is no integer")
	}
}
