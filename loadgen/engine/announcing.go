package engine

import (
	"context"
	"sync"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

const (
	// announcePeriod is how often a pod looks whether it has something to say of the step at work.
	announcePeriod = time.Second
	// shortestSilence is the least time between two things said of a step that only goes on.
	shortestSilence = 2 * time.Second
	// silencePerPod is the time that each pod of a run adds to the silence of all, so that together they write to the
	// API server once in this time, however many they are: it stores what they write, often on the machine whose
	// database is measured.
	silencePerPod = time.Second
)

// silence is the time between two things that a pod says of a step that only goes on.
func silence(pods int) time.Duration { return max(shortestSilence, time.Duration(pods)*silencePerPod) }

// rhythm says when a pod speaks of a step at work: at once when the step has begun and when its warm-up has ended, and
// else after a silence, at another instant than the other pods.
type rhythm struct {
	pods, index int

	next      time.Time
	warmingUp bool
}

// due says whether to speak now.
func (r *rhythm) due(now time.Time, warmingUp bool) bool {
	silence := silence(r.pods)
	if r.next.IsZero() {
		// All begin at once: each is given a place of its own in the silence of all.
		r.next = now.Add(silence * time.Duration(r.index+1) / time.Duration(max(r.pods, 1)))
		r.warmingUp = warmingUp
		return true
	}
	due := warmingUp != r.warmingUp
	r.warmingUp = warmingUp
	for !now.Before(r.next) {
		due, r.next = true, r.next.Add(silence)
	}
	return due
}

// announcer reports how far a step has come.
type announcer struct {
	*pod
	rhythm

	work     stepRun
	progress reportv1.Progress
	// count of operations when the rate was last told, and when that was.
	count  int64
	lastAt time.Time
}

// announce reports how far a step has come, in the pods' rhythm and at once when there is something else to tell, until
// the returned function is called.
func announce(ctx context.Context, p *pod, index int, work stepRun) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	a := announcer{
		pod: p, rhythm: rhythm{pods: p.Plan.Pods, index: p.Pod}, work: work, lastAt: time.Now(),
		progress: reportv1.Progress{Step: index, State: reportv1.ProgressRunning},
	}
	var announcing sync.WaitGroup
	announcing.Go(func() {
		ticker := time.NewTicker(announcePeriod)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-p.progress.news:
				a.tell(ctx, work.done())
			case now := <-ticker.C:
				a.tick(ctx, now)
			}
		}
	})
	return func() {
		cancel()
		announcing.Wait()
	}
}

// tick says how far the step has come, and how fast, if it is time to.
func (a *announcer) tick(ctx context.Context, now time.Time) {
	current := a.work.done()
	if !a.due(now, current.warmingUp) {
		return
	}
	seconds := max(now.Sub(a.lastAt).Seconds(), 0.001)
	a.progress.OperationsPerSecond = int64(float64(current.count-a.count) / seconds)
	a.count, a.lastAt = current.count, now
	a.tell(ctx, current)
}

func (a *announcer) tell(ctx context.Context, current advance) {
	a.progress.Percent, a.progress.WarmingUp = current.percent, current.warmingUp
	if err := a.pod.progress.tell(ctx, a.progress); err != nil && ctx.Err() == nil {
		a.Log.Warn("Progress was not reported", "error", err)
		a.next = time.Now() // It may have had more to say than how far it is: it is tried again with the next tick.
	}
}
