package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

const (
	raceReplay = "replay"
	nameReplay = "loadgen, replay"
	// recordedRate is more reads than one processor can send in a second: a recording must not end before its window.
	recordedRate = 90_000
	// recordedSessions are the connections that the recorded reads are of.
	recordedSessions = 64
	recordedVolume   = "recordings"
	recordedReads    = "reads.jsonl"
)

// replayRace compares the replay of recorded reads with the same reads of a mix.
func (p programs) replayRace() race {
	reads := mode{title: nameOurs, client: clientWire, run: pointsFile, threads: ycsbThreads, reads: 100}
	replayed := reads
	replayed.title, replayed.replayed = nameReplay, true
	return race{name: raceReplay, title: "YCSB C, 16 threads, and the same reads replayed", contenders: []contender{
		p.ours(reads), p.ours(replayed, "--files", p.filesFolder()),
	}}
}

// filesFolder is where files of runs are.
func (p programs) filesFolder() string { return filepath.Join(p.scratch, "files") }

// replayReads has a run replay a recording of the reads that it would send, which is written unless it is there.
func replayReads(run *benchv1alpha1.BenchmarkRun, folder string, length time.Duration) error {
	if err := writeReads(run, filepath.Join(folder, "files", "volume", recordedVolume, recordedReads), length); err != nil {
		return err
	}
	step := run.Spec.Workload.Steps[0]
	run.Spec.Workload.Steps = []benchv1alpha1.Step{{
		Name: step.Name, Threads: step.Threads, DurationSeconds: step.DurationSeconds,
		Replay: &benchv1alpha1.Replay{
			Recording: benchv1alpha1.FileSource{
				PersistentVolumeClaim: &benchv1alpha1.VolumeFile{ClaimName: recordedVolume, Path: recordedReads},
			},
			Pace: new(benchv1alpha1.ReplayAsFastAsPossible),
		},
	}}
	return nil
}

// writeReads writes the reads of a run as the monitor of a driver would.
func writeReads(run *benchv1alpha1.BenchmarkRun, path string, length time.Duration) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	plan := spec.Compile(run.Spec)
	dataset, err := workload.NewDataset(plan)
	if err != nil {
		return err
	}
	mixes, err := workload.CompileParts(dataset, plan.AfterLoading())
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	to := bufio.NewWriter(file)
	err = recordReads(to, plan, mixes[0], int(length.Seconds()*recordedRate))
	return errors.Join(err, to.Flush(), file.Close())
}

func recordReads(to *bufio.Writer, plan planv1.Plan, mix *workload.Mix, count int) error {
	var request workload.Request
	for number := range count {
		mix.Draw(int64(number), &request)
		filter, err := bson.MarshalExtJSON(request.Filter, false, false)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(to, `{"at": %.5f, "db": %q, "connection": %d, "command": {"find": %q, "filter": %s, `+
			`"limit": 1, "singleBatch": true}, "reply": {"ok": 1, "cursor": {"id": 0, "firstBatch": [{}]}}}`+"\n",
			float64(number)/recordedRate, plan.Database, number%recordedSessions, request.Collection, filter)
		if err != nil {
			return err
		}
	}
	return nil
}
