package measure

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

const (
	// syncBlock is written before each synchronisation, as much as a journal writes for a small transaction, and syncFile
	// the file that blocks are written over and over again in, as a journal's.
	syncBlock = 4 << 10
	syncFile  = 4 << 20
	// leastSyncs are what the 99th percentile needs.
	leastSyncs = 100
)

// SyncLatency is how long it takes to bring a block that was just written to the disk of a folder: percentiles of so
// many times, or of as many as fit into the time, but at least a hundred. The file that it takes is removed.
//
// A file that does not grow is synchronised, for that is what a journal is: a growing one would take the file system's
// own journal too.
func SyncLatency(ctx context.Context, folder string, syncs int, most time.Duration) (reportv1.SyncMicros, error) {
	file, err := os.CreateTemp(folder, ".sync-latency-*")
	if err != nil {
		return reportv1.SyncMicros{}, fmt.Errorf("measuring how long synchronising takes: %w", err)
	}
	defer func() { _ = os.Remove(file.Name()) }()
	defer func() { _ = file.Close() }()
	times, err := syncTimes(ctx, file, syncs, most)
	if err != nil {
		return reportv1.SyncMicros{}, fmt.Errorf("measuring how long synchronising takes in %s: %w", folder, err)
	}
	slices.Sort(times)
	at := func(percent int) int64 {
		// The smallest time that this share of them does not exceed.
		return times[(len(times)*percent+99)/100-1].Microseconds()
	}
	return reportv1.SyncMicros{P50: at(50), P99: at(99)}, nil
}

// syncTimes are the times that synchronising took.
func syncTimes(ctx context.Context, file *os.File, syncs int, most time.Duration) ([]time.Duration, error) {
	if _, err := file.Write(make([]byte, syncFile)); err != nil {
		return nil, err
	}
	if err := file.Sync(); err != nil {
		return nil, err
	}
	block := make([]byte, syncBlock)
	times := make([]time.Duration, 0, max(syncs, leastSyncs))
	for begin := time.Now(); len(times) < cap(times); {
		if len(times) >= leastSyncs && time.Since(begin) > most {
			break
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		// A block that is as it was might not be written.
		block[0]++
		if _, err := file.WriteAt(block, int64(len(times))*syncBlock%syncFile); err != nil {
			return nil, err
		}
		before := time.Now()
		if err := syncData(file); err != nil {
			return nil, err
		}
		times = append(times, time.Since(before))
	}
	return times, nil
}
