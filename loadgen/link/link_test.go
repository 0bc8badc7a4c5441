package link_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/link"
)

// testTime is far more than anything here takes.
const testTime = 2 * time.Minute

// running is a host at work.
type running struct {
	*link.Host

	token link.Token
	done  chan struct{}
	// report and err are what Run returned; read them after done.
	report reportv1.Report
	err    error
}

// start starts a host for so many machines, until the context ends.
func start(ctx context.Context, t *testing.T, pods int) *running {
	t.Helper()
	plan := planv1.Plan{
		Version: planv1.Version, Pods: pods, Database: "d",
		Steps: []planv1.Step{{Name: "first", Kind: planv1.StepLoad}, {Name: "second", Kind: planv1.StepMeasure}},
	}
	encoded, err := planv1.Encode(plan)
	if err != nil {
		t.Fatal(err)
	}
	r := &running{done: make(chan struct{}), Host: &link.Host{
		Plan: plan, Encoded: encoded, RunUID: "uid", RunName: "name", SharesDatabase: true, Version: "v1",
		Patience: testTime, Log: slog.New(slog.DiscardHandler),
	}}
	if r.token, err = r.Listen(ctx, "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(r.done)
		r.report, r.err = r.Run(ctx)
	}()
	t.Cleanup(func() { <-r.done })
	return r
}

// attending is a pod that hears its host.
type attending struct {
	*link.Pod

	ctx   context.Context //nolint:containedctx // It is what a test is about.
	leave func()
}

func (r *running) join(t *testing.T) attending {
	t.Helper()
	pod, err := link.Join(t.Context(), r.Address().String(), r.token, "v1", "machine")
	if err != nil {
		t.Fatal(err)
	}
	ctx, leave := pod.Attend(t.Context())
	leave = sync.OnceFunc(leave)
	t.Cleanup(leave)
	return attending{pod, ctx, leave}
}

// ready says that a pod waits to begin a step.
func (a attending) ready(t *testing.T, step int) {
	t.Helper()
	at := reportv1.Progress{Step: step, State: reportv1.ProgressWaiting}
	if err := a.Progress(t.Context(), at); err != nil {
		t.Fatal(err)
	}
}

// wait returns when a step begins.
func (a attending) wait(t *testing.T, step int) time.Time {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testTime)
	defer cancel()
	at, err := a.Wait(ctx, step)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// handIn hands in a report.
func (a attending) handIn(t *testing.T, partial *reportv1.Partial) {
	t.Helper()
	measured := reportv1.Report{
		Version: reportv1.Version, PlanHash: a.PlanHash, Pods: 1, Driver: "d", Partial: partial,
		Steps: []reportv1.Step{{Name: "second", Kind: reportv1.KindMeasure, Threads: 1}},
	}
	if err := a.Report(t.Context(), measured); err != nil {
		t.Fatal(err)
	}
}

func TestMachinesBeginTogetherAndEndTogether(t *testing.T) {
	host := start(t.Context(), t, 2)
	a := host.join(t)
	if a.Plan.Database != "d" || a.RunUID != "uid" || a.RunName != "name" || !a.SharesDatabase || a.Index != 0 {
		t.Errorf("the first machine was given %+v", a.Pod)
	}
	a.ready(t, 0) // Before the other one is there.
	b := host.join(t)
	if hash := planv1.Hash(host.Encoded); b.Index != 1 || b.PlanHash != hash {
		t.Errorf("the second machine is pod %d of plan %s", b.Index, b.PlanHash)
	}
	began := time.Now()
	for step := range 2 {
		if step > 0 {
			a.ready(t, step)
		}
		b.ready(t, step)
		if first, second := a.wait(t, step), b.wait(t, step); !first.Equal(second) || first.Before(began) {
			t.Errorf("step %d begins at %s and %s, and it was %s", step, first, second, began)
		}
	}
	checkEnd(t, host, a, b)
}

// checkEnd has two machines hand in one after the other.
func checkEnd(t *testing.T, host *running, a, b attending) {
	t.Helper()
	a.handIn(t, nil)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("not yet"))
	if err := a.Over(ctx); err == nil || err.Error() != "not yet" {
		t.Errorf("while the other one measures: %v", err)
	}
	b.handIn(t, nil)
	for _, pod := range []attending{a, b} {
		if err := pod.Over(t.Context()); err != nil {
			t.Error(err)
		}
	}
	<-host.done
	if host.err != nil || host.report.Pods != 2 {
		t.Errorf("a report of %d pods, %v", host.report.Pods, host.err)
	}
}

func TestAMachineThatLeavesBeforeTheStartGivesItsPlaceBack(t *testing.T) {
	host := start(t.Context(), t, 2)
	a, lost := host.join(t), host.join(t)
	lost.Failed(errors.New("no server"))
	lost.leave()
	var b *link.Pod
	var err error
	for range 200 { // Until the host has heard of it.
		if b, err = link.Join(t.Context(), host.Address().String(), host.token, "v1", "other"); err == nil {
			break
		}
	}
	if err != nil || b.Index != lost.Index {
		t.Fatalf("the place was not free: %v", err)
	}
	ctx, leave := b.Attend(t.Context())
	defer leave()
	a.ready(t, 0)
	other := attending{b, ctx, leave}
	other.ready(t, 0)
	a.wait(t, 0)
	for _, pod := range []attending{a, other} {
		pod.handIn(t, nil)
	}
}

func TestWhateverEndsTheRunIsToldToAll(t *testing.T) {
	for name, tc := range map[string]struct {
		ends func(t *testing.T, pod attending)
		want string
	}{
		"a machine is lost": {func(_ *testing.T, pod attending) { pod.leave() }, "machine (pod 1) was lost"},
		"a machine fails": {
			func(_ *testing.T, pod attending) { pod.Failed(errors.New("no room")) }, "(pod 1) failed: no room",
		},
		"a machine gives up": {func(t *testing.T, pod attending) {
			t.Helper()
			pod.handIn(t, &reportv1.Partial{Cause: reportv1.PartialOutage, Message: "an outage", Step: "second"})
		}, "(pod 1) ended before the plan did: an outage"},
		"a machine says what none says": {func(t *testing.T, pod attending) {
			t.Helper()
			_ = pod.Progress(t.Context(), reportv1.Progress{Step: 7})
		}, "it is at step 7 of a plan with 2"},
	} {
		t.Run(name, func(t *testing.T) {
			host := start(t.Context(), t, 2)
			a, b := host.join(t), host.join(t)
			a.ready(t, 0)
			b.ready(t, 0)
			a.wait(t, 0)
			tc.ends(t, b)
			<-a.ctx.Done()
			if cause := context.Cause(a.ctx); !strings.Contains(cause.Error(), tc.want) {
				t.Errorf("the other machine was told %q, want %q", cause, tc.want)
			}
			a.handIn(t, &reportv1.Partial{Cause: reportv1.PartialInterrupted, Step: "second"})
			b.leave()
			<-host.done
			var cut *link.CutError
			if !errors.As(host.err, &cut) || !strings.Contains(cut.Cause, tc.want) || host.report.Partial == nil {
				t.Errorf("the host says %v and %+v", host.err, host.report.Partial)
			}
		})
	}
}

func TestAHostThatEndsEndsItsMachines(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	host := start(ctx, t, 1)
	a := host.join(t)
	cancel(errors.New("a key was pressed"))
	<-a.ctx.Done()
	if cause := context.Cause(a.ctx); !strings.Contains(cause.Error(), "a key was pressed") {
		t.Errorf("the machine was told %q", cause)
	}
	a.leave()
	<-host.done
	if host.err == nil || host.err.Error() != "a key was pressed" {
		t.Errorf("the host says %v", host.err)
	}
}

func TestTrialsGoThroughTheHost(t *testing.T) {
	host := start(t.Context(), t, 3)
	pods := []attending{host.join(t), host.join(t), host.join(t)}
	order := reportv1.TrialOrder{Step: 1, Number: 1, Rate: 500}
	if err := pods[0].Order(t.Context(), order); err != nil {
		t.Fatal(err)
	}
	for _, pod := range pods[1:] {
		heard, err := pod.Next(t.Context(), 1, 0)
		if err != nil || heard.Rate != 500 {
			t.Errorf("pod %d heard %+v, %v", pod.Index, heard, err)
		}
		answer := reportv1.TrialAnswer{Step: 1, Number: 1, InTime: []int64{int64(pod.Index)}}
		if pod.Index == 2 {
			answer.Measured = &reportv1.Step{Name: "second", Threads: 2}
		}
		if err := pod.Answer(t.Context(), answer); err != nil {
			t.Error(err)
		}
		heardBack, err := pods[0].Answered(t.Context(), pod.Index, order)
		if err != nil || heardBack.InTime[0] != int64(pod.Index) || (heardBack.Measured != nil) != (pod.Index == 2) {
			t.Errorf("of pod %d pod 0 heard %+v, %v", pod.Index, heardBack, err)
		}
	}
	if err := pods[1].Order(t.Context(), order); err != nil {
		t.Fatal(err)
	}
	<-pods[1].ctx.Done() // It is not pod 0, and so no load generator of this program.
}

func TestStrangersAreNotLetIn(t *testing.T) {
	host := start(t.Context(), t, 1)
	address := host.Address().String()
	other := host.token
	other.Secret = strings.Repeat("A", len(other.Secret))
	key := host.token
	key.Key[0]++
	for name, tc := range map[string]struct {
		token   link.Token
		version string
		want    string
	}{
		"another secret":                 {other, "v1", "the secret of the token is not the one of this run"},
		"the key of another host":        {key, "v1", "its key is not the one of the token"},
		"a load generator of other days": {host.token, "v0", `is of version "v0", and that of the host of "v1"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := link.Join(t.Context(), address, tc.token, tc.version, "stranger")
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("it says %v, want %q", err, tc.want)
			}
		})
	}
	// Who speaks no TLS is told nothing.
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := conn.Write([]byte("{\"kind\":\"hello\",\"secret\":\"" + host.token.Secret + "\"}")); err != nil {
		t.Fatal(err)
	}
	if said, _ := io.ReadAll(conn); strings.Contains(string(said), "known") {
		t.Errorf("without TLS it says %q", said)
	}
	a := host.join(t)
	if _, err := link.Join(t.Context(), address, host.token, "v1", "late"); err == nil ||
		!strings.Contains(err.Error(), "every place of the run is taken") {
		t.Errorf("one too many is told %v", err)
	}
	a.ready(t, 0)
	a.wait(t, 0)
	a.handIn(t, nil)
}
