package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/perf/duets"
	"github.com/mongobench/mongobench-operator/internal/duet"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/spec/presets"
	"github.com/mongobench/mongobench-operator/loadgen/driver"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	inturns "github.com/mongobench/mongobench-operator/loadgen/duet"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
	"github.com/mongobench/mongobench-operator/loadgen/observe"
)

const (
	duetFile = "duet.yaml"
	// shortWindow is the window of a duet, and longWindow what stands for a run of a suite.
	shortWindow, longWindow = time.Second, 30 * time.Second
	// goodbye bounds what a target takes to close.
	goodbye = 10 * time.Second
)

// measureDuets records scenes one after the other, beside what was recorded of them before on this machine, and counts
// what comparisons of all of it find. A scene that cannot be made here is told, and left out.
func measureDuets(ctx context.Context, o options, install installer, out io.Writer) error {
	if err := knownScenes(o.scenes); err != nil {
		return err
	}
	folder := filepath.Join(o.cache, "perf", "duets")
	if err := recordScenes(ctx, o, install, folder, out); err != nil {
		return err
	}
	kept, err := duets.Kept(folder, machine())
	if err != nil {
		return fmt.Errorf("reading recordings: %w", err)
	}
	_, _ = fmt.Fprintf(out, "\nThe recordings are in %s.\n", folder)
	seen := duetsSeen{trials: resampledTrials}
	for _, one := range scenes {
		for _, window := range one.windows {
			if series := kept[one.recording(window)]; len(series) > 0 {
				seen.keep(one.name, window, series)
			}
		}
	}
	return seen.write(out)
}

// recordScenes records what is asked for.
func recordScenes(ctx context.Context, o options, install installer, folder string, out io.Writer) error {
	for _, one := range scenes {
		for _, window := range one.windows {
			if o.minutes == 0 || len(o.scenes) > 0 && !one.among(o.scenes, window) {
				continue
			}
			err := one.keep(ctx, recorder{options: o, window: window, log: install.log, minutes: o.minutes}, folder)
			if errors.Is(err, errNoLimit) {
				_, _ = fmt.Fprintf(out, "\n%s was not measured: %v\n", one.recording(window), err)
			} else if err != nil {
				return fmt.Errorf("recording %s: %w", one.recording(window), err)
			}
		}
	}
	return nil
}

// knownScenes says which name is no scene's.
func knownScenes(names []string) error {
	var known []string
	for _, one := range scenes {
		known = append(known, one.name)
		for _, window := range one.windows {
			known = append(known, one.recording(window))
		}
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return fmt.Errorf("SCENES=%s is not known: choose some of %v, or leave it out for all", name, known)
		}
	}
	return nil
}

// recording is the name of recordings of a scene.
func (s scene) recording(window time.Duration) string { return s.name + "-" + window.String() }

// among says that a recording is asked for, by its own name or that of its scene.
func (s scene) among(names []string, window time.Duration) bool {
	return slices.Contains(names, s.name) || slices.Contains(names, s.recording(window))
}

// keep records a scene once.
func (s scene) keep(ctx context.Context, r recorder, folder string) error {
	begun := time.Now()
	_, _ = fmt.Fprintf(r.log, "bench: recording %s for %d minutes\n", s.recording(r.window), r.minutes)
	recording, err := s.record(ctx, r)
	if err != nil {
		return err
	}
	recording.Name, recording.Machine, recording.Begun = s.recording(r.window), machine(), begun
	return duets.Keep(folder, recording)
}

// recorder measures two servers in turns.
type recorder struct {
	options

	window  time.Duration
	minutes int
	log     io.Writer
}

// plan is the run's, with as long a step as the recording is to be. Each side has half of the time.
func (r recorder) plan() (planv1.Plan, error) {
	run, err := readRun(duetFile)
	if err != nil {
		return planv1.Plan{}, err
	}
	run.Spec.Preset.Parameters["maxexecutiontime"] = strconv.Itoa(r.minutes * 60 / 2)
	run.Spec.Duet.WindowSeconds = new(int32(r.window / time.Second))
	expanded, problems := presets.Expand(run.Spec)
	if len(problems) > 0 {
		return planv1.Plan{}, problems.ToAggregate()
	}
	plan := spec.Compile(expanded)
	plan.Pods = 1
	return plan, nil
}

// record measures what answers at two addresses, by duet.Side. begun is when their servers were started.
func (r recorder) record(ctx context.Context, addresses [2]string, begun time.Time) (*duets.Recording, error) {
	plan, err := r.plan()
	if err != nil {
		return nil, err
	}
	both, recording := &inturns.Duet{}, &duets.Recording{}
	var engines [2]*engine.Engine
	for side, address := range addresses {
		target, sampler, err := openSide(ctx, plan, address)
		if err != nil {
			return nil, fmt.Errorf("the %s: %w", duet.Side(side), err)
		}
		defer closeDuetTarget(ctx, target)
		defer sampler.Close()
		both.Resting[side] = sampler
		engines[side] = &engine.Engine{
			Plan: plan, Target: target, Reporter: silent{}, Version: "bench",
			Log: slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelWarn})),
		}
	}
	both.Baseline, both.Candidate = engines[duet.Baseline], engines[duet.Candidate]
	var failed error
	both.Record = func(_ string, group duet.Group) {
		if len(recording.Groups) == 0 {
			recording.Preparation = time.Since(begun) - group.At
		}
		failed = errors.Join(failed, recording.Add(group))
	}
	measured := plan.Steps[len(plan.Steps)-1]
	recording.Lines = measured.Compare
	for _, operation := range measured.Operations {
		recording.Operations = append(recording.Operations, operation.Name)
	}
	_, err = both.Run(ctx)
	return recording, errors.Join(err, failed)
}

// openSide connects to a server, for the load and to see whether it rests.
func openSide(ctx context.Context, plan planv1.Plan, address string) (driver.Target, *observe.Sampler, error) {
	target, err := driver.Open(ctx, []driver.Driver{mongo.Driver}, driver.Config{
		URIs: []string{"mongodb://" + address + "/?directConnection=true"}, Connections: engine.Connections(plan, 0),
		Client: plan.Client,
	})
	if err != nil {
		return nil, nil, fmt.Errorf("connecting: %w", err)
	}
	err = errors.New("its servers cannot be looked at")
	if watched, able := target.(observe.Target); able {
		var servers []observe.Server
		if servers, err = watched.Servers(ctx); err == nil {
			return target, observe.NewSampler(servers), nil
		}
	}
	closeDuetTarget(ctx, target)
	return nil, nil, err
}

func closeDuetTarget(ctx context.Context, target driver.Target) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), goodbye)
	defer cancel()
	_ = target.Close(ctx)
}

// silent is a Reporter that nobody listens to.
type silent struct{}

// Progress is told to nobody.
func (silent) Progress(context.Context, reportv1.Progress) error { return nil }

// Report is handed to nobody.
func (silent) Report(context.Context, reportv1.Report) error { return nil }
