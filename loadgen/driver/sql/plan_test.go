package sql_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/sql"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mariadbtest"
)

// follow follows a plan as its only pod.
func follow(ctx context.Context, target loadgen.Target, plan planv1.Plan) (reportv1.Report, error) {
	engine := engine.Engine{
		Plan: plan, PlanHash: "hash", Target: target, Reporter: &drivertest.Reporter{}, Version: "test",
		Log: slog.New(slog.DiscardHandler),
	}
	return engine.Run(ctx)
}

// openLoop is a rate that any machine does.
func openLoop(seconds int) *planv1.Arrival {
	const rate = 300
	return &planv1.Arrival{
		Process: benchv1alpha1.ArrivalPoisson, MaxQueued: 100_000,
		Stages: []planv1.ArrivalStage{{Seconds: seconds, From: rate, To: rate}},
	}
}

func TestAPlanIsLoadedVerifiedAndMeasured(t *testing.T) {
	eachClient(t, func(t *testing.T, server *mariadbtest.Server, client benchv1alpha1.Client) {
		t.Helper()
		name := "plan_" + strings.ToLower(string(client))
		look(t, server, name)
		target := open(t, server.URI())
		plan := planOf(name, client,
			planv1.Step{Name: "closed", Threads: 4, OperationCount: 800, Operations: operations()},
			planv1.Step{Name: "open", Threads: 4, DurationSeconds: 1, Arrival: openLoop(1), Operations: operations()},
		)
		plan.Steps = append(plan.Steps, planv1.Step{Name: "size", Kind: planv1.StepSize})
		if err := target.Check(plan); err != nil {
			t.Fatal(err)
		}
		report, err := follow(t.Context(), target, plan)
		if err != nil {
			t.Fatal(err)
		}
		closed, size := report.Steps[3], report.Steps[5]
		checkMeasured(t, closed)
		checkMeasured(t, report.Steps[4])
		if want := ", " + strings.ToLower(string(client)); !strings.HasSuffix(closed.Client, want) {
			t.Errorf("it was sent by %q, want %q at its end", closed.Client, want)
		}
		if traffic := closed.Traffic; traffic.BytesIn == 0 || traffic.BytesOut == 0 {
			t.Errorf("the traffic is %+v", traffic)
		}
		count, err := target.Count(t.Context(), name, "things")
		if err != nil || len(size.Sizes) != 1 || size.Sizes[0].Documents != count || size.Sizes[0].DataBytes == 0 {
			t.Errorf("of %d documents the sizes are %+v, error %v", count, size.Sizes, err)
		}
	})
}

// checkMeasured holds a measured step against what each kind does to the documents.
func checkMeasured(t *testing.T, step reportv1.Step) {
	t.Helper()
	for _, o := range step.Operations {
		if o.Errors > 0 || o.Count == 0 {
			t.Errorf("%s: operation %q succeeded %d times, and failed as %+v", step.Name, o.Name, o.Count, o.ErrorClasses)
		}
		least, most := int64(0), int64(1)
		switch o.Name {
		case "get", "by-index", "change", "delete":
		case "range":
			most = 10
		case "some":
			most = 9
		case "insert":
			least = 1
		case "insert-many":
			least, most = 7, 7
		}
		if o.Documents < least*o.Count || o.Documents > most*o.Count || o.Documents == 0 {
			t.Errorf("%s: %d operations %q had %d documents", step.Name, o.Count, o.Name, o.Documents)
		}
	}
}

func TestALoadedDatasetIsNotLoadedAgain(t *testing.T) {
	server := mariadbtest.Shared(t)
	db := look(t, server, "again")
	target := open(t, server.URI())
	plan := planOf("again", "")
	if _, err := follow(t.Context(), target, plan); err != nil {
		t.Fatal(err)
	}
	again, err := follow(t.Context(), target, plan)
	if err != nil {
		t.Fatal(err)
	}
	if again.Steps[1].Skipped == "" {
		t.Error("the second load was not skipped")
	}
	must(t, db, "UPDATE again.things SET text = 'other' WHERE n = 5")
	_, err = follow(t.Context(), target, plan)
	if err == nil || !strings.Contains(err.Error(), `field "text" is "other"`) {
		t.Errorf("a row was changed, and the error is %v", err)
	}
}

func TestALoadThatWasInterruptedGoesOn(t *testing.T) {
	eachEngine(t, func(t *testing.T, server *mariadbtest.Server) {
		t.Helper()
		db := look(t, server, "resumed")
		plan := planOf("resumed", "")
		target := open(t, server.URI())
		if _, err := follow(t.Context(), target, plan); err != nil {
			t.Fatal(err)
		}
		must(t, db, "DELETE FROM resumed.things WHERE n BETWEEN 10 AND 300")
		must(t, db, "UPDATE resumed.`mongobench.dataset` SET state = 'Loading'")
		engine := engine.Engine{
			Plan: plan, PlanHash: "hash", Target: target, Reporter: &drivertest.Reporter{}, Version: "test", Resume: true,
			Log: slog.New(slog.DiscardHandler),
		}
		if _, err := engine.Run(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestALoadSendsABatchAgainAfterAWriteConflict(t *testing.T) {
	server := mariadbtest.Shared(t)
	db := look(t, server, "conflicts")
	plan := planOf("conflicts", "")
	if _, err := follow(t.Context(), open(t, server.URI()), plan); err != nil {
		t.Fatal(err)
	}
	usual := text(t, db, "SELECT @@GLOBAL.innodb_lock_wait_timeout")
	must(t, db, "SET GLOBAL innodb_lock_wait_timeout = 1")
	t.Cleanup(func() {
		if _, err := db.ExecContext(context.Background(), "SET GLOBAL innodb_lock_wait_timeout = "+usual); err != nil {
			t.Error(err)
		}
	})
	must(t, db, "UPDATE conflicts.`mongobench.dataset` SET state = 'Loading'")
	const timeouts = "SELECT count FROM information_schema.innodb_metrics WHERE name = 'lock_timeouts'"
	before := text(t, db, timeouts)
	locking, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = locking.Rollback() }()
	const locked = "UPDATE conflicts.things SET n = n + 1000000 WHERE n = 100"
	if _, err := locking.ExecContext(t.Context(), locked); err != nil {
		t.Fatal(err)
	}
	engine := engine.Engine{
		Plan: plan, PlanHash: "hash", Target: open(t, server.URI()), Reporter: &drivertest.Reporter{}, Version: "test",
		Resume: true, Log: slog.New(slog.DiscardHandler),
	}
	ended := make(chan error, 1)
	go func() {
		_, err := engine.Run(t.Context())
		ended <- err
	}()
	await(t, func() bool { return text(t, db, timeouts) != before })
	if err := locking.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestAForeignDatabaseIsLeftAlone(t *testing.T) {
	server := mariadbtest.Shared(t)
	db := look(t, server, "foreign_tables")
	must(t, db, "CREATE TABLE foreign_tables.things (a INT)")
	_, err := follow(t.Context(), open(t, server.URI()), planOf("foreign_tables", ""))
	if err == nil || !strings.Contains(err.Error(), "holds collections (things): nothing was dropped") {
		t.Errorf("the error is %v", err)
	}
}

func TestWhatATableCannotDoIsRefusedBeforeAnythingIsDone(t *testing.T) {
	target := open(t, mariadbtest.Shared(t).URI())
	for name, tc := range map[string]struct {
		change func(*planv1.Plan)
		want   string
	}{
		"a kind of operation": {
			func(p *planv1.Plan) { p.Steps[3].Operations[0].Kind = "Aggregate" }, `operation "get": kind`,
		},
		"an update with an operator": {
			func(p *planv1.Plan) { p.Steps[3].Operations[4].Update = `{"$inc": {"n": 1}}` }, `operation "change": update`,
		},
		"a field that is no column": {
			func(p *planv1.Plan) { p.Collections[0].Fields[1].Type = benchv1alpha1.GeneratorDocument }, "fields[n].type",
		},
		"a capped collection": {func(p *planv1.Plan) { p.Collections[0].CappedBytes = 1 }, "capped"},
		"a collection that there is not": {
			func(p *planv1.Plan) { p.Steps[3].Operations[0].Collection = "others" },
			`operation "get": collection "others" is not in the dataset`,
		},
		"a client of MongoDB": {func(p *planv1.Plan) { p.Client = benchv1alpha1.ClientWire }, "does not send SQL"},
		"a retry": {
			func(p *planv1.Plan) { p.Steps[3].Retry = benchv1alpha1.RetryOnce }, "leave out the step's retry",
		},
		"a causal session": {
			func(p *planv1.Plan) { p.Steps[3].Session = benchv1alpha1.SessionCausal }, "leave out the step's session",
		},
	} {
		t.Run(name, func(t *testing.T) {
			plan := planOf("refused", "", planv1.Step{Name: "measured", Threads: 1, Operations: operations()})
			tc.change(&plan)
			if err := target.Check(plan); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("the error is %v, want %q in it", err, tc.want)
			}
		})
	}
}

func TestIndexesAreMadeOnceAndAreWhatTheyWereToBe(t *testing.T) {
	server := mariadbtest.Shared(t)
	db := look(t, server, "indexes")
	target := open(t, server.URI())
	collection := things()
	collection.Indexes[1].Keys[1].Order = "-1"
	if err := target.Create(t.Context(), "indexes", collection); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := target.Index(t.Context(), "indexes", collection); err != nil {
			t.Fatal(err)
		}
	}
	made := text(t, db, "SELECT GROUP_CONCAT(CONCAT_WS(' ', index_name, non_unique, column_name, collation) "+
		"ORDER BY index_name, seq_in_index SEPARATOR ', ') FROM information_schema.statistics WHERE table_schema = 'indexes'")
	if want := "by-kind 1 kind A, by-kind 1 small D, n_1 0 n A, PRIMARY 0 _id A"; made != want {
		t.Errorf("the indexes are %s, want %s", made, want)
	}
	collection.Indexes[0].Unique = false
	err := target.Index(t.Context(), "indexes", collection)
	if err == nil || !strings.Contains(err.Error(), `index "n_1"`) {
		t.Errorf("an index is there and another, and the error is %v", err)
	}
}

func TestMyRocksHasNoDescendingIndexes(t *testing.T) {
	target := open(t, mariadbtest.SharedAs(t, myRocks, mariadbtest.MyRocks()...).URI())
	plan := planOf("descending", "")
	plan.Collections[0].Indexes[1].Keys[1].Order = "-1"
	err := target.Check(plan)
	if err == nil || !strings.Contains(err.Error(), `index "by-kind": MyRocks has no descending`) {
		t.Errorf("the error is %v", err)
	}
}

func TestARequestOfMoreValuesThanAStatementTakesIsSeveral(t *testing.T) {
	eachClient(t, func(t *testing.T, server *mariadbtest.Server, client benchv1alpha1.Client) {
		t.Helper()
		name := "large_" + strings.ToLower(string(client))
		look(t, server, name)
		target := open(t, server.URI())
		plan := planOf(name, client, planv1.Step{Name: "many", Threads: 1, OperationCount: 3, Operations: []planv1.Operation{
			{Name: "many", Request: planv1.Request{Kind: "InsertMany", BatchDocuments: 24_000}},
		}})
		plan.Collections = []planv1.Collection{small()}
		plan.Collections[0].Fields[0].Value = planv1.Value{Type: benchv1alpha1.GeneratorSequence, Step: 1}
		plan.Collections[0].Fields[2].Value = planv1.Value{Type: benchv1alpha1.GeneratorSequence, Step: 1}
		report, err := follow(t.Context(), target, plan)
		if err != nil {
			t.Fatal(err)
		}
		many := report.Steps[3].Operations[0]
		if many.Count != 3 || many.Documents != 3*24_000 || many.Errors != 0 {
			t.Errorf("%d operations inserted %d documents, and %d failed: %+v", many.Count, many.Documents, many.Errors,
				many.ErrorClasses)
		}
	})
}

var _ interface {
	loadgen.Target
	loadgen.Keeper
	loadgen.Sizer
} = (*sql.Target)(nil)
