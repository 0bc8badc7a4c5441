package sql_test

import (
	"context"
	database "database/sql"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver"
	"github.com/mongobench/mongobench-operator/loadgen/driver/sql"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mariadbtest"
)

// patient is a context that ends when something did not end by itself.
func patient(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func TestWhatIsNotMeasuredEndsInTimeToo(t *testing.T) {
	server := mariadbtest.Start(t)
	target := openWith(t, driver.Config{URIs: []string{server.URI()}, OperationTimeout: time.Second})
	ids := []bson.RawValue{{Type: bson.TypeInt64, Value: make([]byte, 8)}}
	questions := map[string]func(context.Context) error{
		"Describe": func(ctx context.Context) error { _, err := target.Describe(ctx); return err },
		"Mark":     func(ctx context.Context) error { _, err := target.Mark(ctx, "asked"); return err },
		"SetMark":  func(ctx context.Context) error { return target.SetMark(ctx, "asked", reportv1.DatasetMark{}) },
		"Holds":    func(ctx context.Context) error { _, err := target.Holds(ctx, "asked"); return err },
		"Create":   func(ctx context.Context) error { return target.Create(ctx, "asked", small()) },
		"Index":    func(ctx context.Context) error { return target.Index(ctx, "asked", small()) },
		"Read":     func(ctx context.Context) error { _, err := target.Read(ctx, "asked", "things", ids); return err },
		"List":     func(ctx context.Context) error { _, err := sql.MemberOf(target).List(ctx, "SELECT 'a', 1"); return err },
	}
	ctx := patient(t)
	whileStopped(t, server, func() {
		var asking sync.WaitGroup
		for name, ask := range questions {
			asking.Go(func() {
				err := ask(ctx)
				if ctx.Err() != nil || err == nil || target.Classify(err) != "timeout" {
					t.Errorf("%s of a server that stands still: the error is %v, want one of class timeout", name, err)
				}
			})
		}
		asking.Wait()
	})
}

// inUse reads a table in a transaction, which locks its definition until the transaction ends.
func inUse(t *testing.T, db *database.DB, table string) (end func()) {
	t.Helper()
	reading, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var rows int
	query := "SELECT COUNT(*) FROM " + table
	if err := reading.QueryRowContext(t.Context(), query).Scan(&rows); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := reading.Rollback(); err != nil {
			t.Error(err)
		}
	}
}

func TestATableThatIsInUseIsNotWaitedForADay(t *testing.T) {
	eachEngine(t, func(t *testing.T, server *mariadbtest.Server) {
		t.Helper()
		db := look(t, server, "busy")
		must(t, db, "CREATE TABLE busy.things (_id BIGINT PRIMARY KEY)")
		target := openWith(t, driver.Config{URIs: []string{server.URI()}, OperationTimeout: 2 * time.Second})
		defer inUse(t, db, "busy.things")()
		ctx := patient(t)
		err := target.Prepare(ctx, "busy", small())
		if ctx.Err() != nil || err == nil || !strings.Contains(err.Error(), "Lock wait timeout") {
			t.Errorf("the error is %v, want that the table could not be had in time", err)
		}
	})
}

// TestASessionIsNotPreparedForLongerThanItIsWanted: whoever prepares a statement waits for a table that is about to be
// changed, which waits for a table that is read.
func TestASessionIsNotPreparedForLongerThanItIsWanted(t *testing.T) {
	server := mariadbtest.Shared(t)
	db := look(t, server, "wanted")
	// By itself it would not end.
	target := openWith(t, driver.Config{URIs: []string{server.URI()}, OperationTimeout: time.Hour})
	use := smallUse("wanted", benchv1alpha1.ClientPrepared)
	if err := target.Create(t.Context(), "wanted", use.Collections[0]); err != nil {
		t.Fatal(err)
	}
	waiting := func(number string) {
		t.Helper()
		await(t, func() bool {
			return text(t, db, "SELECT COUNT(*) FROM information_schema.processlist "+
				"WHERE state = 'Waiting for table metadata lock'") == number
		})
	}
	end := inUse(t, db, "wanted.things")
	dropped, opened := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := db.ExecContext(t.Context(), "DROP TABLE wanted.things")
		dropped <- err
	}()
	waiting("1")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		session, err := target.Session(ctx, use)
		if err == nil {
			session.Close()
		}
		opened <- err
	}()
	waiting("2")
	cause := errors.New("enough")
	cancel(cause)
	select {
	case err := <-opened:
		if !errors.Is(err, cause) {
			t.Errorf("the context ended, and the error is %v", err)
		}
	case <-patient(t).Done():
		t.Error("the context ended, and statements are still prepared")
	}
	end()
	if err := <-dropped; err != nil {
		t.Error(err)
	}
}
