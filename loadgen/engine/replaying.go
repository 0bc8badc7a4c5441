package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/replay"
)

// replayStep sends the operations of a recording in place of a mix. The recording is read twice: before the step
// begins, so that what is wrong with it is known and what its operations are called, and while they are sent.
type replayStep struct {
	*measureStep
	replayed *replayed
}

// replayed is a recording that is sent again by this pod.
type replayed struct {
	pod     *pod
	planned planv1.Replay
	survey  *replay.Survey
	options replay.Options
	loops   []*replayLoop
}

func newReplayStep(p *pod, index int) (stepRun, error) {
	planned := *p.Plan.Steps[index].Replay
	if p.Files == nil {
		return nil, fmt.Errorf("step %q reads %s, and this load generator opens no files", p.Plan.Steps[index].Name,
			planned.Recording)
	}
	run, err := newMeasureStep(p, index)
	if err != nil {
		return nil, err
	}
	measured, _ := run.(*measureStep)
	r := &replayed{pod: p, planned: planned, options: replay.Options{
		Writes: planned.Writes, Databases: planned.Into, Pod: p.Pod, Pods: p.Plan.Pods,
		Sessions: p.server.Topology != "" && p.server.Topology != loadgen.TopologyStandalone,
	}}
	for _, database := range planned.Databases {
		if r.options.Only == nil {
			r.options.Only = map[string]bool{}
		}
		r.options.Only[database] = true
	}
	_, _ = rand.Read(r.options.Salt[:])
	measured.only().replayed = r
	return &replayStep{measureStep: measured, replayed: r}, nil
}

// ready looks through the recording, and opens the sessions.
func (s *replayStep) ready(ctx context.Context) error {
	survey, err := replay.Look(s.replayed.open(ctx), s.replayed.options)
	if err != nil {
		return fmt.Errorf("reading %s: %w", s.replayed.planned.Recording, err)
	}
	s.replayed.survey = survey
	s.share = max(1, survey.Operations/int64(max(s.pod.Plan.Pods, 1)))
	if speed := s.replayed.planned.Speed; speed > 0 {
		// The last operation is due at its end.
		length := time.Duration(float64(survey.Length)/speed + float64(time.Millisecond)).Truncate(time.Millisecond)
		if s.length == 0 || length < s.length {
			s.length = length
		}
	}
	group := s.only()
	for _, name := range survey.Names {
		group.planned.Operations = append(group.planned.Operations, planv1.Operation{
			Name: name, Request: planv1.Request{Kind: benchv1alpha1.OperationRunCommand},
		})
	}
	group.expected = make([]*reportv1.Expectation, len(survey.Names))
	for _, worker := range group.all {
		worker.expected = group.expected
	}
	s.planned.Operations = group.planned.Operations
	if err := s.measureStep.ready(ctx); err != nil {
		return err
	}
	if s.pod.mark.keeper == nil && s.pod.Pod == 0 {
		if err := markDirty(ctx, s.pod.Target, survey.Written); err != nil {
			return err
		}
	}
	for _, worker := range s.all {
		replayer, able := worker.session.(loadgen.Replayer)
		if !able {
			return fmt.Errorf("step %q replays a recording, which %s cannot", s.planned.Name, s.pod.Target.Driver())
		}
		worker.replaying.session = replayer
	}
	return nil
}

func (s *replayStep) run(ctx context.Context, step *reportv1.Step) error {
	err := s.measureStep.run(ctx, step)
	step.Replay = s.replayed.report()
	return err
}

// markDirty marks the datasets that a recording writes to, so that no run takes them for what it loaded. Databases
// without a mark are left as they are.
func markDirty(ctx context.Context, target loadgen.Target, databases []string) error {
	keeper, able := target.(loadgen.Keeper)
	if !able {
		return nil
	}
	for _, database := range databases {
		mark, err := keeper.Mark(ctx, database)
		if err == nil && mark != nil && mark.State == reportv1.DatasetClean {
			mark.State = reportv1.DatasetDirty
			err = keeper.SetMark(ctx, database, *mark)
		}
		if err != nil {
			return fmt.Errorf("marking the dataset in database %q as %s: %w", database, reportv1.DatasetDirty, err)
		}
	}
	return nil
}

// open opens the recording, which is read until the context ends.
func (r *replayed) open(ctx context.Context) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) {
		file, err := r.pod.Files.Open(r.planned.Recording)
		if err != nil {
			return nil, err
		}
		return &cancellable{ctx: ctx, ReadCloser: file}, nil
	}
}

// cancellable is a file that is read until a context ends.
type cancellable struct {
	ctx context.Context //nolint:containedctx // It is what the reading of the file ends with.
	io.ReadCloser
}

func (c *cancellable) Read(into []byte) (int, error) {
	if c.ctx.Err() != nil {
		return 0, context.Cause(c.ctx)
	}
	return c.ReadCloser.Read(into)
}

// mostTold is how many reasons a report has.
const mostTold = 20

// report says what became of the recording. What is the same for all pods only the first of them tells.
func (r *replayed) report() *reportv1.Replay {
	told := &reportv1.Replay{
		Hash: r.survey.Hash, Operations: r.survey.Operations, LengthMicros: r.survey.Length.Microseconds(),
		Late: r.survey.Late, LeftOut: counted(r.survey.LeftOut), Changed: counted(r.survey.Changed),
	}
	for _, l := range r.loops {
		for _, w := range l.workers {
			w.replaying.addTo(told)
		}
	}
	return told
}

// counted are counts as a report has them.
func counted(counts map[string]int64) []reportv1.Counted {
	var told []reportv1.Counted
	for _, what := range replay.Reasons(counts) {
		if len(told) == mostTold {
			told[mostTold-1].What, told[mostTold-1].Count = "others", told[mostTold-1].Count+counts[what]
			continue
		}
		told = append(told, reportv1.Counted{What: what, Count: counts[what]})
	}
	return told
}

// replaying is what a worker of a replay has.
type replaying struct {
	session loadgen.Replayer
	// next is the operation that it sends.
	next replay.Operation
	// differs says that the last answer was another one than the recorded.
	differs bool
	// Counts are those of the report.
	reportv1.Replay
}

func (r *replaying) addTo(told *reportv1.Replay) {
	told.WithoutCursor += r.WithoutCursor
	told.Compared += r.Compared
	told.OtherCount += r.OtherCount
	told.OtherCursor += r.OtherCursor
	told.Failed += r.Failed
	told.Succeeded += r.Succeeded
}

// compare holds an answer against the recorded one.
func (r *replaying) compare(recorded *replay.Answer, reply *loadgen.Reply, err error) {
	r.differs = false
	if !recorded.Known && !recorded.Counted && !recorded.Open {
		return
	}
	r.Compared++
	r.differs = true
	switch {
	case err != nil && !recorded.Failed:
		r.Failed++
	case recorded.Failed && (err == nil || recorded.Code != 0 && reply.Code != recorded.Code):
		r.Succeeded++
	case err == nil && recorded.Counted && reply.Documents != recorded.Count:
		r.OtherCount++
	case err == nil && recorded.Open && (reply.Cursor != 0) != (recorded.Cursor != 0):
		r.OtherCursor++
	default:
		r.differs = false
	}
}

// loop makes what the workers do within bounds, and begins to read.
func (r *replayed) loop(bounds window) (loop, error) {
	ctx, cancel := context.WithCancel(context.Background())
	stream, err := replay.Open(r.open(ctx), r.options, r.survey)
	if err != nil {
		cancel()
		return nil, fmt.Errorf("reading %s: %w", r.planned.Recording, err)
	}
	l := &replayLoop{
		window: bounds, speed: r.planned.Speed, compares: !r.planned.AnyAnswer, ahead: newAhead(),
		lead: make(chan struct{}, 1), sessions: map[uint64]*replaySession{}, stopReading: cancel,
		process: string(benchv1alpha1.ArrivalTrace),
	}
	l.room.L = &l.mutex
	if l.speed > 0 {
		l.alarm = r.pod.alarm()
	}
	l.lead <- struct{}{}
	l.reading.Go(func() {
		err := l.ahead.fill(stream)
		if !errors.Is(err, io.EOF) {
			err = fmt.Errorf("reading %s: %w", r.planned.Recording, err)
		}
		l.ahead.end(errors.Join(err, stream.Close()))
	})
	r.loops = append(r.loops, l)
	return l, nil
}
