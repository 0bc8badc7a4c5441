package gateway

import (
	"sync/atomic"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

// meter counts what a gateway does.
type meter struct {
	process string
	began   time.Time

	requests, requestNanos, waitNanos, databaseNanos atomic.Int64
}

// add counts a request.
func (m *meter) add(took, waited, database time.Duration) {
	m.requests.Add(1)
	m.requestNanos.Add(int64(took))
	m.waitNanos.Add(int64(waited))
	m.databaseNanos.Add(int64(database))
}

// read is what the gateway did and used until now.
func (m *meter) read(poolSize int) usage {
	used := measure.ReadUsage().Since(measure.Usage{})
	return usage{
		Process: m.process, PoolSize: poolSize, MilliCores: int64(measure.Cores() * 1000),
		UptimeMicros: time.Since(m.began).Microseconds(), CPUMicros: used.CPUMicros, ThrottledMicros: used.ThrottledMicros,
		Requests: m.requests.Load(), RequestMicros: micros(m.requestNanos.Load()),
		PoolWaitMicros: micros(m.waitNanos.Load()), DatabaseMicros: micros(m.databaseNanos.Load()),
	}
}

func micros(nanos int64) int64 { return nanos / int64(time.Microsecond) }

// since is what the gateway of this name did between two looks at it, each of which is nil when it did not answer.
func since(name string, perRequest int, before, after *usage) reportv1.Gateway {
	seen := reportv1.Gateway{Name: name, OperationsPerRequest: perRequest}
	if before == nil || after == nil || before.Process != after.Process {
		seen.Lost = true
		return seen
	}
	seen.PoolSize = after.PoolSize
	seen.Requests = after.Requests - before.Requests
	seen.RequestMicros = after.RequestMicros - before.RequestMicros
	seen.PoolWaitMicros = after.PoolWaitMicros - before.PoolWaitMicros
	seen.DatabaseMicros = after.DatabaseMicros - before.DatabaseMicros
	seen.ThrottledMicros = after.ThrottledMicros - before.ThrottledMicros
	if available := (after.UptimeMicros - before.UptimeMicros) * after.MilliCores / 1000; available > 0 {
		seen.CPUPercent = int((after.CPUMicros - before.CPUMicros) * 100 / available)
	}
	return seen
}
