package link

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/exchange"
)

const (
	// dialing bounds the way to the host.
	dialing = 10 * time.Second
	// patience is how long the other machines are awaited at a gate: as long as a load pod waits.
	patience = time.Hour
	// apart is by how much the clocks of two machines may differ: what is measured is doubted when steps began farther
	// apart.
	apart = 50 * time.Millisecond
)

// Pod is a machine's part in the run of a host. It is what the engine needs of others: a loadgen.Gate, a
// loadgen.Reporter and loadgen.Trials.
type Pod struct {
	Plan     planv1.Plan
	PlanHash string
	// Index of this pod of the plan.
	Index           int
	RunUID, RunName string
	SharesDatabase  bool
	// Told is told where this pod is, as the host is; nil: nobody is.
	Told loadgen.Reporter

	side *side
	host string

	mutex sync.Mutex
	// news is closed, and made anew, whenever something below has changed.
	news    chan struct{}
	starts  map[int]time.Time
	order   reportv1.TrialOrder
	answers map[int]reportv1.TrialAnswer
	over    bool
	// lost is why nothing else will be heard.
	lost error
}

var (
	_ loadgen.Gate     = (*Pod)(nil)
	_ loadgen.Reporter = (*Pod)(nil)
	_ loadgen.Trials   = (*Pod)(nil)
)

// Join takes a place in the run of the host at an address. Its token says which run that is. The name is what people
// know this machine by.
func Join(ctx context.Context, address string, token Token, version, name string) (*Pod, error) {
	dialer := &tls.Dialer{NetDialer: new(net.Dialer), Config: token.client()}
	dial, cancel := context.WithTimeout(ctx, dialing)
	defer cancel()
	conn, err := dialer.DialContext(dial, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("joining the run at %s: %w", address, err)
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	pod, err := join(ctx, &side{Conn: conn}, message{Kind: hello, Secret: token.Secret, Version: version, Name: name})
	if !stop() && err != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("joining the run at %s: %w", address, err)
	}
	pod.host = address
	return pod, nil
}

// join introduces this machine, compares the clocks, and takes a place.
func join(ctx context.Context, host *side, introduced message) (*Pod, error) {
	if err := host.send(introduced); err != nil {
		return nil, err
	}
	if _, err := host.exchange(strangerBytes, known); err != nil {
		return nil, err
	}
	if err := compareClocks(ctx, host); err != nil {
		_ = host.send(message{Kind: failed, Why: err.Error()})
		return nil, err
	}
	if err := host.send(message{Kind: ready}); err != nil {
		return nil, err
	}
	said, err := host.exchange(acquainted, welcome)
	if err != nil {
		return nil, err
	}
	plan, err := planv1.Decode(said.Said)
	if err == nil && (said.Pod < 0 || said.Pod >= plan.Pods) {
		err = fmt.Errorf("place %d is none of a plan for %d pods", said.Pod, plan.Pods)
	}
	if err != nil {
		return nil, err
	}
	return &Pod{
		Plan: plan, PlanHash: planv1.Hash(said.Said), Index: said.Pod,
		RunUID: said.RunUID, RunName: said.RunName, SharesDatabase: said.Shares,
		side: host, news: make(chan struct{}), starts: map[int]time.Time{}, answers: map[int]reportv1.TrialAnswer{},
	}, nil
}

// compareClocks is an error where the clock here surely differs from the host's by more than steps may begin apart.
func compareClocks(ctx context.Context, host *side) error {
	all, err := exchange.Repeat(ctx, func(context.Context) (time.Time, error) {
		if err := host.send(message{Kind: clock}); err != nil {
			return time.Time{}, err
		}
		said, err := host.exchange(strangerBytes, told)
		return said.At, err
	})
	if err != nil {
		return fmt.Errorf("comparing the clocks: %w", err)
	}
	return tooFarApart(all)
}

func tooFarApart(all []exchange.Exchange) error {
	ahead, uncertainty, compared := exchange.Ahead(time.Nanosecond, all)
	if !compared || ahead.Abs()-uncertainty <= apart {
		return nil
	}
	than := "ahead of"
	if ahead < 0 {
		than = "behind"
	}
	return fmt.Errorf("the clock of this machine is %s %s that of the host (±%s), and steps have to begin within %s of "+
		"one another: set both by a time service", ahead.Abs().Round(time.Millisecond), than,
		uncertainty.Round(time.Microsecond), apart)
}

// Attend hears the host until the returned function is called. The context that it returns ends when the host has all
// stop, or is lost, with the cause.
func (p *Pod) Attend(ctx context.Context) (attending context.Context, leave func()) {
	attending, end := context.WithCancelCause(ctx)
	beating, stop := context.WithCancel(context.WithoutCancel(ctx))
	var hearing sync.WaitGroup
	hearing.Go(func() { p.side.beat(beating) })
	hearing.Go(func() {
		for {
			said, err := p.side.receive(acquainted)
			if err == nil {
				err = p.hear(said)
			} else {
				err = fmt.Errorf("the host at %s is lost: %w", p.host, err)
			}
			if err != nil {
				p.change(func() { p.lost = err })
				end(err)
			}
			if err != nil || said.Kind == over { // After which the host is gone, as it should be.
				return
			}
		}
	})
	return attending, func() {
		stop()
		_ = p.side.Close()
		hearing.Wait()
		end(nil)
	}
}

// hear takes what the host says. An error ends what this pod does.
func (p *Pod) hear(said message) (err error) {
	switch said.Kind {
	case start:
		p.change(func() { p.starts[said.Step] = said.At })
	case over:
		p.change(func() { p.over = true })
	case stop:
		return fmt.Errorf("the run was stopped: %s", cut(said.Why, maxWhy))
	case order:
		var heard reportv1.TrialOrder
		if heard, err = reportv1.DecodeTrial[reportv1.TrialOrder](said.Said); err == nil {
			p.change(func() { p.order = heard })
		}
	case answer:
		var heard reportv1.TrialAnswer
		if heard, err = reportv1.DecodeTrial[reportv1.TrialAnswer](said.Said); err != nil {
			break
		}
		if heard.Measured, err = result.DecodeTrial(said.Measured); err == nil {
			p.change(func() { p.answers[said.Pod] = heard })
		}
	default:
		err = fmt.Errorf("it says %.20q, which this load generator does not know", said.Kind)
	}
	if err != nil {
		return fmt.Errorf("hearing the host at %s: %w", p.host, err)
	}
	return nil
}

// change makes a change that somebody may wait for.
func (p *Pod) change(what func()) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	what()
	close(p.news)
	p.news = make(chan struct{})
}

// await waits until something is found in what the host has said.
func (p *Pod) await(ctx context.Context, found func() bool) error {
	for {
		p.mutex.Lock()
		done, lost, news := found(), p.lost, p.news
		p.mutex.Unlock()
		switch {
		case done:
			return nil
		case lost != nil:
			return lost
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-news:
		}
	}
}

// Wait returns the instant at which every pod starts a step.
func (p *Pod) Wait(ctx context.Context, step int) (at time.Time, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience,
		fmt.Errorf("waiting for the start of step %d: not every machine was ready within %s", step, patience))
	defer cancel()
	err = p.await(ctx, func() (told bool) {
		at, told = p.starts[step]
		return told
	})
	return at, err
}

// Progress tells the host where this pod is.
func (p *Pod) Progress(ctx context.Context, where reportv1.Progress) error {
	if p.Told != nil {
		_ = p.Told.Progress(ctx, where)
	}
	encoded, err := reportv1.EncodeProgress(where)
	if err != nil {
		return fmt.Errorf("encoding progress: %w", err)
	}
	return p.side.send(message{Kind: progress, Said: encoded})
}

// Report hands in what this pod has measured.
func (p *Pod) Report(ctx context.Context, of reportv1.Report) error {
	if p.Told != nil {
		_ = p.Told.Report(ctx, of)
	}
	encoded, err := result.Encode(of)
	if err != nil {
		return fmt.Errorf("encoding the report: %w", err)
	}
	return p.side.send(message{Kind: report, Said: encoded})
}

// Over waits until all machines have handed in. It is for the end of an engine's plan.
func (p *Pod) Over(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errors.New("not every machine has handed in within "+
		patience.String()))
	defer cancel()
	return p.await(ctx, func() bool { return p.over })
}

// Failed tells the host why this machine ends.
func (p *Pod) Failed(why error) {
	_ = p.side.send(message{Kind: failed, Why: cut(why.Error(), maxWhy)})
}
