package punctual

import (
	"context"
	"time"

	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// Target is a database that takes exactly so long for every operation, however many there are at a time.
type Target struct {
	drivertest.Target

	Takes time.Duration
}

// Session opens a handle with a timer of its own.
func (t *Target) Session(ctx context.Context, use loadgen.Use) (loadgen.Session, error) {
	opened, err := t.Target.Session(ctx, use)
	if err != nil {
		return nil, err
	}
	return &session{Session: opened, takes: t.Takes, timer: alarm.Precise()}, nil
}

type session struct {
	loadgen.Session

	takes time.Duration
	timer alarm.Alarm
}

// Execute takes its time.
func (s *session) Execute(ctx context.Context, _ *workload.Request, reply *loadgen.Reply) error {
	reply.Documents = 1
	return s.timer.Until(ctx, time.Now().Add(s.takes))
}

// Close gives the timer back.
func (s *session) Close() {
	s.timer.Close()
	s.Session.Close()
}
