package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
)

const (
	// beatPeriod is how often a claim is renewed: a write of a hundred bytes, of pod 0 alone.
	beatPeriod = 10 * time.Second
	// lookPeriod lies between two looks of a run that waits at the claim of another one, and deadLooks in a row at a claim
	// that nobody renews say that its run is gone. That is three beats: one is late when a primary steps down, or a
	// process waits for a processor.
	lookPeriod = 2 * time.Second
	deadLooks  = 15
	// releaseTime is how long giving a claim back may take. One that is not given back is dead soon.
	releaseTime = 2 * time.Second
	// maxRunName is how many bytes of a run's name are kept, and shown of one that is read.
	maxRunName = 128
)

// errUnclaimed is that the database did not take the claim.
var errUnclaimed = errors.New("claiming it for this run")

// errTaken is the error of a run whose database another run has taken, since it was silent for too long.
var errTaken = errors.New("another run has taken it, since this one was silent for more than " +
	(deadLooks * lookPeriod).String() + " (its process, its machine or the network stood still); what it measured is " +
	"not to be relied on: start it again")

// claim is what a run has its database for itself by. Pod 0 takes it before it looks at what the database holds, and
// has it until all pods have ended.
//
//	                         every 10 s                        no other run, or one whose claim nobody renews
//	nobody ──▶ this run ──────▶ renewed ──▶ nobody                         ──▶ this run
//	              └ shares, and has loaded ──▶ all that share ──▶ dead, 30 s after the last of them
type claim struct {
	engine *Engine
	keeper loadgen.Keeper
	// lose ends the run.
	lose context.CancelCauseFunc

	beating sync.WaitGroup
	stop    context.CancelFunc
	// mutex guards held, which is the claim as this run wrote it last; nil: it has none.
	mutex sync.Mutex
	held  *loadgen.Claim
}

func newClaim(e *Engine, keeper loadgen.Keeper) *claim {
	return &claim{engine: e, keeper: keeper, stop: func() {}, lose: func(error) {}}
}

// own is the claim of this run. One that was given no identity has one of its own.
func (c *claim) own() loadgen.Claim {
	if c.engine.RunUID == "" {
		c.engine.RunUID = rand.Text()
	}
	return loadgen.Claim{Holder: c.engine.RunUID, Name: shortName(c.engine.RunName), Shares: c.engine.SharesDatabase}
}

// shared says whether what this run has is not its own alone.
func (c *claim) shared() bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.held != nil && c.held.Holder == loadgen.HeldByAll
}

func shortName(name string) string { return strings.ToValidUTF8(name[:min(len(name), maxRunName)], "") }

// take waits until the database is this run's, and fails as soon as it is known that another run is at work in it. With
// join it is content with one that is shared by all. From then on the claim is renewed.
func (c *claim) take(ctx context.Context, join bool) error {
	var other waiting
	for {
		found, err := c.keeper.Claim(ctx, c.engine.Plan.Database)
		if err != nil {
			return fmt.Errorf("reading whose database %q is: %w", c.engine.Plan.Database, err)
		}
		next := c.next(found, join)
		if found != nil && found.Holder != next.Holder {
			dead, err := c.look(ctx, &other, found)
			if err != nil {
				return err
			}
			if !dead {
				continue
			}
		}
		taken, err := c.set(ctx, found, &next)
		if taken || err != nil {
			return err
		}
	}
}

// await waits until no other run has the database for itself, and leaves nothing in it. It is an error that one is at
// work; runs that share the database do not load.
func (c *claim) await(ctx context.Context) error {
	var other waiting
	for {
		found, err := c.keeper.Claim(ctx, c.engine.Plan.Database)
		if err != nil {
			return fmt.Errorf("reading whose database %q is: %w", c.engine.Plan.Database, err)
		}
		if found == nil || found.Holder == loadgen.HeldByAll || found.Holder == c.own().Holder {
			return nil
		}
		if dead, err := c.look(ctx, &other, found); dead || err != nil {
			return err
		}
	}
}

// next is the claim that is to be in the place of another one, or of none.
func (c *claim) next(found *loadgen.Claim, join bool) loadgen.Claim {
	own := c.own()
	if join && own.Shares && found != nil && found.Holder == loadgen.HeldByAll {
		return *found
	}
	return own
}

// look takes a look at another run's claim, and says whether that run is gone; if it is not, there is a pause. It is an
// error that the run is at work, unless it shares the database, as this one does, and will have loaded it soon.
func (c *claim) look(ctx context.Context, other *waiting, found *loadgen.Claim) (dead bool, err error) {
	signs, err := c.signs(ctx, found)
	if err != nil {
		return false, err
	}
	if other.dead(found.Holder, signs) {
		return true, nil
	}
	loadsForAll := c.engine.SharesDatabase && found.Shares && found.Holder != loadgen.HeldByAll
	if other.alive && !loadsForAll {
		return false, c.inUse(found)
	}
	c.engine.Log.Info("The database is claimed by another run: waiting to see whether it is still at work",
		"database", c.engine.Plan.Database, "run", shortName(found.Name))
	return false, alarm.Timer{}.Until(ctx, time.Now().Add(lookPeriod))
}

// signs are what tells that a run is at work: it renews its claim, or its pods write down how far they have loaded,
// which they also do while pod 0 is being replaced.
func (c *claim) signs(ctx context.Context, found *loadgen.Claim) (string, error) {
	signs := strconv.FormatInt(found.Beat, 10)
	keeper, able := c.keeper.(loadgen.Checkpointer)
	if !able {
		return signs, nil
	}
	checkpoints, err := keeper.Checkpoints(ctx, c.engine.Plan.Database)
	if err != nil {
		return "", fmt.Errorf("reading the checkpoints of a load from database %q: %w", c.engine.Plan.Database, err)
	}
	return signs + fmt.Sprint(checkpoints), nil
}

// waiting is what was seen of another run's claim so far. It counts looks, and not time, so that one look that took
// long says no more than any other.
type waiting struct {
	holder, signs string
	looks         int
	// alive says that the other run has shown a sign.
	alive bool
}

// dead takes a look at another run's claim, and says whether it was the same for long enough.
func (w *waiting) dead(holder, signs string) bool {
	switch {
	case w.holder != holder:
		*w = waiting{holder: holder, signs: signs}
	case w.signs != signs:
		w.signs, w.looks, w.alive = signs, 0, true
	default:
		w.looks++
	}
	return w.looks >= deadLooks
}

// inUse is the error of a database in which another run is at work.
func (c *claim) inUse(found *loadgen.Claim) error {
	name := fmt.Sprintf("run %q is", shortName(found.Name))
	if found.Holder == loadgen.HeldByAll {
		name = fmt.Sprintf("runs that share it are, the last to come was %q,", shortName(found.Name))
	}
	return fmt.Errorf("database %q is in use: %s loading or measuring there; nothing was dropped or written; wait for "+
		"its end, choose another spec.dataset.database, or have all of them share a dataset that is loaded, by "+
		"spec.concurrency.database: Shared", c.engine.Plan.Database, name)
}

// set replaces a claim by one of this run's, and renews that from then on. It is false where the database holds another
// one by now.
func (c *claim) set(ctx context.Context, found, next *loadgen.Claim) (bool, error) {
	next.Beat = 1
	if found != nil {
		next.Beat = found.Beat + 1
	}
	taken, err := c.keeper.SetClaim(ctx, c.engine.Plan.Database, found, next)
	if err != nil {
		return false, fmt.Errorf("database %q: %w: %w", c.engine.Plan.Database, errUnclaimed, err)
	}
	if !taken {
		return false, nil
	}
	c.mutex.Lock()
	first := c.held == nil
	c.held = next
	c.mutex.Unlock()
	if first {
		// It is renewed also when the plan has ended: other pods may be at work.
		beating, stop := context.WithCancel(context.WithoutCancel(ctx))
		c.stop = stop
		c.beating.Go(func() { c.beat(beating) })
	}
	return true, nil
}

// beat renews the claim until the context ends. A renewal that fails is tried again with the next: a database that does
// not answer this run lets no other one in either.
func (c *claim) beat(ctx context.Context) {
	for (alarm.Timer{}).Until(ctx, time.Now().Add(beatPeriod)) == nil {
		if err := c.renew(ctx); err != nil {
			c.lose(err)
			return
		}
	}
}

// renew is an error only where the claim is another run's.
func (c *claim) renew(ctx context.Context) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	next := *c.held
	next.Beat++
	renewed, err := c.keeper.SetClaim(ctx, c.engine.Plan.Database, c.held, &next)
	if renewed {
		c.held = &next
	}
	if renewed || err != nil {
		return nil
	}
	// An earlier renewal may have succeeded unheard, and what all hold others renew.
	found, err := c.keeper.Claim(ctx, c.engine.Plan.Database)
	switch {
	case err != nil:
		return nil
	case found == nil:
		// The next renewal tells whether it was written.
		_, _ = c.keeper.SetClaim(ctx, c.engine.Plan.Database, nil, &next)
		return nil
	case found.Holder == c.held.Holder:
		c.held = found
		return nil
	default:
		return fmt.Errorf("database %q is run %q's now: %w", c.engine.Plan.Database, shortName(found.Name), errTaken)
	}
}

// share lets others in that share the database, once this run has loaded it, if it shares it itself.
func (c *claim) share(ctx context.Context) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if !c.engine.SharesDatabase || c.held == nil || c.held.Holder == loadgen.HeldByAll {
		return nil
	}
	next := *c.held
	next.Holder, next.Beat = loadgen.HeldByAll, next.Beat+1
	shared, err := c.keeper.SetClaim(ctx, c.engine.Plan.Database, c.held, &next)
	if err == nil && !shared {
		err = errTaken
	}
	if err != nil {
		return fmt.Errorf("sharing database %q: %w", c.engine.Plan.Database, err)
	}
	c.held = &next
	return nil
}

// release gives the claim back. That of all is left to die: it may be another's, too.
func (c *claim) release(ctx context.Context) {
	c.stop()
	c.beating.Wait()
	if c.held == nil || c.held.Holder == loadgen.HeldByAll {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
	defer cancel()
	if _, err := c.keeper.SetClaim(ctx, c.engine.Plan.Database, c.held, nil); err != nil {
		c.engine.Log.Warn("The claim of the database was not given back; the next run waits until it is dead",
			"database", c.engine.Plan.Database, "error", err)
	}
}
