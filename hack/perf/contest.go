package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/mongobench/mongobench-operator/hack/perf/process"
)

// endPatience is how long a process may take to end by itself once it was asked to.
const endPatience = 10 * time.Second

// contest runs races, round by round, and keeps what was seen.
type contest struct {
	server *server
	window time.Duration
	rounds int
	races  []race
	log    io.Writer
	// seen holds the windows of each round, by race and contender.
	seen results
}

// results are the windows that were seen, in the order of the rounds, by race and contender.
type results map[string]map[string][]window

// run goes through all races round by round: A B C, A B C, so that what changes on the machine meets them all alike.
func (c *contest) run(ctx context.Context) error {
	c.seen = results{}
	for round := range c.rounds {
		for _, race := range c.races {
			if err := c.hold(ctx, race, round); err != nil {
				return err
			}
		}
	}
	return nil
}

// hold measures every contender of a race once, or as often as it has a turn.
func (c *contest) hold(ctx context.Context, race race, round int) error {
	if len(race.turns) > 0 {
		return c.holdInTurns(ctx, race, round)
	}
	for _, contender := range race.contenders {
		if contender.rounds > 0 && round >= contender.rounds {
			continue
		}
		seen, err := c.measure(ctx, contender, c.windowOf(race))
		if err != nil {
			return fmt.Errorf("%s, %s: %w", race.title, contender.name, err)
		}
		c.keep(race, contender, round, seen)
	}
	return nil
}

// windowOf is how long the windows of a race are.
func (c *contest) windowOf(race race) time.Duration {
	if race.atMost > 0 {
		return min(c.window, race.atMost)
	}
	return c.window
}

// keep tells of a window, and keeps it.
func (c *contest) keep(race race, contender contender, round int, seen window) {
	_, _ = fmt.Fprintf(c.log, "bench: round %d/%d, %s, %s: %.0f/s, %.2f µs\n",
		round+1, c.rounds, race.title, contender.name, seen.Rate, seen.Client)
	if c.seen[race.name] == nil {
		c.seen[race.name] = map[string][]window{}
	}
	c.seen[race.name][contender.name] = append(c.seen[race.name][contender.name], seen)
}

// measure starts a contender, measures one window, ends it, and cleans up after it.
func (c *contest) measure(ctx context.Context, who contender, length time.Duration) (seen window, err error) {
	client, err := who.start(length)
	if err != nil {
		return window{}, err
	}
	defer client.Kill()
	beside := who.begin(ctx)
	seen, err = c.server.watch(ctx, client, who.counters, length)
	if err := errors.Join(err, beside()); err != nil {
		return window{}, err
	}
	if who.report != "" {
		if seen.Own, err = c.ownReport(ctx, client, who.report, length); err != nil {
			return window{}, err
		}
	}
	client.Kill()
	if err := c.server.awaitStill(ctx, who.counters); err != nil {
		return window{}, err
	}
	return seen, c.server.clean(who)
}

// begin begins what goes on beside a contender. The returned function ends it and says what went wrong.
func (c contender) begin(ctx context.Context) (end func() error) {
	if c.beside == nil {
		return func() error { return nil }
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- c.beside(ctx) }()
	return func() error {
		cancel()
		return <-ended
	}
}

func (c *contest) ownReport(
	ctx context.Context, client *process.Process, report string, length time.Duration,
) (float64, error) {
	if err := client.Await(ctx, length+margin+endPatience); err != nil {
		return 0, err
	}
	content, err := os.ReadFile(report)
	if err != nil {
		return 0, fmt.Errorf("reading the report of %s: %w", client.Name, err)
	}
	return ownCost(content)
}

// loadYCSB fills the collection that go-ycsb and the floor work on. go-ycsb makes its documents itself.
func (c *contest) loadYCSB(ctx context.Context, p programs) error {
	const patience = 3 * time.Minute
	_, _ = fmt.Fprintf(c.log, "bench: go-ycsb loads its %d documents\n", records)
	loader, err := process.Start("go-ycsb load",
		p.ycsb("load", 4*ycsbThreads, 100, "operationcount="+strconv.Itoa(records)))
	if err != nil {
		return err
	}
	defer loader.Kill()
	return loader.Await(ctx, patience)
}

// holdInTurns starts all contenders of a race, and then lets one work while the others stand still, turn by turn. So
// neighbouring windows differ in what is compared and in little else: not in what was loaded before, nor in what the
// server still has to do for that.
func (c *contest) holdInTurns(ctx context.Context, race race, round int) error {
	length := c.windowOf(race)
	started, err := c.lineUp(ctx, race, round, length)
	defer func() {
		for _, client := range started {
			client.Kill()
		}
	}()
	if err != nil {
		return err
	}
	for _, turn := range race.turns {
		who := race.contenders[turn]
		seen, err := c.takeTurn(ctx, who, started[turn], length)
		if err != nil {
			return fmt.Errorf("%s, %s: %w", race.title, who.name, err)
		}
		c.keep(race, who, round, seen)
	}
	for i, who := range race.contenders {
		started[i].Kill()
		if err := errors.Join(c.server.awaitStill(ctx, who.counters), c.server.clean(who)); err != nil {
			return fmt.Errorf("%s, %s: %w", race.title, who.name, err)
		}
	}
	return nil
}

// lineUp starts contenders, one after the other until each was at work, and returns them standing still. In every
// second round they come the other way round, so that none is always the first to load. It returns what it started
// when it fails, too.
func (c *contest) lineUp(
	ctx context.Context, race race, round int, length time.Duration,
) (map[int]*process.Process, error) {
	order := make([]int, 0, len(race.contenders))
	for i := range race.contenders {
		order = append(order, i)
	}
	if round%2 == 1 {
		slices.Reverse(order)
	}
	// Time goes on for those that stand still.
	whole := 2*time.Duration(len(race.turns))*length + time.Duration(len(order))*beginPatience
	started := make(map[int]*process.Process, len(order))
	for _, i := range order {
		who := race.contenders[i]
		client, err := who.start(whole)
		if err != nil {
			return started, fmt.Errorf("%s, %s: %w", race.title, who.name, err)
		}
		started[i] = client
		if err := errors.Join(c.server.awaitWork(ctx, client, who.counters), client.Pause()); err != nil {
			return started, fmt.Errorf("%s, %s: %w", race.title, who.name, err)
		}
	}
	return started, nil
}

// takeTurn measures one window of a contender that stood still, and stands still again afterwards.
func (c *contest) takeTurn(
	ctx context.Context, who contender, client *process.Process, length time.Duration,
) (window, error) {
	if err := client.Resume(); err != nil {
		return window{}, err
	}
	beside := who.begin(ctx)
	seen, err := c.server.watch(ctx, client, who.counters, length)
	return seen, errors.Join(err, beside(), client.Pause())
}
