package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// holdInTurns starts all contenders of a race, and then lets one work while the others stand still, turn by turn. So
// neighbouring windows differ in what is compared and in little else: not in what was loaded before, nor in what the
// server still has to do for that.
func (c *contest) holdInTurns(ctx context.Context, race race, round int) error {
	length := c.windowOf(race)
	started, err := c.lineUp(ctx, race, round, length)
	defer func() {
		for _, client := range started {
			client.kill()
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
		started[i].kill()
		if err := errors.Join(c.server.awaitStill(ctx, who.counters), c.server.clean(who)); err != nil {
			return fmt.Errorf("%s, %s: %w", race.title, who.name, err)
		}
	}
	return nil
}

// lineUp starts contenders, one after the other until each was at work, and returns them standing still. In every
// second round they come the other way round, so that none is always the first to load. It returns what it started
// when it fails, too.
func (c *contest) lineUp(ctx context.Context, race race, round int, length time.Duration) (map[int]*process, error) {
	order := make([]int, 0, len(race.contenders))
	for i := range race.contenders {
		order = append(order, i)
	}
	if round%2 == 1 {
		slices.Reverse(order)
	}
	// Time goes on for those that stand still.
	whole := 2*time.Duration(len(race.turns))*length + time.Duration(len(order))*beginPatience
	started := make(map[int]*process, len(order))
	for _, i := range order {
		who := race.contenders[i]
		command, _, err := who.prepare(c.server.address, whole)
		if err == nil {
			started[i], err = start(who.name, command)
		}
		if err != nil {
			delete(started, i)
			return started, fmt.Errorf("%s, %s: %w", race.title, who.name, err)
		}
		if err := errors.Join(c.server.awaitWork(ctx, started[i], who.counters), started[i].pause()); err != nil {
			return started, fmt.Errorf("%s, %s: %w", race.title, who.name, err)
		}
	}
	return started, nil
}

// takeTurn measures one window of a contender that stood still, and stands still again afterwards.
func (c *contest) takeTurn(
	ctx context.Context, who contender, client *process, length time.Duration,
) (window, error) {
	if err := client.resume(); err != nil {
		return window{}, err
	}
	beside := who.begin(ctx)
	seen, err := c.server.watch(ctx, client, who.counters, length)
	return seen, errors.Join(err, beside(), client.pause())
}
