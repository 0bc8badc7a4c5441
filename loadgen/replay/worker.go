package replay

import (
	"context"
	"fmt"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// kind of all operations.
const kind = benchv1alpha1.OperationRunCommand

// worker sends one operation after the other.
type worker struct {
	player   *player
	recorder *measure.Recorder
	// sessions of the worker, by their database.
	sessions  map[string]loadgen.Session
	client    string
	lastReply time.Time
	// failures are those since the last success.
	failures measure.Failures
}

// open opens the sessions. Commands that were recorded go by the driver, which knows where each belongs.
func (w *worker) open(ctx context.Context, databases map[string]bool) error {
	w.sessions = make(map[string]loadgen.Session, len(databases))
	for database := range databases {
		session, err := w.player.replay.Target.Session(ctx, loadgen.Use{
			Database: database, Client: benchv1alpha1.ClientDriver,
			Step: planv1.Step{Name: stepName, Kind: planv1.StepMeasure},
		})
		if err != nil {
			return err
		}
		w.sessions[database], w.client = session, session.Client()
	}
	return nil
}

func (w *worker) close() {
	for _, session := range w.sessions {
		session.Close()
	}
}

// work sends operations until there are no more.
func (w *worker) work(ctx context.Context) error {
	newAlarm := w.player.replay.NewAlarm
	if newAlarm == nil {
		newAlarm = alarm.Precise
	}
	clock := newAlarm()
	defer clock.Close()
	var freeSince time.Duration
	for o := w.player.take(); o != nil; o = w.player.take() {
		due := w.player.dueAt(o)
		if err := clock.Until(ctx, w.player.begin.Add(due)); err != nil {
			return err
		}
		if err := w.send(ctx, o, due, due >= freeSince); err != nil {
			return err
		}
		freeSince = time.Since(w.player.begin)
	}
	return nil
}

// send sends an operation and records what became of it. An error is the end of the replay.
func (w *worker) send(ctx context.Context, o *Operation, due time.Duration, free bool) error {
	var reply loadgen.Reply
	place := w.player.places[o.Name]
	request := workload.Request{Operation: place, Kind: operation.RunCommand, Command: o.Command}
	session := w.sessions[o.Database]
	sent := time.Now()
	err := session.Execute(ctx, &request, &reply)
	w.lastReply = time.Now()
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	sample := measure.Sample{
		At: w.lastReply.Sub(w.player.begin), Service: w.lastReply.Sub(sent),
		Documents: reply.Documents, Retries: reply.Retries, Unacknowledged: reply.Unacknowledged,
		Inserted: reply.Inserted, Matched: reply.Matched, Modified: reply.Modified, Deleted: reply.Deleted,
	}
	if w.player.replay.Speed > 0 {
		sample.Response = w.lastReply.Sub(w.player.begin) - due
		at := sent.Sub(w.player.begin)
		w.recorder.Sent(at, at-due, free)
	}
	if !reply.First.IsZero() {
		sample.First = reply.First.Sub(sent)
	}
	w.player.replay.answered.Add(1)
	if err != nil {
		w.recorder.Failure(place, sample, w.player.replay.Target.Classify(err), err)
	} else {
		w.recorder.Success(place, sample)
	}
	session.Settle(ctx)
	if err := w.failures.Add(err, sent, w.lastReply); err != nil {
		return fmt.Errorf("a worker %w", err)
	}
	return nil
}

// markDirty marks the datasets that the recording writes to, so that no run takes them for what it loaded. Databases
// without a mark are left as they are.
func markDirty(ctx context.Context, target loadgen.Target, recorded []Operation) error {
	keeper, able := target.(loadgen.Keeper)
	if !able {
		return nil
	}
	looked := map[string]bool{}
	for i := range recorded {
		o := &recorded[i]
		if looked[o.Database] || !o.Writes {
			continue
		}
		looked[o.Database] = true
		mark, err := keeper.Mark(ctx, o.Database)
		if err == nil && mark != nil && mark.State == reportv1.DatasetClean {
			mark.State = reportv1.DatasetDirty
			err = keeper.SetMark(ctx, o.Database, *mark)
		}
		if err != nil {
			return fmt.Errorf("marking the dataset in database %q as %s: %w", o.Database, reportv1.DatasetDirty, err)
		}
	}
	return nil
}
