package sql_test

import (
	database "database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"golang.org/x/sync/errgroup"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/sql"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mariadbtest"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

const (
	benchRows    = 20_000
	benchWorkers = 16
	// benchReads are those of a worker in one round of one way.
	benchReads  = 1500
	benchRounds = 7
)

// wide is a collection of five columns and rows of a kilobyte.
func wide() planv1.Collection {
	return planv1.Collection{
		Name: "wide", DocumentCount: benchRows,
		Fields: []planv1.Field{
			field("_id", planv1.Value{Type: benchv1alpha1.GeneratorSequence, Step: 1}),
			field("k1", planv1.Value{Type: benchv1alpha1.GeneratorInt, Seed: 1, Max: 1 << 30}),
			field("k2", planv1.Value{Type: benchv1alpha1.GeneratorInt, Seed: 2, Max: 1 << 30}),
			field("created", planv1.Value{Type: benchv1alpha1.GeneratorDate, Seed: 3, Max: 1 << 40}),
			field("payload", planv1.Value{Type: benchv1alpha1.GeneratorBinary, Seed: 4, Min: 952, Max: 952}),
		},
	}
}

// way is one way to read a row by its primary key.
type way struct {
	name string
	read func(worker int, id int64) error
	// perRead are the microseconds of this process's processors that a read took, one of each round.
	perRead []float64
}

// BenchmarkBesideTheDriver reads rows by their primary key, through sessions and through database/sql with a prepared
// statement on a pinned connection, in turns. The metrics are medians over the rounds: microseconds of the client's
// processors for each read, and of each round's ratio to database/sql.
func BenchmarkBesideTheDriver(b *testing.B) {
	server := mariadbtest.Shared(b)
	target := loadWide(b, server)
	ways := []*way{
		pinned(b, server),
		bySession(b, target, benchv1alpha1.ClientPrepared),
		bySession(b, target, benchv1alpha1.ClientText),
	}
	for b.Loop() {
		for range benchRounds {
			for _, w := range ways {
				w.round(b)
			}
		}
	}
	for _, w := range ways {
		b.ReportMetric(median(w.perRead), w.name+"-µs/read")
		ratios := make([]float64, len(w.perRead))
		for i := range ratios {
			ratios[i] = w.perRead[i] / ways[0].perRead[i]
		}
		b.ReportMetric(median(ratios), w.name+"-ratio")
	}
}

// loadWide loads the rows.
func loadWide(b *testing.B, server *mariadbtest.Server) *sql.Target {
	b.Helper()
	look(b, server, "beside")
	target := open(b, server.URI())
	plan := planv1.Plan{
		Version: planv1.Version, Seed: 1, Pods: 1, Database: "beside", Collections: []planv1.Collection{wide()},
		Steps: []planv1.Step{
			{Name: "prepare", Kind: planv1.StepPrepare},
			{Name: "load", Kind: planv1.StepLoad, Threads: 2, BatchDocuments: 500},
		},
	}
	if _, err := follow(b.Context(), target, plan); err != nil {
		b.Fatal(err)
	}
	return target
}

// round lets all workers read.
func (w *way) round(b *testing.B) {
	b.Helper()
	before := measure.ReadUsage()
	var group errgroup.Group
	for worker := range benchWorkers {
		group.Go(func() error {
			random := rand.New(rand.NewPCG(uint64(worker), uint64(len(w.perRead))))
			for range benchReads {
				if err := w.read(worker, random.Int64N(benchRows)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		b.Fatal(err)
	}
	used := measure.ReadUsage().Since(before)
	w.perRead = append(w.perRead, float64(used.CPUMicros)/(benchWorkers*benchReads))
}

func median(of []float64) float64 {
	sorted := slices.Sorted(slices.Values(of))
	return sorted[len(sorted)/2]
}

// pinned reads through database/sql.
func pinned(b *testing.B, server *mariadbtest.Server) *way {
	b.Helper()
	db := look(b, server, "ignored")
	db.SetMaxIdleConns(benchWorkers)
	statements := make([]*database.Stmt, benchWorkers)
	for i := range statements {
		connection, err := db.Conn(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = connection.Close() })
		statements[i], err = connection.PrepareContext(b.Context(),
			"SELECT _id, k1, k2, created, payload FROM beside.wide WHERE _id = ?")
		if err != nil {
			b.Fatal(err)
		}
	}
	return &way{name: "database-sql", read: func(worker int, id int64) error {
		var found, k1, k2 int64
		var created string
		var payload database.RawBytes
		// A context that can end would cost it a goroutine for each read.
		rows, err := statements[worker].Query(id) //nolint:noctx // See above.
		if err != nil {
			return err
		}
		if !rows.Next() {
			return fmt.Errorf("row %d is not there: %w", id, rows.Err())
		}
		if err := rows.Scan(&found, &k1, &k2, &created, &payload); err != nil {
			return err
		}
		return rows.Close()
	}}
}

// sessionsOf opens a session for each worker that reads by the primary key.
func sessionsOf(b *testing.B, target *sql.Target, client benchv1alpha1.Client) []loadgen.Session {
	b.Helper()
	sessions := make([]loadgen.Session, benchWorkers)
	for i := range sessions {
		var err error
		sessions[i], err = target.Session(b.Context(), loadgen.Use{
			Database: "beside", Collections: []planv1.Collection{wide()}, Client: client,
			Step: planv1.Step{Operations: []planv1.Operation{{
				Parameters: []planv1.Parameter{{Name: "id", Value: planv1.Value{Type: benchv1alpha1.GeneratorLong}}},
				Request:    planv1.Request{Kind: "FindOne", Collection: "wide", Filter: `{"_id": {"$param": "id"}}`},
			}}},
		})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(sessions[i].Close)
	}
	return sessions
}

// bySession reads through sessions.
func bySession(b *testing.B, target *sql.Target, client benchv1alpha1.Client) *way {
	b.Helper()
	sessions := sessionsOf(b, target, client)
	requests := make([]*workload.Request, benchWorkers)
	for i := range requests {
		requests[i] = request(b, getOne, "0")
	}
	return &way{name: string(client), read: func(worker int, id int64) error {
		r := requests[worker]
		setID(r.Filter, id)
		var reply loadgen.Reply
		err := sessions[worker].Execute(b.Context(), r, &reply)
		if err == nil && reply.Documents != 1 {
			return fmt.Errorf("of row %d %d were found", id, reply.Documents)
		}
		return err
	}}
}

// setID writes a number into a filter of the form {_id: long}.
func setID(filter bson.Raw, id int64) {
	for i := range 8 {
		filter[len(filter)-9+i] = byte(id >> (8 * i))
	}
}

// BenchmarkRead is one worker that reads, for its allocations.
func BenchmarkRead(b *testing.B) {
	server := mariadbtest.Shared(b)
	target := loadWide(b, server)
	for _, w := range []*way{
		pinned(b, server), bySession(b, target, benchv1alpha1.ClientPrepared), bySession(b, target, benchv1alpha1.ClientText),
	} {
		b.Run(w.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := w.read(0, benchRows/2); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkEncode makes the statement of a batch, without a server's part in it.
func BenchmarkEncode(b *testing.B) {
	const batch = 1000
	target := loadWide(b, mariadbtest.Shared(b))
	session, err := target.Session(b.Context(), loadgen.Use{
		Database: "beside", Collections: []planv1.Collection{wide()}, Step: planv1.Step{Kind: planv1.StepLoad},
	})
	if err != nil {
		b.Fatal(err)
	}
	defer session.Close()
	dataset, err := workload.NewDataset(planv1.Plan{Seed: 1, Collections: []planv1.Collection{wide()}})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	before := measure.ReadUsage()
	for b.Loop() {
		if session.Encode("wide", dataset.Generator("wide"), 0, batch) != batch {
			b.Fatal("not all documents were encoded")
		}
	}
	used := measure.ReadUsage().Since(before)
	b.ReportMetric(float64(used.CPUMicros)/float64(b.N)/batch, "cpu-µs/row")
}
