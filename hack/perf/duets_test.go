package main

import (
	"encoding/binary"
	"io"
	"math"
	"net"
	"strings"
	"testing"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/perf/duets"
	"github.com/mongobench/mongobench-operator/internal/duet"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
)

func TestTheRunOfDuetsCanBeFollowed(t *testing.T) {
	for _, window := range []time.Duration{shortWindow, longWindow} {
		plan, err := recorder{minutes: 7, window: window}.plan()
		if err != nil {
			t.Fatal(err)
		}
		if err := engine.Check(plan); err != nil {
			t.Error(err)
		}
		last := plan.Steps[len(plan.Steps)-1]
		if last.DurationSeconds != 210 || plan.Duet.WindowMillis != window.Milliseconds() || len(last.Compare) < 2 {
			t.Errorf("each side is measured for %d s in windows of %d ms, and %d lines are compared", last.DurationSeconds,
				plan.Duet.WindowMillis, len(last.Compare))
		}
	}
}

// rates is a recording of two sides whose windows have so many replies.
func rates(groups int, window time.Duration, baseline, candidate int64) *duets.Recording {
	r := &duets.Recording{Lines: []planv1.Line{
		{Metric: benchv1alpha1.MetricOperationsPerSecond, MinEffectPercent: 5, ConfidencePercent: 95},
	}}
	for number := range groups {
		group := duet.Group{At: time.Duration(number+1) * 4 * window}
		for side, replies := range []int64{duet.Baseline: baseline, duet.Candidate: candidate} {
			for i := range int64(2) {
				// A little of noise: without any there is no variance to judge by.
				group.Windows[side] = append(group.Windows[side], duet.Window{Length: window, Operations: []duet.Operation{
					{Replies: replies + replies*(int64(number*7+side*3)%5+i)/100},
				}})
			}
		}
		if err := r.Add(group); err != nil {
			panic(err)
		}
	}
	return r
}

func TestDuetFigures(t *testing.T) {
	seen := duetsSeen{trials: 10}
	seen.keep(sceneQuiet, shortWindow, duets.Series{rates(600, shortWindow, 1000, 1000)})
	seen.keep(sceneThroughput, shortWindow, duets.Series{rates(600, shortWindow, 1000, 900)})
	seen.keep(sceneThroughput, longWindow, duets.Series{rates(40, longWindow, 30_000, 27_000)})
	var out strings.Builder
	if err := seen.write(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"FIGURE duet_false_percent 0.0000 percent\n", "FIGURE duet_power_percent 100.0000 percent\n",
		"FIGURE minutes_to_5_percent_throughput ", "FIGURE duet_gain_over_interleaved ", "FIGURE duet_false_trials ",
		"-10.0 %",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("there is no %q", want)
		}
	}
	// What was not recorded, or not found, is no figure.
	for _, unwanted := range []string{"neighbour", "p99", "NaN", "Inf"} {
		if strings.Contains(out.String(), unwanted) {
			t.Errorf("there is %q", unwanted)
		}
	}
	if t.Failed() {
		t.Log(out.String())
	}
}

// TestPowerIsOfTrialsThatHaveTheTime: a recording of ten minutes says nothing of what is found within fifteen.
func TestPowerIsOfTrialsThatHaveTheTime(t *testing.T) {
	r := &replayed{Series: duets.Series{rates(150, shortWindow, 1000, 900)}}
	if err := r.replay(1); err != nil {
		t.Fatal(err)
	}
	if got := r.power(r.judged, 0, longestTrial); !math.IsNaN(got) {
		t.Errorf("the power within %s is %g %%", longestTrial, got)
	}
	if got := r.power(r.judged, 0, 5*time.Minute); got != 100 {
		t.Errorf("the power within 5 minutes is %g %%", got)
	}
}

func TestAnUnknownSceneIsTold(t *testing.T) {
	asked := options{scenes: []string{"quiet", "loud"}, cache: t.TempDir()}
	err := measureDuets(t.Context(), asked, installer{}, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "SCENES=loud is not known") {
		t.Errorf("got %v", err)
	}
}

// echo is the address of a server that says what it is told.
func echo(t *testing.T) string {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			server, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(server, server) }()
		}
	}()
	return listener.Addr().String()
}

// TestAProxyHoldsRepliesBack: all of them here, and whole messages.
func TestAProxyHoldsRepliesBack(t *testing.T) {
	const held = 50 * time.Millisecond
	message := binary.LittleEndian.AppendUint32(nil, 8)
	message = append(message, "ping"...)
	server := echo(t)
	between, err := startProxy(t.Context(), server, 1, held)
	if err != nil {
		t.Fatal(err)
	}
	defer between.stop()
	client, err := new(net.Dialer).DialContext(t.Context(), "tcp", between.address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	for range 3 {
		begin := time.Now()
		if _, err := client.Write(message); err != nil {
			t.Fatal(err)
		}
		reply := make([]byte, len(message))
		if _, err := io.ReadFull(client, reply); err != nil || string(reply) != string(message) {
			t.Fatalf("got %q, %v", reply, err)
		}
		if took := time.Since(begin); took < held {
			t.Errorf("a reply came after %s, want %s or later", took, held)
		}
	}
	between.stop()
	if _, err := client.Read(make([]byte, 1)); err == nil {
		t.Error("the proxy has stopped, and the connection is open")
	}
}
