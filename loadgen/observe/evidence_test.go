package observe

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// start begins to observe servers, keeps their diagnostic data, and returns some seconds later.
func start(t *testing.T, observer *Observer, servers ...Server) {
	t.Helper()
	observer.Log = slog.New(slog.DiscardHandler)
	observer.Servers = func(context.Context) ([]Server, error) { return servers, nil }
	observer.Start(t.Context())
	observer.Keep(time.Now())
	time.Sleep(3500 * time.Millisecond) //nolint:forbidigo // The clock is synctest's.
	synctest.Wait()
}

func TestServersThatMayNotBeAskedSaySo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refused := &scripted{name: "a:1", role: RolePrimary, answer: func(context.Context, string) (bson.D, error) {
			return nil, ErrNotAllowed
		}}
		observer := &Observer{}
		mariadb := &lister{
			started: time.Now(), asked: map[string]int{}, tell: func(float64) map[string]string { return nil },
		}
		start(t, observer, refused, mariadb)
		slow := observer.Slow(t.Context(), time.Now(), time.Now())
		if len(slow) != 2 || !strings.Contains(slow[0].Missing, "may not") || slow[1].Missing == "" {
			t.Errorf("slow %+v, want why it is not known of either", slow)
		}
		members := observer.Stop()
		if len(members) != 1 || members[0].Diagnostics == nil || members[0].Diagnostics.Missing != "it is no MongoDB" {
			t.Errorf("observed %+v, want that the one which is no MongoDB has no such data", members)
		}
	})
}

// diagnosed answers with a sample of the second that it is asked in.
func diagnosed(ctx context.Context, command string) (bson.D, error) {
	if command != "getDiagnosticData" {
		return prompt(ctx, command)
	}
	return bson.D{{Key: "data", Value: bson.D{{Key: "start", Value: time.Now()}, {Key: "n", Value: 1}}}}, nil
}

func TestTheDataOfTheServersThatHoldDataIsKeptFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		servers := make([]Server, 0, 16)
		for i, role := range []string{RoleMongos, RoleConfig, RoleConfig} {
			servers = append(servers, &scripted{name: fmt.Sprintf("%d:1", i), role: role, answer: diagnosed})
		}
		for i := range mostDiagnosed - 1 {
			servers = append(servers, &scripted{name: fmt.Sprintf("%d:2", i), role: RoleSecondary, answer: diagnosed})
		}
		observer := &Observer{}
		start(t, observer, servers...)
		var without []string
		for _, member := range observer.Stop() {
			if member.Diagnostics.Missing != "" {
				without = append(without, member.Role)
			} else if member.Diagnostics.Samples != 4 {
				t.Errorf("%s: %+v, want a sample of each second", member.Name, member.Diagnostics)
			}
		}
		if !slices.Equal(without, []string{RoleConfig, RoleConfig}) {
			t.Errorf("nothing is kept of %v, want the config servers", without)
		}
	})
}

func TestDiagnosticDataThatIsNotWantedIsNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		observer := &Observer{DiagnosticBytes: NoDiagnostics}
		start(t, observer, &scripted{name: "a:1", role: RolePrimary, answer: diagnosed})
		if members := observer.Stop(); members[0].Diagnostics != nil {
			t.Errorf("kept %+v", members[0].Diagnostics)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		observer := &Observer{}
		start(t, observer, &scripted{name: "a:1", role: RolePrimary, answer: prompt})
		if members := observer.Stop(); members[0].Diagnostics.Missing != "no such command" {
			t.Errorf("kept %+v, want that the server does not know the command", members[0].Diagnostics)
		}
	})
}
