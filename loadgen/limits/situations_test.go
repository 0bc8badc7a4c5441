package limits

import (
	"runtime"
	"testing"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// Programs of the server, in a filter: one that holds what an operation has for a while, and one that uses a processor
// for as long. How much else a machine does in that time does not matter.
const (
	spin = `"function() { var end = Date.now() + 10; while (Date.now() < end); return true; }"`
)

var situations = []situation{
	{
		made: "nothing: two threads that think for 20 ms", want: reportv1.LimitedByNothingSeen,
		make: func(t *testing.T) scene { return alone(newServer(t)) },
		run: `
      threads: 2
      thinkTimeMicros: 20000
      operations: [{name: read, kind: FindOne, filter: {_id: {$key: _id}}}]
`,
	},
	{
		made: "an open loop of 50/s", want: reportv1.LimitedBySchedule,
		make: func(t *testing.T) scene { return alone(newServer(t)) },
		run: `
      threads: 8
      arrival: {operationsPerSecond: 50}
      operations: [{name: read, kind: FindOne, filter: {_id: {$key: _id}}}]
`,
	},
	{
		made: "a CPU limit of a fifth of a core", want: reportv1.LimitedByCPU,
		make: func(t *testing.T) scene { return throttled(t, 20) },
		run: `
      threads: 8
      operations: [{name: read, kind: FindOne, filter: {_id: {$key: _id}, $where: ` + spin + `}}]
`,
	},
	{
		made: "a CPU limit of half a core, and eight threads that use 10 ms at once", want: reportv1.LimitedByThrottling,
		long: true,
		make: func(t *testing.T) scene { return throttled(t, 50) },
		run: `
      threads: 8
      thinkTimeMicros: 250000
      operations: [{name: read, kind: FindOne, filter: {_id: {$key: _id}, $where: ` + spin + `}}]
`,
	},
	{
		made: "more threads that use a processor than there are", want: reportv1.LimitedByCPU, long: true,
		make: func(t *testing.T) scene { return alone(newServer(t)) },
		run: `
      threads: 24
      operations: [{name: read, kind: FindOne, filter: {_id: {$key: _id}, $where: ` + spin + `}}]
`,
	},
	{
		made: "a cache of 4 MB, and updates of 40 MB", want: reportv1.LimitedByCache, long: true,
		documents: 4000, bytes: 10_000,
		make: func(t *testing.T) scene {
			server := newServer(t)
			set(t, server, "wiredTigerEngineRuntimeConfig", "cache_size=4MB")
			return alone(server)
		},
		run: `
      threads: 64
      operations: [{name: update, kind: UpdateOne, filter: {_id: {$key: _id}}, update: {$inc: {n: 1}}}]
`,
	},
	{
		made: "a journal whose syncs take 20 ms, and writes that wait for it", want: reportv1.LimitedByJournal,
		make: func(t *testing.T) scene { return alone(slowSyncs(t, 20*time.Millisecond)) },
		run: `
      threads: 8
      operations:
        - name: update
          kind: UpdateOne
          filter: {_id: {$key: _id}}
          update: {$inc: {n: 1}}
          writeConcern: {w: "1", journal: Required}
`,
	},
	{
		made: "five tickets, and sixteen threads whose reads take 5 ms", want: reportv1.LimitedByTickets,
		make: func(t *testing.T) scene {
			server := newServer(t)
			set(t, server, "wiredTigerConcurrentReadTransactions", 5) // The fewest that it takes.
			return alone(server)
		},
		run: `
      threads: 16
      operations: [{name: read, kind: FindOne, filter: {_id: {$key: _id}, $where: "sleep(5) || true"}}]
`,
	},
	{
		made: "a lock on all writes, three quarters of the time", want: reportv1.LimitedByLocks, long: true,
		make: func(t *testing.T) scene {
			server := newServer(t)
			lockWrites(t, server, 150*time.Millisecond, 50*time.Millisecond)
			return alone(server)
		},
		run: `
      threads: 8
      operations: [{name: update, kind: UpdateOne, filter: {_id: {$key: _id}}, update: {$inc: {n: 1}}}]
`,
	},
	{
		made: "sixteen threads that update one document", want: reportv1.LimitedByLocks, long: true,
		make: func(t *testing.T) scene { return alone(newServer(t)) },
		run: `
      threads: 16
      operations:
        - {name: update, kind: UpdateOne, filter: {_id: 1, $where: "sleep(2) || true"}, update: {$inc: {n: 1}}}
`,
	},
	{
		made: "a pool of one connection for eight threads", want: reportv1.LimitedByConnections,
		make: func(t *testing.T) scene { return scene{uris: []string{newServer(t).URI() + "&maxPoolSize=1"}} },
		run: `
      threads: 8
      operations: [{name: read, kind: FindOne, filter: {_id: {$key: _id}, $where: "sleep(2) || true"}}]
`,
	},
	{
		made: "two shards, and all reads for one of them", want: reportv1.LimitedByHotShard, long: true,
		make: func(t *testing.T) scene { return scene{uris: []string{newServer(t).URI(), newServer(t).URI()}} },
		run: `
      threads: 8
      operations: [{name: read, kind: FindOne, filter: {_id: 1, $where: "sleep(2) || true"}}]
`,
	},
	{
		made: "a secondary that is a second behind, and writes for the majority", want: reportv1.LimitedByMajority, warmup: 3,
		long: true, lagMillis: 500,
		make: func(t *testing.T) scene { return delayedSet(t) },
		run: `
      threads: 8
      operations:
        - name: update
          kind: UpdateOne
          filter: {_id: {$key: _id}}
          update: {$inc: {n: 1}}
          writeConcern: {w: majority}
`,
	},
	{
		made: "flow control at a lag of a second, and a secondary that is further behind",
		want: reportv1.LimitedByFlowControl,
		long: true, warmup: 4,
		make: heldBackSet,
		run: `
      threads: 8
      operations:
        - {name: update, kind: UpdateOne, filter: {_id: {$key: _id}}, update: {$inc: {n: 1}}, writeConcern: {w: "1"}}
`,
	},
	{
		made: "a way of 10 ms to the server", want: reportv1.LimitedByNetwork,
		make: func(t *testing.T) scene { return behind(t, newServer(t), 10*time.Millisecond, 0) },
		run: `
      threads: 4
      operations: [{name: read, kind: FindOne, filter: {_id: {$key: _id}}}]
`,
	},
	{
		made: "a network of 2 MB/s, and replies of 100 KB", want: reportv1.LimitedByNetwork, long: true,
		make: func(t *testing.T) scene { return behind(t, newServer(t), 0, 2<<20) },
		run: `
      threads: 8
      operations: [{name: read, kind: Find}]
`,
	},
	{
		made: "a load generator with one processor, and large replies for 32 threads", want: reportv1.LimitedByGenerator,
		long: true,
		make: func(t *testing.T) scene {
			before := runtime.GOMAXPROCS(1)
			t.Cleanup(func() { runtime.GOMAXPROCS(before) })
			return alone(newServer(t))
		},
		run: `
      threads: 32
      operations: [{name: read, kind: Find}]
`,
	},
	{
		made: "an open loop of 400/s with one thread, and reads that take 3 ms", want: reportv1.LimitedByThreads, long: true,
		make: func(t *testing.T) scene { return alone(newServer(t)) },
		run: `
      threads: 1
      arrival: {operationsPerSecond: 400, maxQueued: 100}
      operations: [{name: read, kind: FindOne, filter: {_id: {$key: _id}, $where: "sleep(3) || true"}}]
`,
	},
}
