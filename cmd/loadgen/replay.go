package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present/screen"
	"github.com/mongobench/mongobench-operator/internal/version"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
	"github.com/mongobench/mongobench-operator/loadgen/output"
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
		"The recording has one operation per line: documents of system.profile as mongoexport writes them, lines of a\n" +
		"server's log, or " + `{"at": SECONDS OR TIME, "db": NAME, "command": {...}}. Or it is what a server recorded of its` +
		"\ntraffic. It is read twice, and never held in memory. Writes are skipped unless --writes is given."
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

// replay sends the recording as the only step of a plan, and writes the results.
func (f *replayFlags) replay(ctx context.Context, out io.Writer) error {
	if f.speed <= 0 || f.threads < 1 {
		return errors.New("--speed has to be above 0, and --threads at least 1")
	}
	file, err := f.file()
	if err != nil {
		return err
	}
	defer file.remove()
	if err := makeFolder(f.folder); err != nil {
		return err
	}
	report, err := f.send(ctx, file)
	if err != nil && report.Partial == nil {
		return err
	}
	describe := func(to io.Writer) error { return output.Replay(to, report.Steps[0].Replay) }
	err = errors.Join(err, describe(os.Stderr), output.Text(out, report))
	if f.folder == "" {
		return err
	}
	return errors.Join(err, writeResults(f.folder, report), writeFile(filepath.Join(f.folder, recordingFile), describe))
}

// plan has the recording replayed. The database is in each of its operations; there is no dataset.
func (f *replayFlags) plan(file recording) planv1.Plan {
	speed := f.speed
	if f.asFastAsPossible {
		speed = 0
	}
	return planv1.Plan{Version: planv1.Version, Pods: 1, Steps: []planv1.Step{{
		Name: "replay", Kind: planv1.StepMeasure, Threads: f.threads,
		Replay: &planv1.Replay{
			Recording: planv1.File{Path: file.name}, Speed: speed, Writes: f.writes, Into: f.databases,
		},
	}}}
}

// send connects to the database and sends a recording.
func (f *replayFlags) send(ctx context.Context, file recording) (reportv1.Report, error) {
	plan := f.plan(file)
	encoded, err := planv1.Encode(plan)
	if err != nil {
		return reportv1.Report{}, err
	}
	target, err := f.openSingle(ctx, f.threads)
	if err != nil {
		return reportv1.Report{}, err
	}
	defer closeTarget(ctx, target)
	progress := output.NewProgress(screen.New(os.Stderr), plan)
	follower := &engine.Engine{
		Plan: plan, PlanHash: planv1.Hash(encoded), Target: target, Reporter: progress, Files: file,
		Version: version.Number(),
		Log:     slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
	report, err := follower.Run(ctx)
	if err != nil {
		progress.Abandon()
	}
	return report, err
}

// recording is the file of a replay.
type recording struct {
	// name that people know it by, and path of where it lies.
	name, path string
	temporary  bool
}

// Open opens it, whatever the plan calls it.
func (r recording) Open(planv1.File) (io.ReadCloser, error) { return os.Open(r.path) }

// remove removes what was made for this replay only.
func (r recording) remove() {
	if r.temporary {
		_ = os.Remove(r.path)
	}
}

// file is the recording that the flags name. It is read twice, so that the standard input is kept meanwhile.
func (f *replayFlags) file() (recording, error) {
	if f.recording != "-" {
		_, err := os.Stat(f.recording)
		return recording{name: f.recording, path: f.recording}, err
	}
	kept, err := os.CreateTemp("", "loadgen-recording-*")
	if err != nil {
		return recording{}, fmt.Errorf("keeping the standard input: %w", err)
	}
	made := recording{name: "standard input", path: kept.Name(), temporary: true}
	_, err = io.Copy(kept, os.Stdin)
	if err = errors.Join(err, kept.Close()); err != nil {
		made.remove()
		return recording{}, fmt.Errorf("keeping the standard input: %w", err)
	}
	return made, nil
}
