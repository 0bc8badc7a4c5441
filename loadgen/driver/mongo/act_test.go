package mongo_test

import (
	"context"
	"strings"
	"testing"
	"time"

	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// primary is the address of the one member that is.
func (s *set) primary(t *testing.T) string {
	t.Helper()
	found := ""
	eventually(t, func() bool {
		for _, member := range s.members {
			if s.says(t, member, "ismaster") {
				found = member.Address
				return true
			}
		}
		return false
	})
	return found
}

func TestActionsOnMembers(t *testing.T) {
	t.Parallel()
	for _, version := range mongotest.Versions() {
		t.Run("mongod "+version, func(t *testing.T) {
			t.Parallel()
			checkMemberActions(t, startSet(t, version))
		})
	}
}

// checkMemberActions does to members what can be done, and sees who is primary afterwards.
func checkMemberActions(t *testing.T, s *set) {
	t.Helper()
	target := s.target(t)
	act := func(action planv1.Action) string {
		done, err := target.Act(t.Context(), "any", action)
		if err != nil {
			t.Fatalf("%s: %v", action.Type, err)
		}
		return done.Member
	}
	before := s.primary(t)
	checkFound(t, s, act)
	if host := act(planv1.Action{Type: benchv1alpha1.ActionStepDown}); host != before {
		t.Errorf("%s stepped down, and %s was primary", host, before)
	}
	after := s.primary(t)
	if after == before {
		t.Error("who stepped down is primary still")
	}
	s.awaitAll(t)
	// Longer than anything waits below.
	const freezeSeconds = 3600
	frozen := act(planv1.Action{Type: benchv1alpha1.ActionFreeze, DurationSeconds: freezeSeconds, Secondary: true})
	if frozen == after {
		t.Error("the primary was frozen in a secondary's place")
	}
	// A member that lags behind the others gets no votes, and without a primary it cannot catch up.
	s.awaitReplicated(t)
	if host := act(planv1.Action{Type: benchv1alpha1.ActionFreeze, DurationSeconds: freezeSeconds}); host != after {
		t.Errorf("%s was frozen, and %s was primary", host, after)
	}
	// Two of three are frozen: only the third is left.
	if third := s.primary(t); third == frozen || third == after {
		t.Errorf("%s became primary, and was frozen", third)
	}
}

// checkFound looks at which members the operator is asked to do something to.
func checkFound(t *testing.T, s *set, act func(planv1.Action) string) {
	t.Helper()
	primary := s.primary(t)
	for _, secondary := range []bool{false, true} {
		for _, action := range []benchv1alpha1.ActionType{benchv1alpha1.ActionDeletePod, benchv1alpha1.ActionPartition} {
			host := act(planv1.Action{Type: action, Secondary: secondary})
			if (host == primary) == secondary || s.member(host) == nil {
				t.Errorf("%s, of a secondary %t, is for %s, and %s is primary", action, secondary, host, primary)
			}
		}
	}
}

func TestActionsThatTheDeploymentCannotTake(t *testing.T) {
	for _, version := range mongotest.Versions() {
		t.Run("mongod "+version, func(t *testing.T) {
			target := open(t, mongotest.Shared(t, version))
			for name, tc := range map[string]struct {
				action planv1.Action
				want   string
			}{
				"a step down of a server that is alone": {
					planv1.Action{Type: benchv1alpha1.ActionStepDown}, "is for a member of a replica set, and server 127.0.0.1",
				},
				"a balancer without mongos": {
					planv1.Action{Type: benchv1alpha1.ActionStopBalancer}, "balancerStop is for a sharded cluster",
				},
				"a shard without mongos": {planv1.Action{Type: benchv1alpha1.ActionStepDown, Shard: 1}, "there is no shard 1"},
			} {
				t.Run(name, func(t *testing.T) {
					_, err := target.Act(t.Context(), "any", tc.action)
					if err == nil || !strings.Contains(err.Error(), tc.want) {
						t.Errorf("error %v, want one with %q", err, tc.want)
					}
				})
			}
			done, err := target.Act(t.Context(), "any", planv1.Action{Type: benchv1alpha1.ActionDeletePod})
			if err != nil || done.Member != mongotest.Shared(t, version).Address {
				t.Errorf("the pod of %s is to be deleted, error %v; want that of the server", done.Member, err)
			}
		})
	}
}

// reach connects to a server that answers.
func reach(t *testing.T, uri string) *driver.Client {
	t.Helper()
	client, err := driver.Connect(options.Client().ApplyURI(uri).SetTimeout(20 * time.Second))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(context.Background()) })
	if err := client.Ping(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return client
}

// TestPartition has a network that cuts nobody off, and then a member that no new connection gets to.
func TestPartition(t *testing.T) {
	t.Parallel()
	s := startSet(t, mongotest.Versions()[len(mongotest.Versions())-1])
	target := s.target(t)
	action := planv1.Action{Type: benchv1alpha1.ActionPartition, DurationSeconds: 2}
	member := s.primary(t)
	err := target.Partition(t.Context(), action, member, func() error { return nil })
	if err == nil || !strings.Contains(err.Error(), "does not enforce NetworkPolicies") {
		t.Errorf("a network that cuts nobody off: %v", err)
	}
	if now := s.primary(t); now != member {
		t.Errorf("%s is primary in place of %s, and nothing was cut", now, member)
	}
	action.DurationSeconds = 120
	cut := func() error {
		s.member(member).Kill()
		return nil
	}
	if err := target.Partition(t.Context(), action, member, cut); err != nil {
		t.Errorf("a member that is not reached any more: %v", err)
	}
	if now := s.primary(t); now == member {
		t.Errorf("%s is primary still", now)
	}
}
