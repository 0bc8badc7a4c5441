package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

const (
	raceObserving = "observing"
	// observingPairs of windows are compared in each round. The second of them goes the other way round, so that what
	// drifts favours nobody.
	observingPairs = 2
	// scrapeInterval is the chart's for load pods.
	scrapeInterval = 5 * time.Second
	// observingWindow holds the same number of scrapes wherever it begins.
	observingWindow = 3 * scrapeInterval
	// scrapeFormat is what Prometheus asks for when it wants native histograms.
	scrapeFormat = "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited"
)

// observingRace compares the load generator by itself with one that samples the server each second and is scraped as
// the chart says, at the same work.
func (p programs) observingRace() race {
	r := race{
		name:    raceObserving,
		title:   "YCSB A, 16 threads, by itself and while it observes and is scraped, for " + observingWindow.String(),
		atLeast: observingWindow,
	}
	for pair := range observingPairs {
		both := []contender{p.byItself(pair), p.observing(pair)}
		if pair%2 == 1 {
			both[0], both[1] = both[1], both[0]
		}
		r.contenders = append(r.contenders, both...)
	}
	return r
}

func observingName(observing bool, pair int) string {
	name := nameOurs + ", by itself"
	if observing {
		name = nameOurs + ", observing"
	}
	return name + ", " + strconv.Itoa(pair+1)
}

// byItself neither observes nor is scraped.
func (p programs) byItself(pair int) contender {
	return p.oursWith(observingName(false, pair), "--observe=false")
}

// observing does both.
func (p programs) observing(pair int) contender {
	c := p.oursWith(observingName(true, pair), "--metrics-bind-address", p.scraped)
	c.beside = func(ctx context.Context) error { return scrapeUntil(ctx, "http://"+p.scraped+"/metrics") }
	return c
}

// oursWith is the load generator with more arguments.
func (p programs) oursWith(name string, more ...string) contender {
	c := p.ours(mode{title: name, client: clientAuto, run: pointsFile, threads: ycsbThreads, reads: 50})
	prepare := c.prepare
	c.prepare = func(target string, length time.Duration) (command, string, error) {
		started, report, err := prepare(target, length)
		started.arguments = append(started.arguments, more...)
		return started, report, err
	}
	return c
}

// scrapeUntil reads metrics as Prometheus does, until the context ends. What does not answer is asked again: it may not
// have begun yet, or have ended. What never answered was not measured.
func scrapeUntil(ctx context.Context, url string) error {
	ticker := time.NewTicker(scrapeInterval)
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
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	request.Header.Set("Accept", scrapeFormat)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	read, err := io.Copy(io.Discard, answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK || read == 0 {
		return fmt.Errorf("the answer is %s with %d bytes", answer.Status, read)
	}
	return nil
}

// observingFigures say what observing and being scraped cost of the throughput, and how far the pairs lie apart: a cost
// that is much smaller than that was not seen. The CPU time that an operation takes more, of client and server
// together, is what a machine that is fully busy loses; it is disturbed by less.
func (r results) observingFigures() []figure {
	work := func(w window) float64 { return w.Client + w.Server }
	rates, costs := make([]float64, 0, observingPairs), make([]float64, 0, observingPairs)
	for pair := range observingPairs {
		with, without := observingName(true, pair), observingName(false, pair)
		rates = append(rates, ratios(r.series(raceObserving, with, rate), r.series(raceObserving, without, rate))...)
		costs = append(costs, ratios(r.series(raceObserving, with, work), r.series(raceObserving, without, work))...)
	}
	return []figure{
		{name: "observing_cost_percent", value: 100 * (1 - median(rates)), unit: "percent", atMost: 1},
		{name: "observing_pairs_spread_percent", value: 100 * spread(rates), unit: "percent"},
		{name: "observing_cpu_percent", value: 100 * (median(costs) - 1), unit: "percent"},
	}
}
