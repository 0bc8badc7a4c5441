package honesty

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
)

// watched is how many changes are waited for, and apart how far these are from one another.
const (
	watched = 8
	apart   = 500 * time.Millisecond
)

// TestChangeStreams: a reader that waits for changes which are far apart is not a slow server.
func TestChangeStreams(t *testing.T) {
	Check(t, Scenario{
		Item: "A20.3", Name: "a change stream of rare changes",
		Truth: "a change stream of the test's own has each change well before the next is made", Run: rareChanges,
	})
}

func rareChanges(t *testing.T) Told {
	t.Helper()
	server := aSet(t)
	looking, err := driver.Connect(options.Client().ApplyURI(server.URI()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = looking.Disconnect(context.Background()) }()
	things := looking.Database("changes").Collection("things")
	target, err := mongo.Open(t.Context(), mongo.Config{URIs: []string{server.URI()}, Connections: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = target.Close(context.Background()) }()
	stream, err := things.Watch(t.Context(), driver.Pipeline{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stream.Close(context.Background()) }()

	ctx, cancel := context.WithCancel(t.Context())
	delays := make(chan []time.Duration, 1)
	go func() { delays <- makeChanges(ctx, things, stream) }()
	report, doubts := follow(t, planv1.Plan{
		Version: planv1.Version, Seed: 7, Pods: 1, Database: things.Database().Name(),
		Collections: []planv1.Collection{{Name: things.Name(), DocumentCount: 1}},
		Steps: []planv1.Step{{
			Name: "watch", Kind: planv1.StepMeasure, Threads: 1, OperationCount: watched,
			Operations: []planv1.Operation{{
				Name: "change", Weight: 1, Request: planv1.Request{Kind: "ChangeStream", Collection: things.Name()},
				WholeSettings: planv1.WholeSettings{MaxAwaitMillis: 60_000},
			}},
		}},
	}, target)
	cancel()
	summary, err := result.Summarise(report)
	if err != nil {
		t.Fatal(err)
	}
	seen := <-delays
	if len(seen) == 0 {
		t.Fatal("the stream of the test's own saw no change")
	}
	slices.Sort(seen)
	reported := time.Duration(summary.Steps[0].Operations[0].P50Micros) * time.Microsecond
	return Told{
		Reported: fmt.Sprintf("a median of %s, of changes that are %s apart and known after %s", reported, apart,
			seen[len(seen)/2].Round(time.Millisecond)),
		Wrong: reported > apart/2, Doubts: doubts,
		// A machine so slow that changes come that late tells nothing.
		Near: seen[len(seen)-1] > apart/4,
	}
}

// makeChanges inserts documents until the context ends, and returns how long after it was sent each was known.
func makeChanges(ctx context.Context, things *driver.Collection, stream *driver.ChangeStream) []time.Duration {
	var delays []time.Duration
	for next := time.NewTicker(apart); ; {
		select {
		case <-ctx.Done():
			return delays
		case <-next.C:
		}
		begin := time.Now()
		if _, err := things.InsertOne(ctx, bson.D{{Key: "n", Value: 1}}); err != nil || !stream.Next(ctx) {
			return delays
		}
		delays = append(delays, time.Since(begin))
	}
}
