package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/spf13/cobra"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present/screen"
	"github.com/mongobench/mongobench-operator/internal/version"
	"github.com/mongobench/mongobench-operator/loadgen/output"
	"github.com/mongobench/mongobench-operator/loadgen/replay"
)

// recordingFile is what a replay leaves beside its report: what of the recording was sent and what was not.
const recordingFile = "recording.txt"

// defaultReplayThreads is how many operations a replay has under way at most, unless told otherwise.
const defaultReplayThreads = 16

// replayFlags is the command line of loadgen replay.
type replayFlags struct {
	connection
	recording, folder string
	speed             float64
	asFastAsPossible  bool
	threads           int
	databases         map[string]string
	writes            bool
}

func replayCommand() *cobra.Command {
	flags := &replayFlags{}
	command := newCommand("replay", "Resend recorded operations at their recorded times, and report the result",
		flags.replay)
	command.Long = "Resend recorded operations at their recorded times, and report the result.\n\n" +
		"The recording has one operation per line: documents of system.profile as mongoexport writes them, or\n" +
		`{"at": SECONDS OR TIME, "db": NAME, "command": {...}}. Writes are skipped unless --writes is given.`
	command.Example = "  mongoexport --uri mongodb://db.example/shop -c system.profile > profile.jsonl\n" +
		"  loadgen replay -f profile.jsonl --uri mongodb://127.0.0.1:27017 --speed 2 -o results"
	flags.register(command)
	set := command.Flags()
	set.StringVarP(&flags.recording, "filename", "f", "", "file with the recording; - reads standard input")
	set.StringVarP(&flags.folder, "output", "o", "", "folder for report.txt, report.json, report.csv and "+recordingFile)
	set.Float64Var(&flags.speed, "speed", 1, "speed factor; 2 replays twice as fast as recorded")
	set.BoolVar(&flags.asFastAsPossible, "as-fast-as-possible", false, "send each operation as soon as a thread is free")
	set.IntVar(&flags.threads, "threads", defaultReplayThreads, "maximum number of operations in flight")
	set.StringToStringVar(&flags.databases, "database", nil,
		"database to send operations to, as RECORDED=OTHER; *=OTHER for all others")
	set.BoolVar(&flags.writes, "writes", false, "also send writes, which changes data")
	require(command, "filename")
	command.MarkFlagsMutuallyExclusive("speed", "as-fast-as-possible")
	return command
}

// replay reads the recording, sends it, and writes the results.
func (f *replayFlags) replay(ctx context.Context, out io.Writer) error {
	if f.speed <= 0 || f.threads < 1 {
		return errors.New("--speed has to be above 0, and --threads at least 1")
	}
	recording, err := f.read()
	if err != nil {
		return fmt.Errorf("%s: %w", f.recording, err)
	}
	if err := makeFolder(f.folder); err != nil {
		return err
	}
	if err := describeRecording(os.Stderr, recording); err != nil {
		return err
	}
	report, err := f.send(ctx, recording)
	if err != nil {
		return err
	}
	if err := output.Text(out, report); err != nil {
		return err
	}
	if f.folder == "" {
		return nil
	}
	describe := func(to io.Writer) error { return describeRecording(to, recording) }
	return errors.Join(writeResults(f.folder, report), writeFile(filepath.Join(f.folder, recordingFile), describe))
}

// send connects to the database and sends a recording.
func (f *replayFlags) send(ctx context.Context, recording replay.Recording) (reportv1.Report, error) {
	target, err := f.openSingle(ctx, f.threads)
	if err != nil {
		return reportv1.Report{}, err
	}
	defer closeTarget(ctx, target)
	work := &replay.Replay{
		Recording: recording, Target: target, Threads: f.threads, Speed: f.speed, Version: version.Number(),
	}
	if f.asFastAsPossible {
		work.Speed = 0
	}
	stop := announce(ctx, work)
	defer stop()
	return work.Run(ctx)
}

// announce shows how far a replay has come, every second until the returned function is called.
func announce(ctx context.Context, work *replay.Replay) (stop func()) {
	plan := planv1.Plan{Steps: []planv1.Step{{Name: "replay", Kind: planv1.StepMeasure}}}
	progress := output.NewProgress(screen.New(os.Stderr), plan)
	ctx, cancel := context.WithCancel(ctx)
	var announcing sync.WaitGroup
	announcing.Go(func() {
		defer progress.Abandon()
		_ = progress.Progress(ctx, reportv1.Progress{State: reportv1.ProgressWaiting})
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		var before int64
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			answered := work.Answered()
			_ = progress.Progress(ctx, reportv1.Progress{
				State: reportv1.ProgressRunning, OperationsPerSecond: answered - before,
				Percent: int(answered * 100 / int64(len(work.Recording.Operations))),
			})
			before = answered
		}
	})
	return func() {
		cancel()
		announcing.Wait()
	}
}

func (f *replayFlags) read() (replay.Recording, error) {
	options := replay.Options{Writes: f.writes, Databases: f.databases}
	if f.recording == "-" {
		return replay.Read(os.Stdin, options)
	}
	file, err := os.Open(f.recording)
	if err != nil {
		return replay.Recording{}, err
	}
	defer func() { _ = file.Close() }()
	return replay.Read(file, options)
}

// describeRecording tells people what of a recording is sent.
func describeRecording(to io.Writer, recording replay.Recording) error {
	var text bytes.Buffer
	fmt.Fprintf(&text, "%d operations are sent\n", len(recording.Operations))
	for _, reason := range replay.Reasons(recording.LeftOut) {
		fmt.Fprintf(&text, "%d left out: %s\n", recording.LeftOut[reason], reason)
	}
	for _, field := range replay.Reasons(recording.Changed) {
		fmt.Fprintf(&text, "%d sent without %s\n", recording.Changed[field], field)
	}
	_, err := to.Write(text.Bytes())
	return err
}
