package main

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/mongobench/mongobench-operator/hack/perf/process"
	"github.com/mongobench/mongobench-operator/internal/statistics"
	"github.com/mongobench/mongobench-operator/loadgen/observe"
)

const (
	raceObserving = "observing"
	nameByItself  = nameOurs + ", by itself"
	nameObserving = nameOurs + ", observing"
	// oftener is how many times as often as usual the servers are sampled and the load generator is scraped. What that
	// usually takes is a thousandth or so, and the throughput of one and the same work differs by ten percent from one
	// second to the next: only something larger can be told from that.
	oftener = 10
	// sampleInterval is the usual one of the observer, scrapeInterval the chart's for load pods.
	sampleInterval = observe.DefaultInterval
	scrapeInterval = 5 * time.Second
	// scrapeFormat is what Prometheus asks for when it wants native histograms.
	scrapeFormat = "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited"
	// observingConfidence is that of the interval of what observing costs.
	observingConfidence = 0.95
)

// observingRace compares the load generator by itself with one that samples the server and is scraped, at the same
// work: reads, which nothing but the CPU limits, so that what observing takes is missing. Every second pair goes the
// other way round, so that drift favours neither.
func (p programs) observingRace() race {
	const byItself, observing = 0, 1
	return race{
		name: raceObserving,
		title: fmt.Sprintf("YCSB C, 16 threads, in turn by itself, and sampling the server each %s and scraped each %s",
			sampleInterval/oftener, scrapeInterval/oftener),
		contenders: []contender{p.byItself(), p.observing()},
		// An observer that has sampled for six minutes at this interval doubles it (observe.DefaultLimit).
		atMost: 10 * time.Second,
		turns: []int{
			byItself, observing, observing, byItself, byItself, observing, observing, byItself,
			byItself, observing, observing, byItself, byItself, observing, observing, byItself,
		},
	}
}

// byItself neither observes nor is scraped.
func (p programs) byItself() contender {
	return p.ours(readsOf(nameByItself, "byitself"), "--observe=false")
}

// observing does both.
func (p programs) observing() contender {
	c := p.ours(readsOf(nameObserving, "observing"),
		"--observe-interval", (sampleInterval / oftener).String(), "--metrics-bind-address", p.scraped)
	c.beside = func(ctx context.Context) error {
		return scrapeUntil(ctx, "http://"+p.scraped+"/metrics", scrapeInterval/oftener)
	}
	return c
}

func readsOf(title, database string) mode {
	return mode{
		title: title, client: clientWire, run: pointsFile, threads: ycsbThreads, reads: 100, database: database,
	}
}

// scrapeUntil reads metrics as Prometheus does, until the context ends. What does not answer is asked again: it may not
// have begun yet, or have ended. What never answered was not measured.
func scrapeUntil(ctx context.Context, url string, interval time.Duration) error {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	answered, last := false, error(nil)
	for {
		if err := scrapeOnce(ctx, url); err != nil {
			last = err
		} else {
			answered = true
		}
		select {
		case <-ctx.Done():
			if answered {
				return nil
			}
			return fmt.Errorf("no scrape was answered: %w", last)
		case <-ticker.C:
		}
	}
}

func scrapeOnce(ctx context.Context, url string) error {
	body, err := process.Get(ctx, url, scrapeFormat)
	if err == nil && body == "" {
		err = fmt.Errorf("%s has nothing to say", url)
	}
	return err
}

// observingFigures say how much of the throughput is lost to observing and scraping that many times as often as usual,
// what that makes for the usual, and between what each lies with the confidence above. handInNanos is what a thread
// takes each second, however often others look, to hand in what it counted: that is not divided.
func (r results) observingFigures(handInNanos float64) []figure {
	often := lostPercent(r.series(raceObserving, nameObserving, rate), r.series(raceObserving, nameByItself, rate))
	handIn := 100 * ycsbThreads * handInNanos / float64(time.Second) / float64(runtime.NumCPU())
	usual := func(percent float64) float64 { return percent/oftener + handIn }
	return []figure{
		{name: "observing_tenfold_cost_percent", value: often.median, unit: "percent"},
		{name: "observing_tenfold_cost_percent_low", value: often.low, unit: "percent"},
		{name: "observing_tenfold_cost_percent_high", value: often.high, unit: "percent"},
		{name: "observing_cost_percent", value: usual(often.median), unit: "percent", atMost: 1},
		{name: "observing_cost_percent_low", value: usual(often.low), unit: "percent"},
		{name: "observing_cost_percent_high", value: usual(often.high), unit: "percent", atMost: 1},
	}
}

// loss is by how many percent one is less than another, pair by pair: the median, and the interval it lies in.
type loss struct{ median, low, high float64 }

func lostPercent(of, by []float64) loss {
	lost := ratios(of, by)
	for i := range lost {
		lost[i] = 100 * (1 - lost[i])
	}
	interval, err := statistics.MedianInterval(lost, observingConfidence)
	if err != nil { // Nothing was measured.
		return loss{math.NaN(), math.NaN(), math.NaN()}
	}
	return loss{median(lost), interval.Low, interval.High}
}
