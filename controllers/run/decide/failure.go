package decide

import "time"

// causeGrace is how long a failure may wait for a better cause: a killed mongod is seen by the load pods at once, and
// by the kubelet, which can say why, some seconds later.
const causeGrace = 5 * time.Second

// failure is a cause for which a run fails.
type failure struct {
	reason  string
	message string
	// since is when it happened, if a better cause may still show: the verdict waits for causeGrace after it. Zero for a
	// cause that is as good as any.
	since time.Time
}

// graceLeft is how long a verdict must still wait for a better cause.
func (f *failure) graceLeft(now time.Time) time.Duration {
	if f.since.IsZero() {
		return 0
	}
	return causeGrace - now.Sub(f.since)
}
