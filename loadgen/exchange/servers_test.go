package exchange_test

import (
	"context"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/exchange"
	"github.com/mongobench/mongobench-operator/loadgen/observe"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

func TestMain(m *testing.M) { os.Exit(mongotest.Main(m)) }

// TestAServerOnThisMachineHasTheSameClock: of every release that there is, what is measured of a server that reads the
// very same clock is no difference, within what is said.
func TestAServerOnThisMachineHasTheSameClock(t *testing.T) {
	t.Parallel()
	for _, version := range mongotest.Versions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			server := mongotest.Shared(t, version)
			target, err := mongo.Open(t.Context(), mongo.Config{URIs: []string{server.URI()}, Connections: 1})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = target.Close(context.Background()) }()
			pings, err := exchange.Servers{Find: target.Servers}.Ping(t.Context())
			if err != nil || len(pings) != 1 || pings[0].Clock == nil {
				t.Fatalf("got %+v, %v", pings, err)
			}
			clock := pings[0].Clock
			if off := max(clock.MostAheadMicros, -clock.MostAheadMicros); off > clock.UncertaintyMicros {
				t.Errorf("this machine's clock is ahead of itself by %d µs, and %d µs are said", off, clock.UncertaintyMicros)
			}
			if ping := pings[0]; ping.MinMicros <= 0 || ping.MinMicros > ping.MedianMicros {
				t.Errorf("%+v", ping)
			}
		})
	}
}

// member is a server of a role whose clock is behind by an hour.
type member struct {
	observe.Lister
	name, role string
	closed     *[]string
}

func (m member) Name() string { return m.name }
func (m member) Role() string { return m.role }
func (m member) Close()       { *m.closed = append(*m.closed, m.name) }

func (m member) List(context.Context, string) (map[string]string, error) {
	return map[string]string{"time": strconv.FormatInt(time.Now().Add(-time.Hour).UnixMicro(), 10)}, nil
}

func TestThoseAreAskedThatALoadTalksTo(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		roles []string
		want  []string
	}{
		"a replica set":     {[]string{observe.RolePrimary, observe.RoleSecondary, ""}, []string{"primary", "secondary"}},
		"a sharded cluster": {[]string{observe.RolePrimary, observe.RoleConfig, observe.RoleMongos}, []string{"mongos"}},
		"shards":            {[]string{observe.RolePrimary, observe.RolePrimary}, []string{"primary", "primary"}},
	} {
		var closed []string
		servers := exchange.Servers{Find: func(context.Context) ([]observe.Server, error) {
			all := make([]observe.Server, 0, len(tc.roles))
			for _, role := range tc.roles {
				all = append(all, member{name: role, role: role, closed: &closed})
			}
			return all, nil
		}}
		pings, err := servers.Ping(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got := make([]string, 0, len(pings))
		for _, ping := range pings {
			got = append(got, ping.Member)
			checkAnHourAhead(t, name, ping)
		}
		if slices.Sort(got); !slices.Equal(got, tc.want) || len(closed) != len(tc.roles) {
			t.Errorf("%s: asked %q, want %q; closed %q", name, got, tc.want, closed)
		}
	}
}

// checkAnHourAhead looks at the clock of a pod that asked a member, whose clock is an hour behind.
func checkAnHourAhead(t *testing.T, name string, ping reportv1.Ping) {
	t.Helper()
	if ping.Clock == nil {
		t.Fatalf("%s: %s tells no time", name, ping.Member)
	}
	ahead := time.Duration(ping.Clock.LeastAheadMicros) * time.Microsecond
	said := time.Duration(ping.Clock.UncertaintyMicros) * time.Microsecond
	if (ahead - time.Hour).Abs() > said {
		t.Errorf("%s: the clock here is ahead by %s within %s, want an hour", name, ahead, said)
	}
}
