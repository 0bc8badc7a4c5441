package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/perf/duets"
	"github.com/mongobench/mongobench-operator/hack/perf/process"
	"github.com/mongobench/mongobench-operator/internal/duet"
)

// Names of the scenes.
const (
	sceneQuiet      = "quiet"
	sceneNeighbour  = "neighbour"
	sceneThroughput = "throughput"
	sceneP99        = "p99"
)

// scene is how two servers differ, and what else goes on.
type scene struct {
	name string
	// windows are the lengths of window that it is recorded with.
	windows []time.Duration
	record  func(context.Context, recorder) (*duets.Recording, error)
}

var scenes = []scene{
	{sceneQuiet, []time.Duration{shortWindow}, recordQuiet},
	{sceneNeighbour, []time.Duration{shortWindow}, recordNeighbour},
	{sceneThroughput, []time.Duration{shortWindow, longWindow}, recordThroughput},
	{sceneP99, []time.Duration{shortWindow, longWindow}, recordP99},
}

// pair is two fresh servers that are alike, by duet.Side.
type pair struct {
	servers [2]*server
	begun   time.Time
}

// startPair starts two servers. stop ends them.
func startPair(ctx context.Context, cache string) (*pair, error) {
	p := &pair{begun: time.Now()}
	for side := range p.servers {
		var err error
		if p.servers[side], err = startServer(ctx, cache); err != nil {
			p.stop()
			return nil, err
		}
	}
	return p, nil
}

func (p *pair) stop() {
	for _, one := range p.servers {
		if one != nil {
			one.stop()
		}
	}
}

func (p *pair) addresses() [2]string {
	return [2]string{p.servers[0].address, p.servers[1].address}
}

// recordQuiet compares A with A, and adds nothing to what the machine is at.
func recordQuiet(ctx context.Context, r recorder) (*duets.Recording, error) {
	p, err := startPair(ctx, r.cache)
	if err != nil {
		return nil, err
	}
	defer p.stop()
	return r.record(ctx, p.addresses(), p.begun)
}

const (
	// burst and pause are those of the neighbour, which takes one processor.
	burst, pause = 2 * time.Second, 3 * time.Second
)

// recordNeighbour compares A with A beside a process that works in bursts.
func recordNeighbour(ctx context.Context, r recorder) (*duets.Recording, error) {
	neighbour, err := process.Start("neighbour", process.Command{
		Path: "/bin/sh", Arguments: []string{"-c", "while :; do :; done"},
	})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := works(ctx, neighbour); err != nil {
			cancel(err)
		}
	}()
	defer func() {
		cancel(nil)
		<-ended
		neighbour.Kill()
	}()
	recording, err := recordQuiet(ctx, r)
	return recording, errors.Join(err, neighbour.Ended())
}

// works has a process work in bursts until the context ends.
func works(ctx context.Context, neighbour *process.Process) error {
	for {
		for _, turn := range []struct {
			of     func() error
			length time.Duration
		}{{neighbour.Resume, burst}, {neighbour.Pause, pause}} {
			if err := turn.of(); err != nil {
				return err
			}
			if process.Sleep(ctx, turn.length) != nil {
				return nil //nolint:nilerr // The recording has ended.
			}
		}
	}
}

const (
	// The baseline may use half a processor, and the candidate a twentieth less of it.
	limitPeriodMicros    = 20_000
	baselineQuotaMicros  = 10_000
	candidateQuotaMicros = 9_500
)

// recordThroughput has both servers limited, the candidate a little more.
func recordThroughput(ctx context.Context, r recorder) (*duets.Recording, error) {
	p, err := startPair(ctx, r.cache)
	if err != nil {
		return nil, err
	}
	defer p.stop()
	quotas := [2]int{duet.Baseline: baselineQuotaMicros, duet.Candidate: candidateQuotaMicros}
	for side, one := range p.servers {
		group, err := limit(one.PID(), quotas[side])
		if err != nil {
			return nil, err
		}
		// After the servers have ended: a group with a process in it cannot be removed.
		defer func() {
			one.Kill()
			_ = os.Remove(group)
		}()
	}
	return r.record(ctx, p.addresses(), p.begun)
}

// errNoLimit is that this machine lets nobody limit a process.
var errNoLimit = errors.New("no CPU limit can be set here")

// limit puts a process into a new cgroup with a CPU limit.
func limit(pid, quotaMicros int) (folder string, err error) {
	const root = "/sys/fs/cgroup"
	name := fmt.Sprintf("mongobench-perf-%d", pid)
	folder, files := filepath.Join(root, "cpu", name), [][2]string{
		{"cpu.cfs_period_us", strconv.Itoa(limitPeriodMicros)}, {"cpu.cfs_quota_us", strconv.Itoa(quotaMicros)},
	}
	if _, err := os.Stat(filepath.Join(root, "cgroup.controllers")); err == nil {
		folder = filepath.Join(root, name)
		files = [][2]string{{"cpu.max", fmt.Sprintf("%d %d", quotaMicros, limitPeriodMicros)}}
	}
	if err := os.Mkdir(folder, 0o750); err != nil {
		return "", fmt.Errorf("%w: %w", errNoLimit, err)
	}
	for _, file := range append(files, [2]string{"cgroup.procs", strconv.Itoa(pid)}) {
		if err := os.WriteFile(filepath.Join(folder, file[0]), []byte(file[1]), 0o600); err != nil {
			_ = os.Remove(folder)
			return "", fmt.Errorf("%w: %w", errNoLimit, err)
		}
	}
	return folder, nil
}

const (
	// heldPart of the replies of the candidate are held back, for as long as it takes for the p99 to rise by heldPercent.
	heldPart, heldPercent = 0.1, 10
	// lookMinutes is how long is measured before, to know how long that is.
	lookMinutes = 1
)

// recordP99 has both servers behind proxies, of which the candidate's holds back a part of the replies.
func recordP99(ctx context.Context, r recorder) (*duets.Recording, error) {
	delay, err := heldFor(ctx, r)
	if err != nil {
		return nil, err
	}
	_, _ = fmt.Fprintf(r.log, "bench: one reply of ten is held back for %s\n", delay)
	return recordBehind(ctx, r, delay)
}

// heldFor measures how long replies must be held back: for the first operation of the mix, whose line is looked at.
func heldFor(ctx context.Context, r recorder) (time.Duration, error) {
	r.window, r.minutes = shortWindow, lookMinutes
	alike, err := recordBehind(ctx, r, 0)
	if err != nil {
		return 0, err
	}
	all := reportv1.NewHistogram()
	for number := range alike.Groups {
		group, err := alike.Group(number)
		if err != nil {
			return 0, err
		}
		for _, windows := range group.Windows {
			for _, window := range windows {
				if latency := window.Operations[0].Latency; latency != nil {
					all.Merge(latency)
				}
			}
		}
	}
	return duets.Delay(all, 0.99, heldPart, heldPercent), nil
}

// recordBehind has both servers behind proxies.
func recordBehind(ctx context.Context, r recorder, delay time.Duration) (*duets.Recording, error) {
	p, err := startPair(ctx, r.cache)
	if err != nil {
		return nil, err
	}
	defer p.stop()
	addresses := p.addresses()
	for side := range addresses {
		held := delay
		if duet.Side(side) == duet.Baseline {
			held = 0
		}
		between, err := startProxy(ctx, addresses[side], heldPart, held)
		if err != nil {
			return nil, err
		}
		defer between.stop()
		addresses[side] = between.address
	}
	return r.record(ctx, addresses, p.begun)
}
