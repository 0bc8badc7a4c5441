package outlet

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

// microsPerMilli brings the largest value of a line, which the log has for people, into milliseconds.
const microsPerMilli = 1000

// Histograms writes the latencies of each second and operation into an interval log of HdrHistogram (version 1.3), as
// its LogReader and plotters read it. A line has the tag step/operation, and step/operation/failed for those that
// failed; values are in microseconds. A line is of what workers have handed in since the line before: an interval lags
// behind by a reply at most, and the sum of all lines is the report's histogram.
type Histograms struct {
	ticker *ticking
	// base is the instant that the times of lines count from.
	base time.Time

	// mutex is held by who writes.
	mutex sync.Mutex
	to    io.Writer
	step  string
	// window has the recordings at work, told what was written of them already, and since when.
	window []measure.Recorded
	told   map[string][]measure.Bucket
	since  time.Time
	result reportv1.Outlet
}

// NewHistograms begins a log with this name for people. Its time is that of its first line.
func NewHistograms(name string, to io.Writer) *Histograms {
	h := &Histograms{
		to: to, base: time.Now().Truncate(time.Second), result: reportv1.Outlet{Name: name},
	}
	log, base := hdrhistogram.NewHistogramLogWriter(to), h.base.UnixMilli()
	h.failed(errors.Join(log.OutputLogFormatVersion(),
		log.OutputComment("[Latencies of operations in microseconds; Interval_Max in milliseconds]"),
		log.OutputBaseTime(base), log.OutputStartTime(base), log.OutputLegend()))
	h.ticker = tick(measure.Interval, h.write)
	return h
}

// Begin is that of a Watcher.
func (h *Histograms) Begin(step planv1.Step) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.step, h.window = step.Name, nil
}

// Record writes what is left of the window before, which is complete.
func (h *Histograms) Record(window ...measure.Recorded) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.writeLocked()
	h.window, h.told, h.since = window, map[string][]measure.Bucket{}, time.Now()
}

// End writes what is left of the step.
func (h *Histograms) End() {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.writeLocked()
	h.window = nil
}

// Finish is that of an Outlet.
func (h *Histograms) Finish() reportv1.Outlet {
	h.ticker.stop()
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return h.result
}

func (h *Histograms) write() {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.writeLocked()
}

// writeLocked writes what has come since it was last called.
func (h *Histograms) writeLocked() {
	now := time.Now()
	for _, recorded := range h.window {
		for _, operation := range recorded.Recording.Live().Operations {
			tag := tagOf(h.step, operation.Name)
			h.interval(tag, operation.Latency, now)
			h.interval(tag+"/failed", operation.Failed, now)
		}
	}
	h.since = now
}

// interval writes a line, unless nothing has come.
func (h *Histograms) interval(tag string, buckets []measure.Bucket, until time.Time) {
	before, at := h.told[tag], 0
	h.told[tag] = buckets
	interval := reportv1.NewHistogram()
	for _, bucket := range buckets {
		count := bucket.Count
		// Both are in ascending order, and what was there once stays.
		if at < len(before) && before[at].Lowest == bucket.Lowest {
			count -= before[at].Count
			at++
		}
		if count > 0 {
			_ = interval.RecordValues(bucket.Lowest, count) // A report's bucket is in range.
		}
	}
	if interval.TotalCount() == 0 {
		return
	}
	encoded, err := reportv1.EncodeHistogram(interval)
	if err == nil {
		// The library's own writer takes every value for one in nanoseconds.
		_, err = fmt.Fprintf(h.to, "Tag=%s,%.3f,%.3f,%.3f,%s\n", tag, h.since.Sub(h.base).Seconds(),
			until.Sub(h.since).Seconds(), float64(interval.Max())/microsPerMilli, encoded)
	}
	if h.failed(err) {
		h.result.Lost++
		return
	}
	h.result.Written++
}

// failed says whether there was an error, and keeps the first.
func (h *Histograms) failed(err error) bool {
	if err != nil && h.result.Error == "" {
		h.result.Error = fmt.Sprintf("writing: %v", err)
	}
	return err != nil
}

// tagOf is what a line is of. A tag has no comma and no space, which end it.
func tagOf(step, operation string) string {
	return strings.Map(func(r rune) rune {
		if r == ',' || r <= ' ' || r == 0x7f {
			return '_'
		}
		return r
	}, step+"/"+operation)
}
