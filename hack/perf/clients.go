package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"sigs.k8s.io/yaml"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/perf/process"
)

const (
	clientsFile = "clients.yaml"
	replicaSet  = "perf"
	// lookInterval is how often the server's clocks and counters are read while a client is at work.
	lookInterval = 50 * time.Millisecond
)

// cell is one combination of what is compared.
type cell struct {
	// operation is its name in the run, and counter what the server counts it by.
	operation, counter string
	retry              benchv1alpha1.RetryPolicy
	client             benchv1alpha1.Client
}

// cells are all combinations, in the order in which a round goes through them and in which they are shown.
func cells() []cell {
	operations := []cell{
		{operation: "read", counter: "query"},
		{operation: "update", counter: "update"},
		{operation: "insert", counter: "insert"},
	}
	all := make([]cell, 0, 2*3*len(operations))
	for _, c := range operations {
		for _, c.retry = range []benchv1alpha1.RetryPolicy{benchv1alpha1.RetryOnce, benchv1alpha1.RetryNever} {
			for _, c.client = range []benchv1alpha1.Client{
				benchv1alpha1.ClientApplication, benchv1alpha1.ClientDriver, benchv1alpha1.ClientWire,
			} {
				all = append(all, c)
			}
		}
	}
	return all
}

func (c cell) name() string {
	return strings.ToLower(c.operation + "_" + string(c.retry) + "_" + string(c.client))
}

// cellSeen is what a cell came to in one round.
type cellSeen struct {
	// server and client are CPU microseconds an operation, and journal is bytes an operation.
	server, journal, client float64
	// p50 and p99 are latencies in microseconds; 0 for one that too few operations were seen for.
	p50, p99 float64
	// sent is what went with each operation.
	sent string
}

// clientColumns are what is shown of a cell.
var clientColumns = []struct {
	title, name, unit string
	value             func(cellSeen) float64
}{
	{"server CPU µs/op", "server_cpu", "us", func(s cellSeen) float64 { return s.server }},
	{"journal bytes/op", "journal", "bytes", func(s cellSeen) float64 { return s.journal }},
	{"p50 µs", "p50", "us", func(s cellSeen) float64 { return orUnknown(s.p50) }},
	{"p99 µs", "p99", "us", func(s cellSeen) float64 { return orUnknown(s.p99) }},
	{"client CPU µs/op", "client_cpu", "us", func(s cellSeen) float64 { return s.client }},
}

// measureClients compares the three clients of the load generator on a replica set of one member, round by round.
func measureClients(ctx context.Context, o options, install installer, out io.Writer) error {
	loadgen, err := install.build(ctx, ".", "./cmd/loadgen", filepath.Join(install.scratch, "loadgen"))
	if err != nil {
		return err
	}
	server, err := startServer(ctx, o.cache, "--replSet", replicaSet)
	if err != nil {
		return err
	}
	defer server.stop()
	if err := server.initiate(ctx); err != nil {
		return err
	}
	seen := map[cell][]cellSeen{}
	for round := range o.rounds {
		for _, c := range cells() {
			one, err := server.measureCell(ctx, c, loadgen, install.scratch, o.window)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name(), err)
			}
			_, _ = fmt.Fprintf(install.log, "bench: round %d/%d, %s: server %.0f µs, client %.0f µs\n",
				round+1, o.rounds, c.name(), one.server, one.client)
			seen[c] = append(seen[c], one)
		}
	}
	_, _ = fmt.Fprintf(out, "\nThe clients: medians of %d rounds, windows of %s, 16 threads in a closed loop\n\n",
		o.rounds, o.window)
	writeClients(out, seen)
	return nil
}

// initiate makes the server a replica set, and returns once it takes writes.
func (s *server) initiate(ctx context.Context) error {
	members := bson.A{bson.D{{Key: "_id", Value: 0}, {Key: "host", Value: s.address}}}
	err := s.run(bson.D{
		{Key: "replSetInitiate", Value: bson.D{{Key: "_id", Value: replicaSet}, {Key: "members", Value: members}}},
		{Key: "$db", Value: "admin"},
	})
	for begin := time.Now(); err == nil; err = process.Sleep(ctx, pollInterval) {
		answer, failure := s.ask(bson.D{{Key: "hello", Value: 1}, {Key: "$db", Value: "admin"}})
		if failure != nil {
			return failure
		}
		if writable, ok := answer.Lookup("isWritablePrimary").BooleanOK(); ok && writable {
			return nil
		}
		if time.Since(begin) > serverPatience {
			return fmt.Errorf("mongod has not become primary within %s", serverPatience)
		}
	}
	return err
}

// look is one reading of what the server has done.
type look struct {
	at                  time.Time
	operations, journal int64
	cpu                 time.Duration
}

func (s *server) look(counter string) (l look, err error) {
	answer, err := s.ask(bson.D{
		{Key: "serverStatus", Value: 1},
		{Key: "repl", Value: 0},
		{Key: "metrics", Value: 0},
		{Key: "locks", Value: 0},
		{Key: "tcmalloc", Value: 0},
		{Key: "$db", Value: "admin"},
	})
	if err != nil {
		return look{}, err
	}
	l.at = time.Now()
	var counted, journaled bool
	l.operations, counted = answer.Lookup("opcounters", counter).AsInt64OK()
	l.journal, journaled = answer.Lookup("wiredTiger", "log", "log bytes written").AsInt64OK()
	if !counted || !journaled {
		return look{}, fmt.Errorf("the server does not count %q or the bytes of its journal", counter)
	}
	l.cpu, err = s.CPU()
	return l, err
}

// measureCell makes one run, and looks at the server all the while. The looks within the run's window are what counts.
func (s *server) measureCell(
	ctx context.Context, c cell, loadgen, scratch string, window time.Duration,
) (cellSeen, error) {
	file := filepath.Join(scratch, clientsFile)
	if err := writeCell(file, c, window); err != nil {
		return cellSeen{}, err
	}
	client, err := process.Start("loadgen", process.Command{Path: loadgen, Arguments: []string{
		"run", "-f", file, "--uri", "mongodb://" + s.address + "/?replicaSet=" + replicaSet, "--observe=false",
		"-o", filepath.Join(scratch, "results"),
	}})
	if err != nil {
		return cellSeen{}, err
	}
	defer client.Kill()
	var looks []look
	for begin := time.Now(); client.Ended() == nil; {
		l, err := s.look(c.counter)
		if err == nil && time.Since(begin) > window+runPatience {
			err = fmt.Errorf("the run has not ended within %s", window+runPatience)
		}
		if err == nil {
			err = process.Sleep(ctx, lookInterval)
		}
		if err != nil {
			return cellSeen{}, err
		}
		looks = append(looks, l)
	}
	if err := client.Await(ctx, endPatience); err != nil {
		return cellSeen{}, err
	}
	content, err := os.ReadFile(filepath.Join(scratch, "results", "report.json"))
	if err != nil {
		return cellSeen{}, fmt.Errorf("reading the report: %w", err)
	}
	return cellOf(content, looks)
}

// writeCell writes the run of a cell.
func writeCell(file string, c cell, window time.Duration) error {
	run, err := readRun(clientsFile)
	if err != nil {
		return err
	}
	step := &run.Spec.Workload.Steps[0]
	var kept []benchv1alpha1.Operation
	for i := range step.Operations {
		if step.Operations[i].Name == c.operation {
			kept = append(kept, step.Operations[i])
		}
	}
	seconds := int32(window / time.Second)
	run.Spec.LoadGenerator.Client, step.Retry, step.Operations = &c.client, &c.retry, kept
	step.DurationSeconds = &seconds
	content, err := yaml.Marshal(run)
	if err != nil {
		return fmt.Errorf("writing %s: %w", clientsFile, err)
	}
	return os.WriteFile(file, content, 0o600)
}

// cellOf puts together what a report says and what was seen of the server within the report's window.
func cellOf(content []byte, looks []look) (cellSeen, error) {
	var written struct {
		Report  reportv1.Report  `json:"report"`
		Summary reportv1.Summary `json:"summary"`
	}
	if err := json.Unmarshal(content, &written); err != nil {
		return cellSeen{}, fmt.Errorf("reading the report: %w", err)
	}
	if len(written.Summary.Steps) != 1 {
		return cellSeen{}, fmt.Errorf("the report has %d steps that were measured, not 1", len(written.Summary.Steps))
	}
	said := written.Summary.Steps[0]
	if said.Overall.Errors > 0 || said.Overall.Count == 0 {
		return cellSeen{}, fmt.Errorf("%d operations, and %d failed", said.Overall.Count, said.Overall.Errors)
	}
	seen := cellSeen{p50: float64(said.Overall.P50Micros), p99: float64(said.Overall.P99Micros), sent: said.Sent}
	for i := range written.Report.Steps {
		step := &written.Report.Steps[i]
		if step.Kind != reportv1.KindMeasure {
			continue
		}
		seen.client = float64(step.Generator.CPUMicros) / float64(said.Overall.Count)
		first, last, err := within(looks, step.MeasureStart, step.MeasureStart.Add(step.Window()))
		if err != nil {
			return cellSeen{}, err
		}
		done := float64(last.operations - first.operations)
		seen.server = float64((last.cpu - first.cpu).Nanoseconds()) / 1000 / done
		seen.journal = float64(last.journal-first.journal) / done
	}
	return seen, nil
}

// within are the first and the last look of a window. The server has worked between them.
func within(looks []look, from, until time.Time) (first, last look, _ error) {
	for _, l := range looks {
		switch {
		case l.at.Before(from) || l.at.After(until):
		case first.at.IsZero():
			first = l
		default:
			last = l
		}
	}
	if last.operations <= first.operations {
		return look{}, look{}, errors.New("the server was not seen at work within the window")
	}
	return first, last, nil
}

// writeClients writes a table in Markdown, what was sent, and a line a figure for programs.
func writeClients(to io.Writer, seen map[cell][]cellSeen) {
	head, rule := "| operation | retry | client |", "|---|---|---|"
	for _, column := range clientColumns {
		head, rule = head+" "+column.title+" |", rule+"--:|"
	}
	_, _ = fmt.Fprintf(to, "%s\n%s\n", head, rule)
	var figures, sent strings.Builder
	for _, c := range cells() {
		_, _ = fmt.Fprintf(to, "| %s | %s | %s |", c.operation, c.retry, c.client)
		for _, column := range clientColumns {
			value := known(seen[c], column.value)
			_, _ = fmt.Fprintf(to, " %s |", number(value))
			if !math.IsNaN(value) {
				_, _ = fmt.Fprintf(&figures, "FIGURE clients_%s_%s %.1f %s\n", c.name(), column.name, value, column.unit)
			}
		}
		_, _ = fmt.Fprintln(to)
		if len(seen[c]) > 0 && c.operation == "update" {
			_, _ = fmt.Fprintf(&sent, "%s, retry %s: %s\n", c.client, c.retry, seen[c][0].sent)
		}
	}
	_, _ = fmt.Fprintf(to, "\n%s\n%s", sent.String(), figures.String())
}

// orUnknown is NaN for the 0 of a percentile that too few operations were seen for.
func orUnknown(micros float64) float64 {
	if micros == 0 {
		return math.NaN()
	}
	return micros
}

// known is the median of the rounds in which a value is known; NaN without any.
func known(rounds []cellSeen, of func(cellSeen) float64) float64 {
	values := make([]float64, 0, len(rounds))
	for _, one := range rounds {
		if value := of(one); !math.IsNaN(value) {
			values = append(values, value)
		}
	}
	return median(values)
}
