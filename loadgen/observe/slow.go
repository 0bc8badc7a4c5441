package observe

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

var (
	logCommand   = mustMarshal(bson.D{{Key: "getLog", Value: "global"}})
	clockCommand = mustMarshal(bson.D{{Key: "isMaster", Value: 1}})
)

const (
	// maxNoteBytes is how much is told of why something is missing.
	maxNoteBytes = 200
	// slowTimeout bounds the questions to one server.
	slowTimeout = 5 * time.Second
	// clockError is by how much the server's clock may be known wrongly: half of a round trip, and the milliseconds in
	// which it tells the time.
	clockError = 20 * time.Millisecond
)

// Slow asks the servers which commands were slow from one instant to another, by the wall clock here, and which those
// were that took longest. It is to be asked right after: a server keeps its last lines only.
func (o *Observer) Slow(ctx context.Context, from, to time.Time) []reportv1.SlowCommands {
	ctx, cancel := context.WithTimeout(ctx, slowTimeout)
	defer cancel()
	o.mutex.Lock()
	watches := slices.Clone(o.watches[:min(len(o.watches), reportv1.MaxSlowServers)])
	o.mutex.Unlock()
	found := make([]reportv1.SlowCommands, len(watches))
	done := make(chan struct{}, len(watches))
	for i, w := range watches {
		go func() {
			found[i] = w.slow(ctx, from, to)
			done <- struct{}{}
		}()
	}
	for range watches {
		<-done
	}
	return found
}

// slow asks one server, between two samples.
func (w *watch) slow(ctx context.Context, from, to time.Time) reportv1.SlowCommands {
	found := reportv1.SlowCommands{Member: w.server.Name()}
	server, is := w.server.(Commander)
	if !is {
		found.Missing = "it has no log that can be asked for"
		return found
	}
	w.asking.Lock()
	defer w.asking.Unlock()
	if w.refused != nil {
		found.Missing = measure.Shorten(w.refused.Error(), maxNoteBytes)
		return found
	}
	lines, ahead, err := askLog(ctx, server)
	if err != nil {
		found.Missing = measure.Shorten(err.Error(), maxNoteBytes)
		return found
	}
	read := slowLog{from: from.Add(ahead), to: to.Add(ahead + clockError)}
	if err := read.all(lines); err != nil {
		found.Missing = err.Error()
		return found
	}
	found.Logged, found.LogFromMillis, found.Slowest = read.logged, read.begins(), read.slowest()
	return found
}

// askLog asks for a server's latest lines, and by how much its clock is ahead of the one here.
func askLog(ctx context.Context, server Commander) (lines []string, ahead time.Duration, err error) {
	asked := time.Now()
	hello, err := server.Ask(ctx, adminDatabase, clockCommand)
	if err != nil {
		return nil, 0, err
	}
	if there, is := hello.Lookup("localTime").TimeOK(); is {
		ahead = there.Sub(asked.Add(time.Since(asked) / 2))
	}
	reply, err := server.Ask(ctx, adminDatabase, logCommand)
	if err != nil {
		return nil, 0, err
	}
	array, _ := reply.Lookup("log").ArrayOK()
	values, err := array.Values()
	if err != nil {
		return nil, 0, fmt.Errorf("reading the log: %w", err)
	}
	for _, value := range values {
		line, _ := value.StringValueOK()
		lines = append(lines, line)
	}
	return lines, ahead, nil
}

// slowLog reads which commands a log has as slow, between two instants of the server's clock.
type slowLog struct {
	from, to time.Time
	// first is when the log begins; zero while that is not known.
	first  time.Time
	logged int
	alike  map[slowKey]*reportv1.SlowCommand
	// writes are the namespaces of updates and removals, each of which has a line of its own. The line of the command
	// that they came in, one of batches, says less: it counts where there is no other.
	writes  map[string]bool
	batches []logLine
}

// slowKey is what commands have in common that are alike.
type slowKey struct{ namespace, shape, plan string }

// logLine is a line of the log of a server since 4.4.
type logLine struct {
	Time struct {
		Date time.Time `json:"$date"`
	} `json:"t"`
	Message    string `json:"msg"`
	Attributes struct {
		Type        string          `json:"type"`
		Namespace   string          `json:"ns"`
		Application string          `json:"appName"`
		Command     json.RawMessage `json:"command"`
		Plan        string          `json:"planSummary"`
		Duration    int64           `json:"durationMillis"`
		Keys        *int64          `json:"keysExamined"`
		Documents   *int64          `json:"docsExamined"`
		Returned    int64           `json:"nreturned"`
		Matched     int64           `json:"nMatched"`
		Deleted     int64           `json:"ndeleted"`
	} `json:"attr"`
}

// errTextLog is why nothing is read of the log of an old server: values and names cannot be told apart in its lines.
var errTextLog = errors.New("servers before 4.4 write a log of another form")

// slowMessage is the message of the lines that tell of slow commands.
const slowMessage = "Slow query"

// observerName begins the name by which the questions of an observer are known to the server.
const observerName = "mongobench-observer"

func (l *slowLog) all(lines []string) error {
	l.alike, l.writes = map[slowKey]*reportv1.SlowCommand{}, map[string]bool{}
	if len(lines) > 0 && !strings.HasPrefix(lines[0], "{") {
		return errTextLog
	}
	for _, text := range lines {
		if l.first.IsZero() || strings.Contains(text, slowMessage) {
			l.line(text)
		}
	}
	for _, batch := range l.batches {
		if !l.writes[batch.Attributes.Namespace] {
			l.add(batch)
		}
	}
	return nil
}

// line reads one. One that was cut is no JSON.
func (l *slowLog) line(text string) {
	var line logLine
	if json.Unmarshal([]byte(text), &line) != nil {
		return
	}
	if l.first.IsZero() {
		l.first = line.Time.Date
	}
	within := !line.Time.Date.Before(l.from) && !line.Time.Date.After(l.to)
	if line.Message == slowMessage && within && line.Attributes.Application != observerName {
		l.sort(line)
	}
}

// sort adds a command, unless it came with writes of which it is not known yet whether they have lines of their own.
func (l *slowLog) sort(line logLine) {
	told := &line.Attributes
	database, batch := strings.CutSuffix(told.Namespace, ".$cmd")
	var write struct {
		Update string `json:"update"`
		Delete string `json:"delete"`
	}
	if batch && json.Unmarshal(told.Command, &write) == nil && write.Update+write.Delete != "" {
		told.Namespace = database + "." + write.Update + write.Delete
		l.batches = append(l.batches, line)
		return
	}
	if told.Type == "update" || told.Type == "remove" {
		l.writes[told.Namespace] = true
	}
	l.add(line)
}

// add counts a slow command.
func (l *slowLog) add(line logLine) {
	l.logged++
	told := line.Attributes
	one := reportv1.SlowCommand{
		Namespace: measure.Shorten(told.Namespace, reportv1.MaxShapeBytes), Shape: shapeOf(told.Type, told.Command),
		Plan: measure.Shorten(told.Plan, reportv1.MaxShapeBytes), DurationMillis: told.Duration,
	}
	if told.Keys != nil && told.Documents != nil {
		one.Examined = &reportv1.Examined{
			Keys: *told.Keys, Documents: *told.Documents, Found: told.Returned + told.Matched + told.Deleted,
		}
	}
	key := slowKey{one.Namespace, one.Shape, one.Plan}
	before, known := l.alike[key]
	if !known {
		before = &reportv1.SlowCommand{}
		l.alike[key] = before
	}
	one.Count = before.Count + 1
	if one.DurationMillis < before.DurationMillis {
		before.Count = one.Count
		return
	}
	*before = one
}

// slowest are those that took longest.
func (l *slowLog) slowest() []reportv1.SlowCommand {
	all := make([]reportv1.SlowCommand, 0, len(l.alike))
	for _, one := range l.alike {
		all = append(all, *one)
	}
	slices.SortFunc(all, func(a, b reportv1.SlowCommand) int {
		return cmp.Or(cmp.Compare(b.DurationMillis, a.DurationMillis), cmp.Compare(a.Shape, b.Shape),
			cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Plan, b.Plan))
	})
	return all[:min(len(all), reportv1.MaxSlowCommands)]
}

// begins is from when on the log is known, in milliseconds after the first instant.
func (l *slowLog) begins() int64 {
	return max(0, l.first.Sub(l.from).Milliseconds())
}
