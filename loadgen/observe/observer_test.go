package observe

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// scripted is a server that answers as its function says, and counts what it is asked.
type scripted struct {
	name, role string
	answer     func(ctx context.Context, command string) (bson.D, error)
	asked      map[string]int
	closed     bool
}

func (s *scripted) Name() string { return s.name }
func (s *scripted) Role() string { return s.role }
func (s *scripted) Close()       { s.closed = true }

func (s *scripted) Ask(ctx context.Context, database string, command bson.Raw) (bson.Raw, error) {
	elements, err := command.Elements()
	if err != nil {
		return nil, err
	}
	name := elements[0].Key()
	if s.asked == nil {
		s.asked = map[string]int{}
	}
	s.asked[database+"."+name]++
	reply, err := s.answer(ctx, name)
	if err != nil {
		return nil, err
	}
	return bson.Marshal(reply)
}

// status of a server that inserts 10 documents a second.
func status() bson.D {
	now := time.Since(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC))
	return bson.D{
		{Key: "uptimeMillis", Value: now.Milliseconds()},
		{Key: "localTime", Value: bson.NewDateTimeFromTime(time.Now())},
		{Key: "opcounters", Value: bson.D{{Key: "insert", Value: int64(now.Seconds() * 10)}}},
	}
}

func prompt(_ context.Context, command string) (bson.D, error) {
	switch command {
	case "serverStatus":
		return status(), nil
	case "dbStats":
		return bson.D{{Key: "objects", Value: int64(time.Since(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)).Seconds())}}, nil
	default:
		return nil, errors.New("no such command")
	}
}

// observe lets an observer look at the servers for some time.
func observe(t *testing.T, log *bytes.Buffer, duration time.Duration, servers ...*scripted) map[string]reportv1.Member {
	t.Helper()
	observer := &Observer{
		Database: "db", Limit: 3601, Log: slog.New(slog.NewTextHandler(log, nil)),
		Servers: func(context.Context) ([]Server, error) {
			all := make([]Server, len(servers))
			for i, server := range servers {
				all[i] = server
			}
			return all, nil
		},
	}
	observer.Start(t.Context())
	time.Sleep(duration) //nolint:forbidigo // The clock is synctest's.
	members := map[string]reportv1.Member{}
	for _, member := range observer.Stop() {
		members[member.Name] = member
	}
	return members
}

func valuesOf(member reportv1.Member, name string) []int64 {
	for _, series := range member.Series {
		if series.Name == name {
			return series.Values
		}
	}
	return nil
}

func TestServersAreSampledEverySecondAndSizesEveryTen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one := &scripted{name: "a:1", role: RoleStandalone, answer: prompt}
		member := observe(t, &bytes.Buffer{}, 12500*time.Millisecond, one)["a:1"]
		want := []int64{unknown, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10}
		if got := valuesOf(member, "operations.insert"); !cmp.Equal(got, want) {
			t.Errorf("rates are %d, want %d", got, want)
		}
		if got := valuesOf(member, "size.documents"); !cmp.Equal(got, []int64{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10, 10, 10}) {
			t.Errorf("sizes are %d, want 0 and after ten seconds 10", got)
		}
		if member.IntervalMillis != 1000 || member.Missed != 0 || !one.closed {
			t.Errorf("interval %d ms, missed %d, closed %t", member.IntervalMillis, member.Missed, one.closed)
		}
		if asked := map[string]int{
			"admin.serverStatus": 13, "admin.getDiagnosticData": 13, "db.dbStats": 2, "admin.buildInfo": 1, "admin.hostInfo": 1,
		}; !cmp.Equal(one.asked, asked) {
			t.Errorf("it was asked %v, want %v", one.asked, asked)
		}
	})
}

func TestEveryRoleIsAskedItsOwnQuestions(t *testing.T) {
	for role, want := range map[string]map[string]int{
		RoleStandalone: {"admin.serverStatus": 1, "db.dbStats": 1},
		RolePrimary:    {"admin.serverStatus": 1, "db.dbStats": 1, "admin.replSetGetStatus": 1},
		RoleSecondary:  {"admin.serverStatus": 1, "db.dbStats": 1, "admin.replSetGetStatus": 1},
		RoleMongos: {
			"admin.serverStatus": 1, "db.dbStats": 1, "admin.balancerStatus": 1, "config.aggregate": 2,
		},
		RoleConfig: {
			"admin.serverStatus": 1, "admin.replSetGetStatus": 1, "admin.balancerStatus": 1, "config.aggregate": 2,
		},
	} {
		for _, every := range []string{"getDiagnosticData", "buildInfo", "hostInfo"} {
			want["admin."+every] = 1
		}
		t.Run(role, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &scripted{name: "a:1", role: role, answer: prompt}
				observe(t, &bytes.Buffer{}, time.Millisecond, server)
				if !cmp.Equal(server.asked, want) {
					t.Errorf("it was asked %v, want %v", server.asked, want)
				}
			})
		})
	}
}

// silentFrom answers promptly, but from an instant on not at all for three seconds.
func silentFrom(begin time.Time) func(context.Context, string) (bson.D, error) {
	return func(ctx context.Context, command string) (bson.D, error) {
		if since := time.Since(begin); since > 0 && since < 3*time.Second {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return prompt(ctx, command)
	}
}

func TestASilentServerIsMissedAndHoldsUpNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		silent := &scripted{name: "silent:1", role: RoleStandalone, answer: silentFrom(begin.Add(2500 * time.Millisecond))}
		var log bytes.Buffer
		members := observe(t, &log, 7500*time.Millisecond, silent, &scripted{name: "a:1", answer: prompt})
		if got := valuesOf(members["a:1"], "operations.insert"); len(got) != 8 || members["a:1"].Missed != 0 {
			t.Errorf("the other has %d samples and %d missed, want 8 and 0", len(got), members["a:1"].Missed)
		}
		// Those of seconds 3, 4 and 5 are missed; the one of second 6 tells of all the time since 2.
		want := []int64{unknown, 10, 10, unknown, unknown, unknown, 10, 10}
		if got := valuesOf(members["silent:1"], "operations.insert"); !cmp.Equal(got, want) {
			t.Errorf("rates are %d, want %d", got, want)
		}
		if members["silent:1"].Missed != 3 {
			t.Errorf("%d samples were missed, want 3", members["silent:1"].Missed)
		}
		for _, once := range []string{"did not answer", "answers the observer again"} {
			if strings.Count(log.String(), once) != 1 {
				t.Errorf("it said %q, want %q once", log.String(), once)
			}
		}
	})
}

func TestAServerThatMayNotBeAskedIsLeftOutAndSaidOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refusing := &scripted{name: "no:1", answer: func(context.Context, string) (bson.D, error) {
			return nil, ErrNotAllowed
		}}
		var log bytes.Buffer
		members := observe(t, &log, 10*time.Second, refusing, &scripted{name: "a:1", answer: prompt})
		if _, reported := members["no:1"]; reported || len(members) != 1 {
			t.Errorf("observed %v, want the other alone", members)
		}
		if refusing.asked["admin.serverStatus"] != 1 || strings.Count(log.String(), "clusterMonitor") != 1 {
			t.Errorf("asked %v, said %q; want both once", refusing.asked, log.String())
		}
	})
}

func TestAnObservationEndsWithTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var log bytes.Buffer
		observer := &Observer{Log: slog.New(slog.NewTextHandler(&log, nil)), Servers: func(
			ctx context.Context,
		) ([]Server, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}}
		observer.Start(ctx)
		cancel()
		if members := observer.Stop(); len(members) != 0 || log.Len() != 0 {
			t.Errorf("observed %v, said %q; want nothing", members, log.String())
		}
	})
}

func TestServersThatCannotBeFoundEndNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		observer := &Observer{Log: slog.New(slog.NewTextHandler(&log, nil)), Servers: func(
			context.Context,
		) ([]Server, error) {
			return nil, errors.New("no server there")
		}}
		observer.Start(t.Context())
		synctest.Wait()
		if members := observer.Stop(); len(members) != 0 || !strings.Contains(log.String(), "no server there") {
			t.Errorf("observed %v, said %q; want the cause", members, log.String())
		}
	})
}
