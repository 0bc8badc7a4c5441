//go:build record

package mongo_test

import (
	"context"
	"flag"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/mongobench/mongobench-operator/loadgen/observe"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// recordVersion: go test -tags record -run TestRecordReplies ./loadgen/driver/mongo -record 5.0.4.
var recordVersion = flag.String("record", "6.0.5", "version of the server whose replies become test data of observe")

// TestRecordReplies is no test: it records what the observer is answered by a server of some version under load.
func TestRecordReplies(t *testing.T) {
	server := mongotest.Start(t, *recordVersion, "--replSet", "rs0", "--oplogSize", "64", "--syncdelay", "1")
	client, err := driver.Connect(options.Client().ApplyURI(server.URI()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Disconnect(context.Background()) }()
	db := client.Database("observed")
	one := bson.A{bson.D{{Key: "_id", Value: 0}, {Key: "host", Value: server.Address}}}
	initiate := bson.D{{Key: "replSetInitiate", Value: bson.D{{Key: "_id", Value: "rs0"}, {Key: "members", Value: one}}}}
	if err := client.Database("admin").RunCommand(t.Context(), initiate).Err(); err != nil {
		t.Fatal(err)
	}
	for db.Collection("things").Drop(t.Context()) != nil {
		<-time.After(100 * time.Millisecond) // There is no primary yet.
	}
	recorder := &recorder{t: t}
	target := open(t, server)
	observer := &observe.Observer{
		Database: "observed", SlowInterval: time.Second, Log: slog.New(slog.DiscardHandler),
		Servers: func(ctx context.Context) ([]observe.Server, error) {
			recorder.Commander = members(ctx, t, target)[0].(observe.Commander)
			return []observe.Server{recorder}, nil
		},
	}
	payload := strings.Repeat("x", 1000)
	observer.Start(t.Context())
	for i := 0; i < 100 || recorder.count() < 12; i++ {
		_, err := db.Collection("things").InsertOne(t.Context(), bson.D{{Key: "_id", Value: i}, {Key: "p", Value: payload}})
		if err != nil {
			t.Fatal(err)
		}
		_ = db.Collection("things").FindOne(t.Context(), bson.D{{Key: "_id", Value: i / 2}})
	}
	observer.Stop()
	path := filepath.Join("..", "..", "observe", "testdata", *recordVersion+".jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(recorder.replies[6:12], "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// recorder writes down what a server answers.
type recorder struct {
	observe.Commander

	t       *testing.T
	mutex   sync.Mutex
	replies []string
}

func (r *recorder) count() int {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return len(r.replies)
}

func (r *recorder) Role() string { return observe.RolePrimary }

func (r *recorder) Ask(ctx context.Context, database string, command bson.Raw) (bson.Raw, error) {
	reply, err := r.Commander.Ask(ctx, database, command)
	if err != nil {
		return nil, err
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	text, err := bson.MarshalExtJSON(shortened(r.t, reply), true, false)
	r.replies = append(r.replies, string(text))
	r.t.Log(len(reply), "bytes")
	return reply, err
}

// shortened leaves out counters of single commands and operators, which are half of a reply and, but for one, no
// figures.
func shortened(t *testing.T, reply bson.Raw) bson.D {
	t.Helper()
	var whole bson.D
	if err := bson.Unmarshal(reply, &whole); err != nil {
		t.Fatal(err)
	}
	for i, section := range whole {
		metrics, ok := section.Value.(bson.D)
		if section.Key == "metrics" && ok {
			metrics = slices.DeleteFunc(metrics, func(e bson.E) bool {
				return e.Key == "aggStageCounters" || e.Key == "operatorCounters"
			})
			for k, counters := range metrics {
				if commands, ok := counters.Value.(bson.D); ok && counters.Key == "commands" {
					metrics[k].Value = slices.DeleteFunc(commands, func(e bson.E) bool { return e.Key != "createIndexes" })
				}
			}
			whole[i].Value = metrics
		}
	}
	return whole
}
