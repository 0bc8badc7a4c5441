package mongo_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/config/samples"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/loadgen/files"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// recorder writes the commands of a driver down, as docs/how-to/replay.md shows it.
type recorder struct {
	mutex   sync.Mutex
	lines   strings.Builder
	started map[int64]bson.Raw
}

func (r *recorder) monitor() *event.CommandMonitor {
	return &event.CommandMonitor{
		Started: func(_ context.Context, e *event.CommandStartedEvent) {
			r.mutex.Lock()
			defer r.mutex.Unlock()
			r.started[e.RequestID] = append(bson.Raw(nil), e.Command...)
		},
		Succeeded: func(_ context.Context, e *event.CommandSucceededEvent) {
			r.write(e.CommandFinishedEvent, "reply", e.Reply)
		},
		Failed: func(_ context.Context, e *event.CommandFailedEvent) {
			failure := bson.D{}
			if refused, ok := errors.AsType[driver.CommandError](e.Failure); ok {
				failure = bson.D{{Key: "code", Value: refused.Code}}
			}
			r.write(e.CommandFinishedEvent, "failure", failure)
		},
	}
}

func (r *recorder) write(e event.CommandFinishedEvent, answer string, content any) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	line, err := bson.MarshalExtJSON(bson.D{
		{Key: "at", Value: time.Now().Add(-e.Duration)}, {Key: "micros", Value: e.Duration.Microseconds()},
		{Key: "db", Value: e.DatabaseName}, {Key: "connection", Value: e.ConnectionID},
		{Key: "command", Value: r.started[e.RequestID]}, {Key: answer, Value: content},
	}, false, false)
	delete(r.started, e.RequestID)
	if err == nil {
		r.lines.Write(append(line, '\n'))
	}
}

// converse does what an application does in sessions: writes, reads in batches, and transactions, of which one is
// aborted and one fails.
func converse(t *testing.T, db *driver.Database) {
	t.Helper()
	ctx, orders := t.Context(), db.Collection("orders")
	set := func(value int) bson.D { return bson.D{{Key: "$set", Value: bson.D{{Key: "n", Value: value}}}} }
	inc := bson.D{{Key: "$inc", Value: bson.D{{Key: "touched", Value: 1}}}}
	for i := range 5 {
		id := bson.D{{Key: "_id", Value: i}}
		err := db.Client().UseSession(ctx, func(ctx context.Context) error {
			_, err := driver.SessionFromContext(ctx).WithTransaction(ctx, func(ctx context.Context) (any, error) {
				return nil, errors.Join(orders.FindOne(ctx, id).Err(), second(orders.UpdateOne(ctx, id, inc)),
					second(orders.InsertOne(ctx, bson.D{{Key: "_id", Value: 1000 + i}})))
			})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	aborted := errors.New("not this time")
	err := db.Client().UseSession(ctx, func(ctx context.Context) error {
		_, err := driver.SessionFromContext(ctx).WithTransaction(ctx, func(ctx context.Context) (any, error) {
			return nil, errors.Join(second(orders.UpdateOne(ctx, bson.D{{Key: "_id", Value: 7}}, inc)), aborted)
		})
		return err
	})
	if !errors.Is(err, aborted) {
		t.Fatal(err)
	}
	if _, err := orders.InsertOne(ctx, bson.D{{Key: "_id", Value: 1}}); !driver.IsDuplicateKeyError(err) {
		t.Fatal(err)
	}
	_, err = orders.InsertMany(ctx, []any{bson.D{{Key: "_id", Value: 2000}}, bson.D{{Key: "_id", Value: 2001}}})
	some := bson.D{{Key: "_id", Value: bson.D{{Key: "$gt", Value: 295}, {Key: "$lt", Value: 1000}}}}
	err = errors.Join(err, all(t, orders), second(orders.UpdateMany(ctx, some, set(9))),
		second(orders.DeleteOne(ctx, bson.D{{Key: "_id", Value: 299}})),
		orders.FindOneAndUpdate(ctx, bson.D{{Key: "_id", Value: 5}}, inc).Err())
	if err != nil {
		t.Fatal(err)
	}
}

// recorded is what three ways of recording wrote down of a conversation.
type recorded struct{ events, log, traffic string }

// record has a server and a driver record a conversation, and returns the database as it then is.
func record(t *testing.T, version string) (recorded, []bson.Raw) {
	t.Helper()
	folder := t.TempDir()
	server := mongotest.Start(t, version, "--replSet", "rs0", "--setParameter", "trafficRecordingDirectory="+folder)
	initiate(t, server)
	orders(t, database(t, server, "recorded"))
	by := &recorder{started: map[int64]bson.Raw{}}
	client, err := driver.Connect(options.Client().ApplyURI(server.URI()).SetMonitor(by.monitor()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Disconnect(context.Background()) }()
	db, admin := client.Database("recorded"), client.Database("admin")
	for _, command := range []bson.D{
		{{Key: "profile", Value: 0}, {Key: "slowms", Value: -1}},
		{{Key: "startRecordingTraffic", Value: 1}, {Key: "filename", Value: "traffic"}},
	} {
		if err := admin.RunCommand(t.Context(), command).Err(); err != nil {
			t.Fatal(err)
		}
	}
	// What took long before is in the log too.
	before := contentOf(t, server.LogFile)
	converse(t, db)
	if err := admin.RunCommand(t.Context(), bson.D{{Key: "stopRecordingTraffic", Value: 1}}).Err(); err != nil {
		t.Fatal(err)
	}
	return recorded{
		events: by.lines.String(), log: strings.TrimPrefix(contentOf(t, server.LogFile), before),
		traffic: contentOf(t, filepath.Join(folder, "traffic")),
	}, documentsOf(t, db, "orders")
}

func contentOf(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// TestReplayOfSessionsDoesTheSameAgain records a conversation in three ways and replays each into a server of another
// version: the database is the same afterwards, and so were the answers. The log has no documents of inserts, so that
// these are missing.
func TestReplayOfSessionsDoesTheSameAgain(t *testing.T) {
	recordings, want := record(t, mongotest.Newest())
	for name, tc := range map[string]struct {
		recording string
		speed     float64
		inserts   bool
	}{
		"commands of a driver":                      {recordings.events, 2, true},
		"commands of a driver, as fast as possible": {recordings.events, 0, true},
		"traffic of a server":                       {recordings.traffic, 1, true},
		"log of a server":                           {recordings.log, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			server := replicaSet(t, "4.2.6")
			again := database(t, server, "again")
			orders(t, again)
			step := replayOf(t, tc.recording, server, 4, planv1.Replay{
				Into: map[string]string{"*": "again"}, Databases: []string{"recorded"}, Writes: true, Speed: tc.speed,
			})
			got, replay := documentsOf(t, again, "orders"), *step.Replay
			want, differing := want, int64(0)
			if !tc.inserts {
				// The last batch of those that read all lacks what was not inserted.
				want, differing = without(want, 1000), 1
				checkLeftOut(t, replay, "insert: the server did not keep the documents", 7)
			}
			if diff := cmp.Diff(inJSON(want), inJSON(got)); diff != "" {
				t.Errorf("documents (-recorded +replayed):\n%s", diff)
			}
			if replay.Compared < 18 || replay.Differing() != differing || replay.WithoutCursor > 0 {
				t.Errorf("the replay is %+v, want answers compared, of which %d differ", replay, differing)
			}
			counts := map[string]int64{}
			for _, operation := range step.Operations {
				counts[operation.Name] = operation.Count
			}
			if counts["commitTransaction"] != 5 || counts["abortTransaction"] != 1 || counts["getMore orders"] < 2 {
				t.Errorf("operations %+v, want 5 commits, an abort and getMores", counts)
			}
		})
	}
}

// TestTheSampleOfAReplayIsFollowed loads its dataset and replays its recording, of which every answer is as recorded.
func TestTheSampleOfAReplayIsFollowed(t *testing.T) {
	server := replicaSet(t, mongotest.Newest())
	db := database(t, server, "samples")
	content, _ := samples.Read("replay")
	run, list, _ := strings.Cut(string(content), "\n---\n")
	var declared benchv1alpha1.BenchmarkRun
	var beside corev1.ConfigMap
	if err := errors.Join(yaml.UnmarshalStrict([]byte(run), &declared), yaml.UnmarshalStrict([]byte(list), &beside)); err != nil {
		t.Fatal(err)
	}
	declared.Spec.Dataset.Database = new(db.Name())
	plan := spec.Compile(declared.Spec)
	plan.Pods = 2
	pods := drivertest.Pods(plan, open(t, server))
	for _, pod := range pods {
		pod.Files = files.Files{ConfigMaps: map[string]map[string]string{beside.Name: beside.Data}}
	}
	reports, err := drivertest.Follow(t.Context(), pods)
	if err != nil {
		t.Fatal(err)
	}
	merged, err := result.Merge(reports)
	if err != nil {
		t.Fatal(err)
	}
	step := merged.Steps[len(merged.Steps)-1]
	lines := int64(strings.Count(strings.TrimSpace(beside.Data["commands.jsonl"]), "\n") + 1)
	replay := *step.Replay
	if replay.Operations != lines || replay.Compared != lines || replay.Differing() > 0 || replay.LeftOut != nil {
		t.Errorf("the replay is %+v, want all of %d lines sent and answered as recorded", replay, lines)
	}
	for _, operation := range step.Operations {
		if operation.Errors > 0 || operation.Count == 0 {
			t.Errorf("%s: %d succeeded, errors %+v", operation.Name, operation.Count, operation.ErrorClasses)
		}
	}
	if got := documentsOf(t, db, "orders"); len(got) != 2001 {
		t.Errorf("%d orders, want those of the dataset and one more", len(got))
	}
}

// without leaves out documents from an _id on.
func without(documents []bson.Raw, from int64) (kept []bson.Raw) {
	for _, one := range documents {
		if id, _ := one.Lookup("_id").AsInt64OK(); id < from {
			kept = append(kept, one)
		}
	}
	return kept
}

func checkLeftOut(t *testing.T, replay reportv1.Replay, what string, want int64) {
	t.Helper()
	for _, left := range replay.LeftOut {
		if left.What == what && left.Count == want {
			return
		}
	}
	t.Errorf("left out %+v, want %d times %q", replay.LeftOut, want, what)
}

func inJSON(documents []bson.Raw) []string {
	texts := make([]string, 0, len(documents))
	for _, one := range documents {
		texts = append(texts, one.String())
	}
	return texts
}
