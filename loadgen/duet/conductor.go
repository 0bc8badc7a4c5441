package duet

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/duet"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen"
)

// settle is how long a side sends what is not counted before each window: a server that has rested finds the caches of
// its processors taken.
const settle = 200 * time.Millisecond

// sampling is how finely the warm-ups are looked at by which the length of the windows is chosen.
const sampling = 250 * time.Millisecond

// step is a measured step of both sides.
type step struct {
	name    string
	planned planv1.Step
	// warmUp is how long each side is warmed up, and budget how long it is measured at most.
	warmUp, budget time.Duration
	// window is how long a window is; 0 until it is chosen.
	window time.Duration
	judge  judge
}

// judge says when a step is decided.
type judge interface {
	// Add adds a group of windows, of each side in their order.
	Add(group duet.Group)
	// Decided says that there is nothing left to find out.
	Decided() bool
	// Lines are what is known by now.
	Lines() []reportv1.DuetLine
}

// conductor gives out the turns of both sides.
type conductor struct {
	form    duet.Form
	steps   []step
	resting [2]resting
	// told, if set, is called after each group, by one goroutine at a time.
	told func(step int)

	mutex sync.Mutex
	// changed is closed and replaced whenever something changed that a side may wait for.
	changed chan struct{}
	failed  error
	// at is the step of each side, and progress that of the steps that at least one side has reached.
	at       [2]int
	progress []*performance
}

// performance is how far a step has come.
type performance struct {
	joined [2]bool
	// rounds of the present group; each is the sides that have a window at the same time.
	rounds [][]duet.Side
	round  int
	// taken and back say which sides have taken their turn of the round, and given it back.
	taken, back [2]bool
	stage       stage
	samples     [2][]int64
	// numbers count the windows of each side.
	numbers [2]int
	group   duet.Group
	groups  int
	began   time.Time
	// measured is how long each side was measured, in the groups that are complete.
	measured time.Duration
	over     bool
	log      []reportv1.DuetWindow
}

// stage is what a step is at.
type stage int

const (
	joining stage = iota
	warming
	measuring
)

// side is one of the two that the conductor gives turns to.
type side struct {
	*conductor

	which duet.Side
	// rested is what the other side had done when this one's window began.
	rested reading
}

// Next waits for the side's turn.
func (s *side) Next(ctx context.Context, name string) (loadgen.Turn, bool, error) {
	for {
		turn, state, err := s.look(name)
		switch {
		case err != nil:
			return loadgen.Turn{}, false, err
		case state.over:
			return loadgen.Turn{}, false, nil
		case state.mine:
			if turn.Window > 0 {
				s.rested = s.settled(ctx)
			}
			return turn, true, ctx.Err()
		}
		select {
		case <-state.changed:
		case <-ctx.Done():
			return loadgen.Turn{}, false, context.Cause(ctx)
		}
	}
}

// state is what a side finds when it looks.
type state struct {
	mine, over bool
	changed    <-chan struct{}
}

// look takes the side's turn if it is its turn.
func (s *side) look(name string) (loadgen.Turn, state, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	found := state{changed: s.changed}
	if s.failed != nil {
		return loadgen.Turn{}, found, s.failed
	}
	at := s.at[s.which]
	if at >= len(s.steps) || s.steps[at].name != name {
		return loadgen.Turn{}, found, fmt.Errorf("step %q is none that the other side has in this place", name)
	}
	p := s.reach(at)
	if !p.joined[s.which] {
		p.joined[s.which] = true
		if p.joined[s.which.Other()] {
			s.advance(at)
		}
		found.changed = s.changed
	}
	if p.over {
		s.at[s.which]++
		found.over = true
		return loadgen.Turn{}, found, nil
	}
	if p.stage == joining || p.taken[s.which] || !p.plays(s.which) {
		return loadgen.Turn{}, found, nil
	}
	p.taken[s.which], found.mine = true, true
	if p.stage == warming {
		return loadgen.Turn{WarmUp: s.steps[at].warmUp, Sample: sampling}, found, nil
	}
	turn := loadgen.Turn{WarmUp: settle, Window: s.steps[at].window, Number: p.numbers[s.which]}
	p.numbers[s.which]++
	return turn, found, nil
}

// plays says whether a side has a turn in the present round.
func (p *performance) plays(which duet.Side) bool {
	return slices.Contains(p.rounds[p.round], which)
}

// Done gives the side's turn back.
func (s *side) Done(done loadgen.Done) {
	disturbed := ""
	if len(done.Operations) > 0 {
		disturbed = s.disturbed()
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	at := s.at[s.which]
	p := s.progress[at]
	p.back[s.which] = true
	if p.stage == warming {
		p.samples[s.which] = done.Samples
	} else {
		p.keep(s.which, done, disturbed)
	}
	for _, which := range p.rounds[p.round] {
		if !p.back[which] {
			return
		}
	}
	s.advance(at)
}

// keep keeps a window.
func (p *performance) keep(which duet.Side, done loadgen.Done, disturbed string) {
	if p.began.IsZero() {
		p.began = done.Begin
	}
	window := duet.Window{Length: done.End.Sub(done.Begin)}
	told := reportv1.DuetWindow{
		Side: which.String(), AtMillis: done.Begin.Sub(p.began).Milliseconds(), Disturbed: disturbed,
	}
	for _, one := range done.Operations {
		window.Operations = append(window.Operations, duet.Operation(one))
		told.Replies += one.Replies
		told.Errors += one.Errors
	}
	p.group.Windows[which] = append(p.group.Windows[which], window)
	if disturbed != "" {
		p.group.Disturbed = disturbed
	}
	p.log = append(p.log, told)
}

// Percent of the side's step that is done.
func (s *side) Percent() int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	at := s.at[s.which]
	if at >= len(s.progress) || s.steps[at].budget <= 0 {
		return 0
	}
	return int(min(100, s.progress[at].measured*100/s.steps[at].budget))
}

// reach is the performance of a step.
func (c *conductor) reach(at int) *performance {
	for len(c.progress) <= at {
		c.progress = append(c.progress, &performance{})
	}
	return c.progress[at]
}

// advance goes on to the next round of a step, or ends it. The mutex is held.
func (c *conductor) advance(at int) {
	p, of := c.progress[at], &c.steps[at]
	p.taken, p.back = [2]bool{}, [2]bool{}
	p.round++
	if p.stage == measuring && p.round == len(p.rounds) {
		c.judge(at)
	}
	switch {
	case p.over:
	case p.stage == joining && of.warmUp > 0:
		p.stage, p.rounds, p.round = warming, [][]duet.Side{{duet.Candidate}, {duet.Baseline}}, 0
	case p.stage == joining, p.stage == warming && p.round == len(p.rounds):
		if of.window == 0 {
			of.window = duet.WindowLength(of.planned, p.samples, sampling)
		}
		p.stage = measuring
		c.begin(p)
	case p.round == len(p.rounds):
		c.begin(p)
	}
	close(c.changed)
	c.changed = make(chan struct{})
}

// begin begins the next group.
func (c *conductor) begin(p *performance) {
	p.rounds, p.round = c.form.Rounds(p.groups), 0
	p.group = duet.Group{}
	p.groups++
}

// judge hands a complete group to the judge, and ends the step when that has decided or the time is up.
func (c *conductor) judge(at int) {
	p, of := c.progress[at], &c.steps[at]
	group := p.group
	group.At = time.Since(p.began)
	of.judge.Add(group)
	each := time.Duration(len(group.Windows[duet.Candidate])) * of.window
	p.measured += each
	p.over = of.judge.Decided() || p.measured+each > of.budget
	if c.told != nil {
		c.told(at)
	}
}

// fail ends the waiting of both sides.
func (c *conductor) fail(err error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.failed == nil {
		c.failed = err
	}
	close(c.changed)
	c.changed = make(chan struct{})
}

// report is what a step has come to by now. The mutex is held, or both sides have ended.
func (c *conductor) report(at int) reportv1.DuetStep {
	of := &c.steps[at]
	found := reportv1.DuetStep{Name: of.name, WindowMillis: of.window.Milliseconds(), Lines: of.judge.Lines()}
	if at < len(c.progress) {
		found.Windows = slices.Clone(c.progress[at].log)
		if last := len(found.Windows) - 1; last >= 0 {
			found.ElapsedMillis = found.Windows[last].AtMillis + found.WindowMillis
		}
	}
	return found
}

// duet is what all steps have come to that were reached.
func (c *conductor) duet(baseline reportv1.Report) *reportv1.Duet {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	found := &reportv1.Duet{Form: benchv1alpha1.DuetForm(c.form), Baseline: baseline}
	for at := range c.progress {
		found.Steps = append(found.Steps, c.report(at))
	}
	return found
}

// known is what is known by now of a measured step; nil of any other, and of one that has not begun.
func (c *conductor) known(name string) []reportv1.DuetLine {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for at := range c.progress {
		if c.steps[at].name == name {
			return result.WithoutCourse(c.steps[at].judge.Lines())
		}
	}
	return nil
}
