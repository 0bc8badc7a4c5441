package handlersocket_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver"
	"github.com/mongobench/mongobench-operator/loadgen/driver/handlersocket"
	"github.com/mongobench/mongobench-operator/loadgen/driver/sql"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// TestAnOperationAllocatesNothing: neither what is sent nor what comes back is put into memory of its own.
func TestAnOperationAllocatesNothing(t *testing.T) {
	s := sharedServer(t)
	look(t, s, "allocated")
	session := smallSession(t, open(t, s.config()), "allocated")
	execute(t, session, inserting(t, `{"_id": 1, "text": "a\tb", "code": 1}`))
	for name, r := range map[string]*workload.Request{
		"a read": onRow(t, getOne, "1"), "an update": onRow(t, updateOne, "1"), "a delete": onRow(t, deleteOne, "2"),
	} {
		var reply loadgen.Reply
		ctx := t.Context()
		got := drivertest.Allocations(func() {
			if err := session.Execute(ctx, r, &reply); err != nil {
				t.Fatal(err)
			}
		})
		if got > 0 {
			t.Errorf("%s: %v allocations", name, got)
		}
	}
	inserts := inserting(t, `{"_id": {"$numberLong": "0"}, "text": "", "code": 0}`)
	id := inserts.Documents[0].Lookup("_id").Value
	code := inserts.Documents[0].Lookup("code").Value
	next := uint64(100)
	var reply loadgen.Reply
	ctx := t.Context()
	if got := drivertest.Allocations(func() {
		next++
		binary.LittleEndian.PutUint64(id, next)
		binary.LittleEndian.PutUint32(code, uint32(next))
		if err := session.Execute(ctx, inserts, &reply); err != nil {
			t.Fatal(err)
		}
	}); got > 0 {
		t.Errorf("an insert: %v allocations", got)
	}
}

const (
	benchRows    = 10_000
	benchThreads = 16
)

// rows is a collection of rows of a kilobyte.
func rows() planv1.Collection {
	return planv1.Collection{
		Name: "things", DocumentCount: benchRows,
		Fields: []planv1.Field{
			field("_id", planv1.Value{Type: benchv1alpha1.GeneratorSequence, Step: 1}),
			field("payload", planv1.Value{Type: benchv1alpha1.GeneratorBinary, Min: 950, Max: 950}),
		},
	}
}

// benched is a server with the rows.
func benched(b *testing.B, name string) (server, planv1.Plan) {
	b.Helper()
	s := sharedServer(b)
	look(b, s, name)
	plan := planOf(name, rows())
	if _, err := follow(b.Context(), open(b, s.config()), plan); err != nil {
		b.Fatal(err)
	}
	return s, plan
}

// BenchmarkRead is a read of one row by its primary key, by 16 workers: over this client, over prepared SQL, and by a
// program that does nothing but that. Client CPU is what this process uses.
func BenchmarkRead(b *testing.B) {
	s, plan := benched(b, "bench_read")
	overSocket := open(b, s.config())
	overSQL, err := sql.Open(b.Context(), driver.Config{URIs: []string{s.URI()}})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = overSQL.Close(b.Context()) }()
	id := []planv1.Parameter{{Name: "id", Value: planv1.Value{Type: benchv1alpha1.GeneratorLong}}}
	use := loadgen.Use{Database: plan.Database, Collections: plan.Collections, Step: planv1.Step{
		Kind: planv1.StepMeasure, Operations: []planv1.Operation{{
			Parameters: id,
			Request:    planv1.Request{Kind: "FindOne", Collection: "things", Filter: `{"_id": {"$param": "id"}}`},
		}},
	}}
	for name, target := range map[string]loadgen.Target{"handlersocket": overSocket, "prepared": overSQL} {
		b.Run(name, func(b *testing.B) {
			byWorkers(b, func() func(int64) error {
				session, err := target.Session(b.Context(), use)
				if err != nil {
					b.Fatal(err)
				}
				b.Cleanup(session.Close)
				r := &workload.Request{Filter: raw(b, `{"_id": {"$numberLong": "0"}}`)}
				value := r.Filter.Lookup("_id").Value
				var reply loadgen.Reply
				ctx := b.Context()
				return func(row int64) error {
					binary.LittleEndian.PutUint64(value, uint64(row))
					err := session.Execute(ctx, r, &reply)
					if err == nil && reply.Documents != 1 {
						err = fmt.Errorf("%d rows", reply.Documents)
					}
					return err
				}
			})
		})
	}
	b.Run("floor", func(b *testing.B) {
		byWorkers(b, func() func(int64) error { return floor(b, s) })
	})
	b.Run("pipelined-16", func(b *testing.B) { pipelined(b, s) })
}

// byWorkers has workers read rows, and says what it costs this process.
func byWorkers(b *testing.B, worker func() func(row int64) error) {
	b.Helper()
	var next atomic.Int64
	ready := make([]func(int64) error, 0, benchThreads)
	for range benchThreads {
		ready = append(ready, worker())
	}
	var taken atomic.Int64
	b.SetParallelism(benchThreads / 2)
	before := used(b)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		read := ready[int(taken.Add(1)-1)%len(ready)]
		for pb.Next() {
			if err := read(next.Add(7919) % benchRows); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64((used(b)-before).Nanoseconds())/1000/float64(b.N), "cpu-µs/op")
}

// floor is a worker of a program that does nothing else: a write, a read of a line, no look at it.
func floor(b *testing.B, s server) func(row int64) error {
	b.Helper()
	conn, err := net.Dial("tcp", s.address()) //nolint:noctx // It is on this machine.
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = conn.Close() })
	in := bufio.NewReaderSize(conn, 16<<10)
	exchange := func(line []byte) error {
		if _, err := conn.Write(line); err != nil {
			return err
		}
		got, err := in.ReadSlice('\n')
		if err == nil && !bytes.HasPrefix(got, []byte("0\t")) {
			err = fmt.Errorf("got %q", got)
		}
		return err
	}
	for _, line := range []string{
		"A\t1\t" + secret + "\n", "P\t0\tbench_read\tthings\tPRIMARY\t_id,payload\n",
	} {
		if err := exchange([]byte(line)); err != nil {
			b.Fatal(err)
		}
	}
	var line []byte
	return func(row int64) error {
		line = append(strconv.AppendInt(append(line[:0], "0\t=\t1\t"...), row, 10), '\n')
		return exchange(line)
	}
}

// pipelined sends sixteen reads together, by one connection.
func pipelined(b *testing.B, s server) {
	b.Helper()
	const together = 16
	conn, err := handlersocket.Dial(b.Context(), s.address(), secret, time.Minute, &sql.Traffic{})
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Call([]byte("P\t0\tbench_read\tthings\tPRIMARY\t_id,payload\n")); err != nil {
		b.Fatal(err)
	}
	var lines []byte
	before := used(b)
	for n := 0; b.Loop(); n += together {
		lines = lines[:0]
		for i := range together {
			lines = append(strconv.AppendInt(append(lines, "0\t=\t1\t"...), int64((n+i)*7919%benchRows), 10), '\n')
		}
		if err := conn.Send(lines); err != nil {
			b.Fatal(err)
		}
		for range together {
			if reply, err := conn.Receive(); err != nil || reply.Rows() != 1 {
				b.Fatal(reply.Rows(), err)
			}
		}
	}
	b.ReportMetric(float64((used(b)-before).Nanoseconds())/1000/float64(b.N*together), "cpu-µs/op")
}

// used is the CPU time of this process.
func used(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
