package topology

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/event"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// buildKilledAt builds until the k-th command, and says whether it came to its end before. With replied it ends once
// the server has carried that command out, and else when it is on its way.
func buildKilledAt(ctx context.Context, wanted planv1.Topology, k int, replied bool) (done bool, err error) {
	ctx, kill := context.WithCancel(ctx)
	defer kill()
	counted := make(chan int, 1)
	counted <- 0
	count := func() {
		n := <-counted + 1
		if n == k {
			kill()
		}
		counted <- n
	}
	b := &builder{topology: wanted, secrets: secrets(), monitor: &event.CommandMonitor{}}
	if replied {
		b.monitor.Succeeded = func(context.Context, *event.CommandSucceededEvent) { count() }
		b.monitor.Failed = func(context.Context, *event.CommandFailedEvent) { count() }
	} else {
		b.monitor.Started = func(context.Context, *event.CommandStartedEvent) { count() }
	}
	_, err = b.build(ctx)
	if ctx.Err() != nil {
		return false, nil
	}
	return err == nil, err
}

func checkState(ctx context.Context, t *testing.T, wanted planv1.Topology) {
	t.Helper()
	if diff := cmp.Diff(wantState(wanted), stateOf(ctx, t, wanted)); diff != "" {
		t.Errorf("the cluster (-want +got):\n%s", diff)
	}
}

// TestAJobThatIsKilledAtEveryCommand is killed at the first command, started again and killed at the second, and so on,
// until nothing is left to be killed at.
func TestAJobThatIsKilledAtEveryCommand(t *testing.T) {
	t.Parallel()
	ctx := deadline(t, 8*time.Minute)
	wanted, _ := startCluster(t, mongotest.Newest(), 2)
	kills := 0
	for done := false; !done; kills++ {
		ended, err := buildKilledAt(ctx, wanted, kills+1, kills%2 == 0)
		if err != nil {
			t.Fatalf("the start after %d kills: %v", kills, err)
		}
		done = ended
	}
	if kills < 50 {
		t.Errorf("it was killed %d times; it sends more commands than that", kills-1)
	}
	checkState(ctx, t, wanted)
}

// TestAJobThatIsKilledOnceAtAnyCommand kills the first start of a fresh cluster, where most is under way.
func TestAJobThatIsKilledOnceAtAnyCommand(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(4, 2026))
	for i, version := range []string{"4.4.2", "6.0.5", "6.0.5"} {
		k, replied := 5+random.IntN(70), random.IntN(2) == 0
		t.Run(fmt.Sprintf("%s, %d", version, i), func(t *testing.T) {
			t.Parallel()
			ctx := deadline(t, 4*time.Minute)
			wanted, _ := startCluster(t, version, 2)
			done, err := buildKilledAt(ctx, wanted, k, replied)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Build(ctx, wanted, secrets()); err != nil {
				t.Fatalf("after a kill at command %d (its end: %t, no kill: %t): %v", k, replied, done, err)
			}
			checkState(ctx, t, wanted)
		})
	}
}
