package mongo_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
	"github.com/mongobench/mongobench-operator/loadgen/files"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// profile does operations under the profiler and exports what it kept.
func profile(t *testing.T, db *driver.Database, canonical bool) string {
	t.Helper()
	if err := db.RunCommand(t.Context(), bson.D{{Key: "profile", Value: 2}}).Err(); err != nil {
		t.Fatal(err)
	}
	orders := db.Collection("orders")
	for i := range 7 {
		for _, err := range []error{
			orders.FindOne(t.Context(), bson.D{{Key: "_id", Value: i}}).Err(),
			all(t, orders),
			db.RunCommand(t.Context(), bson.D{{Key: "count", Value: "orders"}}).Err(),
			second(orders.UpdateOne(t.Context(), bson.D{{Key: "_id", Value: i}},
				bson.D{{Key: "$inc", Value: bson.D{{Key: "touched", Value: 1}}}})),
			second(orders.DeleteOne(t.Context(), bson.D{{Key: "_id", Value: 100 + i}})),
			orders.FindOneAndUpdate(t.Context(), bson.D{{Key: "_id", Value: i}},
				bson.D{{Key: "$inc", Value: bson.D{{Key: "touched", Value: 1}}}}).Err(),
			second(orders.InsertOne(t.Context(), bson.D{{Key: "_id", Value: 1000 + i}})),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := db.RunCommand(t.Context(), bson.D{{Key: "profile", Value: 0}}).Err(); err != nil {
		t.Fatal(err)
	}
	return export(t, db, canonical)
}

// second is the error of a call that returns something else too.
func second[T any](_ T, err error) error {
	return err
}

// all reads a collection in batches of a hundred.
func all(t *testing.T, collection *driver.Collection) error {
	t.Helper()
	cursor, err := collection.Find(t.Context(), bson.D{}, options.Find().SetBatchSize(100))
	if err != nil {
		return err
	}
	var documents []bson.Raw
	return cursor.All(t.Context(), &documents)
}

// export is the profile as mongoexport writes it.
func export(t *testing.T, db *driver.Database, canonical bool) string {
	t.Helper()
	lines := &strings.Builder{}
	for _, document := range documentsOf(t, db, "system.profile") {
		line, err := bson.MarshalExtJSON(document, canonical, false)
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
	}
	return lines.String()
}

// three hundred documents are what is recorded on, and what is replayed on.
func orders(t *testing.T, db *driver.Database) {
	t.Helper()
	documents := make([]any, 300)
	for i := range documents {
		documents[i] = bson.D{{Key: "_id", Value: i}, {Key: "n", Value: i % 3}}
	}
	if _, err := db.Collection("orders").InsertMany(t.Context(), documents); err != nil {
		t.Fatal(err)
	}
}

// replayCase is a way to replay what profile does, and what then happens how often.
type replayCase struct {
	from, to  string
	canonical bool
	replay    planv1.Replay
	threads   int
	want      map[string]int64
}

func replayCases() map[string]replayCase {
	versions := mongotest.Versions()
	to := map[string]string{"recorded": "again"}
	return map[string]replayCase{
		"reads, four times as fast": {
			versions[0], versions[1], false,
			planv1.Replay{Into: to, Speed: 4},
			8,
			map[string]int64{"find orders": 14, "getMore orders": 21, "count orders": 7},
		},
		"writes too, as fast as possible": {
			versions[1], versions[0], true,
			planv1.Replay{Into: to, Writes: true},
			1,
			map[string]int64{
				"find orders": 14, "getMore orders": 15, "count orders": 7, "update orders": 7, "delete orders": 7,
				"findAndModify orders": 7,
			},
		},
	}
}

func TestReplayOfAProfileDoesTheSameAgain(t *testing.T) {
	for name, tc := range replayCases() {
		t.Run(name, func(t *testing.T) {
			recorded := database(t, mongotest.Shared(t, tc.from), "recorded")
			orders(t, recorded)
			recording := profile(t, recorded, tc.canonical)
			server := mongotest.Shared(t, tc.to)
			again := database(t, server, "again")
			orders(t, again)
			step := replayOf(t, recording, server, tc.threads, tc.replay)
			if diff := cmp.Diff(tc.want, replayed(t, step)); diff != "" {
				t.Errorf("operations (-want +got):\n%s", diff)
			}
			if tc.replay.Speed > 0 {
				checkTimes(t, step, tc.replay.Speed)
			}
			compareReplayed(t, recorded, again, tc.replay.Writes)
		})
	}
}

// replayOf replays a recording into a server.
func replayOf(
	t *testing.T, recording string, into *mongotest.Server, threads int, replay planv1.Replay,
) reportv1.Step {
	t.Helper()
	replay.Recording = planv1.File{ConfigMap: "c", Path: "recording"}
	run := &engine.Engine{
		Plan: planv1.Plan{Version: planv1.Version, Pods: 1, Steps: []planv1.Step{{
			Name: "replay", Kind: planv1.StepMeasure, Threads: threads, Replay: &replay,
		}}},
		Files:  files.Files{ConfigMaps: map[string]map[string]string{"c": {"recording": recording}}},
		Target: open(t, into), Reporter: &drivertest.Reporter{}, Version: "test", Log: slog.New(slog.DiscardHandler),
	}
	report, err := run.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return report.Steps[0]
}

// checkTimes compares how long a replay took with how long the recorded operations did.
func checkTimes(t *testing.T, step reportv1.Step, speed float64) {
	t.Helper()
	if step.Arrivals == nil || step.Arrivals.Due != step.Replay.Operations {
		t.Errorf("the arrivals are %+v, want %d that were due", step.Arrivals, step.Replay.Operations)
	}
	length := time.Duration(step.Replay.LengthMicros) * time.Microsecond
	if took := step.End.Sub(step.MeasureStart); took < time.Duration(float64(length)/speed) {
		t.Errorf("it took %s for %s at %g times the speed", took, length, speed)
	}
}

// replayed are the counts of the operations of a replay, of which none may have failed.
func replayed(t *testing.T, step reportv1.Step) map[string]int64 {
	t.Helper()
	counts := map[string]int64{}
	for _, operation := range step.Operations {
		if operation.Errors > 0 || operation.ServiceTime == "" {
			t.Errorf("operation %q: errors %+v, times %q", operation.Name, operation.ErrorClasses, operation.ServiceTime)
		}
		counts[operation.Name] = operation.Count
	}
	return counts
}

// compareReplayed looks at what the writes left: the same as when they were recorded, but for the inserts.
func compareReplayed(t *testing.T, recorded, again *driver.Database, written bool) {
	t.Helper()
	count := func(db *driver.Database, filter bson.D) int64 {
		found, err := db.Collection("orders").CountDocuments(t.Context(), filter)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	twice := bson.D{{Key: "touched", Value: 2}}
	loaded := bson.D{{Key: "_id", Value: bson.D{{Key: "$lt", Value: 1000}}}}
	if !written {
		if touched, left := count(again, twice), count(again, loaded); touched != 0 || left != 300 {
			t.Errorf("unexpected writes were sent: %d documents changed, %d left", touched, left)
		}
		return
	}
	for _, filter := range []bson.D{twice, loaded} {
		if want, got := count(recorded, filter), count(again, filter); got != want {
			t.Errorf("%d documents match %v, want %d", got, filter, want)
		}
	}
}
