package legacy_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/legacy"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/observe"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// plan loads a collection, compares every document, and measures a mix.
func plan(database string) planv1.Plan {
	byKey := []planv1.Parameter{{Name: "id", Value: planv1.Value{
		Type: planv1.TypeKey, KeyField: "_id", KeyRangePercent: 100,
	}}}
	operation := func(name string, kind benchv1alpha1.OperationKind) planv1.Operation {
		return planv1.Operation{Name: name, Weight: 1, Request: planv1.Request{Kind: kind, Collection: collection}}
	}
	read, update, insert, silent, list := operation("read", "FindOne"), operation("update", "UpdateOne"),
		operation("insert", "InsertOne"), operation("silent", "InsertOne"), operation("list", "Find")
	read.Parameters, read.Filter = byKey, `{"_id": {"$param": "id"}}`
	update.Parameters, update.Filter, update.Update = byKey, read.Filter, `{"$set": {"seen": true}}`
	silent.WriteConcern = &planv1.WriteConcern{W: "0"}
	list.Filter, list.BatchSize, list.Limit = `{"n": {"$lt": 300}}`, 100, 250
	return planv1.Plan{
		Version: planv1.Version, Seed: 3, Pods: 1, Client: benchv1alpha1.ClientWire, Database: database,
		Collections: []planv1.Collection{{
			Name: collection, DocumentCount: 3000,
			Fields: []planv1.Field{
				{Name: "_id", Value: planv1.Value{Type: benchv1alpha1.GeneratorObjectID}},
				{Name: "n", Value: planv1.Value{Type: benchv1alpha1.GeneratorSequence, Step: 1}},
				{Name: "text", Value: planv1.Value{Type: benchv1alpha1.GeneratorString, Seed: 1, Min: 500, Max: 900}},
			},
			Indexes: []planv1.Index{{Keys: []planv1.IndexKey{{Field: "n", Order: "1"}}, Unique: true}},
		}},
		Steps: []planv1.Step{
			{Name: "prepare", Kind: planv1.StepPrepare},
			{Name: "load", Kind: planv1.StepLoad, Threads: 2, BatchDocuments: 700},
			{Name: "verify", Kind: planv1.StepVerify, Check: benchv1alpha1.VerifyAll},
			{
				Name: "mix", Kind: planv1.StepMeasure, Threads: 2, OperationCount: 500,
				Operations: []planv1.Operation{read, update, insert, silent, list},
			},
		},
	}
}

func TestAPlanIsFollowed(t *testing.T) {
	eachForm(t, func(t *testing.T, server *mongotest.Server, form int) {
		t.Helper()
		right := modern(t, server)
		before := deprecated(t, right)
		target := open(t, server, form)
		reports, err := drivertest.Run(t.Context(), plan("plan"), target)
		if err != nil {
			t.Fatal(err)
		}
		mix := reports[0].Steps[3]
		inserted := succeeded(t, mix)
		if mix.Client != target.Driver() || !strings.HasPrefix(mix.Client, "legacy wire") {
			t.Errorf("sent by %q", mix.Client)
		}
		if found, err := right.Count(t.Context(), "plan", collection); err != nil || found != 3000+inserted {
			t.Errorf("%d documents and error %v, want the 3000 that were loaded and %d", found, err, inserted)
		}
		checkDeprecated(t, server.Version, form, before, deprecated(t, right))
	})
}

// succeeded wants every operation of a step to be without errors, and returns how many documents it inserted.
func succeeded(t *testing.T, step reportv1.Step) (inserted int64) {
	t.Helper()
	for _, operation := range step.Operations {
		if operation.Errors > 0 || operation.Count == 0 {
			t.Errorf("%s: %d of %d failed: %+v", operation.Name, operation.Errors, operation.Count, operation.ErrorClasses)
		}
		if operation.Kind == "InsertOne" {
			inserted += operation.Count
		}
	}
	return inserted
}

// deprecated is what a server counted of requests by the opcodes of old.
func deprecated(t *testing.T, target *mongo.Target) bson.Raw {
	t.Helper()
	members, err := target.Members(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var server observe.Commander = members[0]
	defer members[0].Close()
	command, err := bson.Marshal(bson.D{{Key: "serverStatus", Value: 1}})
	if err != nil {
		t.Fatal(err)
	}
	status, err := server.Ask(t.Context(), "admin", command)
	if err != nil {
		t.Fatal(err)
	}
	counted, _ := status.Lookup("opcounters", "deprecated").DocumentOK()
	return counted
}

// checkDeprecated wants the server itself to say that it was spoken to in the old way, which only 5.0 does.
func checkDeprecated(t *testing.T, version string, form int, before, after bson.Raw) {
	t.Helper()
	if version != "5.0.4" {
		return
	}
	grown := func(name string) bool {
		was, _ := before.Lookup(name).AsInt64OK()
		is, _ := after.Lookup(name).AsInt64OK()
		return is > was
	}
	for name, want := range map[string]bool{"query": true, "getmore": true, "insert": true, "update": form == 0} {
		if grown(name) != want {
			t.Errorf("deprecated requests of kind %s: grown is %t, want %t: %s, then %s", name, grown(name), want, before, after)
		}
	}
}

func TestTheServerIsDescribed(t *testing.T) {
	eachForm(t, func(t *testing.T, server *mongotest.Server, form int) {
		t.Helper()
		found, err := open(t, server, form).Describe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if found.Version != server.Version || found.StorageEngine != "wiredTiger" || found.Topology != "Standalone" ||
			found.CPUCores == 0 || found.CacheMebibytes == 0 {
			t.Errorf("described as %+v", found)
		}
	})
}

func TestADatabaseIsMarked(t *testing.T) {
	eachForm(t, func(t *testing.T, server *mongotest.Server, form int) {
		t.Helper()
		target := open(t, server, form)
		fill(t, modern(t, server), "kept")
		want := &reportv1.DatasetMark{Fingerprint: strings.Repeat("a", 64), State: reportv1.DatasetClean}
		if err := target.SetMark(t.Context(), "kept", *want); err != nil {
			t.Fatal(err)
		}
		mark, err := target.Mark(t.Context(), "kept")
		if diff := cmp.Diff(want, mark); diff != "" || err != nil {
			t.Errorf("error %v, mark (-want +got):\n%s", err, diff)
		}
		if none, err := target.Mark(t.Context(), "nothing"); err != nil || none != nil {
			t.Errorf("an unmarked database has %+v, %v", none, err)
		}
		holds, err := target.Holds(t.Context(), "kept")
		if diff := cmp.Diff([]string{collection}, holds); diff != "" || err != nil {
			t.Errorf("error %v, collections (-want +got):\n%s", err, diff)
		}
	})
}

func TestCollectionsAreMeasured(t *testing.T) {
	eachForm(t, func(t *testing.T, server *mongotest.Server, form int) {
		t.Helper()
		fill(t, modern(t, server), "measured")
		sizes, err := open(t, server, form).Sizes(t.Context(), "measured", []planv1.Collection{{Name: collection}})
		if err != nil || len(sizes) != 1 {
			t.Fatalf("sizes %+v and error %v", sizes, err)
		}
		if found := sizes[0]; found.Documents != 300 || found.DataBytes < 300_000 || len(found.Indexes) != 1 {
			t.Errorf("size %+v", found)
		}
	})
}

func TestWhatOldServersDoNotKnowIsRefusedBeforeAnythingIsSent(t *testing.T) {
	target := open(t, mongotest.Shared(t, "5.0.4"), 0)
	for name, tc := range map[string]struct {
		use  loadgen.Use
		want string
	}{
		"a transaction": {
			loadgen.Use{Step: planv1.Step{Operations: []planv1.Operation{{
				Name: "t", Request: planv1.Request{Kind: "Transaction"},
			}}}}, "kind Transaction",
		},
		"a read concern": {
			loadgen.Use{Step: planv1.Step{Operations: []planv1.Operation{{
				Request: planv1.Request{Kind: "Find"}, WholeSettings: planv1.WholeSettings{ReadConcern: "Local"},
			}}}}, "readConcern",
		},
		"a hint of a part": {
			loadgen.Use{Step: planv1.Step{Operations: []planv1.Operation{{
				Request: planv1.Request{Kind: "BulkWrite"},
				WholeSettings: planv1.WholeSettings{Operations: []planv1.Request{{
					Kind: "DeleteOne", RequestOptions: planv1.RequestOptions{Hint: "n_1"},
				}}},
			}}}}, "asked without hint",
		},
		"a sorted update": {
			loadgen.Use{Step: planv1.Step{Operations: []planv1.Operation{{
				Request: planv1.Request{Kind: "UpdateOne", Sort: []benchv1alpha1.SortKey{{Field: "n"}}},
			}}}}, "sort of an update",
		},
		"a secondary": {
			loadgen.Use{Step: planv1.Step{Operations: []planv1.Operation{{
				Request: planv1.Request{Kind: "Find"}, WholeSettings: planv1.WholeSettings{ReadPreference: "Nearest"},
			}}}}, "nearest",
		},
		"a repetition": {loadgen.Use{Step: planv1.Step{Retry: benchv1alpha1.RetryOnce}}, "retry"},
		"a causal session": {
			loadgen.Use{Step: planv1.Step{Session: benchv1alpha1.SessionCausal}}, "no causally consistent sessions",
		},
		"the driver": {loadgen.Use{Client: benchv1alpha1.ClientDriver}, "driver does not speak"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := target.Session(t.Context(), tc.use)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want one with %q", err, tc.want)
			}
		})
	}
}

func TestOnlyOldServersNeedTheOldProtocol(t *testing.T) {
	for _, version := range []string{"4.2.6", "6.0.5"} {
		old, err := legacy.Speaks(t.Context(), config(mongotest.Shared(t, version)))
		if err != nil || old {
			t.Errorf("mongod %s is taken for an old one: %t, %v", version, old, err)
		}
	}
}

func TestAServerThatNoLongerTakesTheseRequestsIsNamed(t *testing.T) {
	target := open(t, mongotest.Shared(t, "6.0.5"), 0)
	_, err := target.Count(t.Context(), "any", collection)
	if err == nil || !strings.Contains(err.Error(), "OP_QUERY") {
		t.Errorf("error %v, want what the server says of OP_QUERY", err)
	}
}

func TestAnOperationEndsWithItsContext(t *testing.T) {
	server := mongotest.Start(t, "4.4.2", "--setParameter", "enableTestCommands=1")
	target := open(t, server, 2)
	opened := session(t, target, loadgen.Use{Database: "any", Step: step})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		ended <- sleepAt(ctx, t, opened)
	}()
	cancel()
	if err := <-ended; err == nil {
		t.Error("it did not end with an error")
	}
	// The next one connects again.
	if err := sleepNot(t, opened); err != nil {
		t.Error(err)
	}
}

// sleepAt has the server do nothing for a minute.
func sleepAt(ctx context.Context, t *testing.T, opened loadgen.Session) error {
	t.Helper()
	request := workload.Request{
		Kind: operation.RunCommand, Command: raw(t, `{"sleep": 1, "secs": 60, "lock": "none"}`),
	}
	return opened.Execute(ctx, &request, &loadgen.Reply{})
}

func sleepNot(t *testing.T, opened loadgen.Session) error {
	t.Helper()
	request := workload.Request{Kind: operation.RunCommand, Command: raw(t, `{"ping": 1}`)}
	return opened.Execute(t.Context(), &request, &loadgen.Reply{})
}

func TestAUserLogsIn(t *testing.T) {
	insert := workload.Request{Kind: operation.InsertOne, Collection: collection, Documents: things()[:1]}
	for _, version := range servers {
		t.Run("mongod "+version, func(t *testing.T) {
			target := asUser(t, startWithUser(t, version), "load:pencil")
			opened := session(t, target, loadgen.Use{Database: "own", Step: step})
			if err := opened.Execute(t.Context(), &insert, &loadgen.Reply{}); err != nil {
				t.Error(err)
			}
			other := session(t, target, loadgen.Use{Database: "other", Step: step})
			err := other.Execute(t.Context(), &insert, &loadgen.Reply{})
			if err == nil || target.Classify(err) != "authentication" {
				t.Errorf("error %v, want one of a right that is missing", err)
			}
		})
	}
}

// startWithUser starts a server that has a user called load, who may write the database own.
func startWithUser(t *testing.T, version string) *mongotest.Server {
	t.Helper()
	keyfile := filepath.Join(t.TempDir(), "keyfile")
	if err := os.WriteFile(keyfile, []byte("secret"), 0o400); err != nil {
		t.Fatal(err)
	}
	server := mongotest.Start(t, version, "--keyFile", keyfile)
	internal := session(t, asUser(t, server, "__system:secret"), loadgen.Use{Database: "admin", Step: step})
	create := workload.Request{Kind: operation.RunCommand, Command: raw(t,
		`{"createUser": "load", "pwd": "pencil", "roles": [{"role": "readWrite", "db": "own"}]}`)}
	if err := internal.Execute(t.Context(), &create, &loadgen.Reply{}); err != nil {
		t.Fatal(err)
	}
	return server
}

// asUser opens a server as one of its users, of the database local if it is an internal one.
func asUser(t *testing.T, server *mongotest.Server, user string) *legacy.Target {
	t.Helper()
	known := config(server)
	known.URIs[0] = strings.Replace(known.URIs[0], "://", "://"+user+"@", 1)
	if strings.HasPrefix(user, "__system") {
		known.URIs[0] += "&authSource=local"
	}
	known.WireVersion = new(0)
	target, err := legacy.Open(t.Context(), known)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = target.Close(context.Background()) })
	return target
}
