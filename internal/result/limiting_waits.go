package result

import (
	"fmt"
	"strings"

	"k8s.io/utils/ptr"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// scarceConnections is that threads waited for a connection, or that a server has hardly one left.
func scarceConnections(e evidence) sighting {
	if service := e.serviceMicros(); service > 0 {
		waited := e.share(float64(e.Traffic.CheckoutMicros) / service)
		if certainty := graded(waited, possibleShare, likelyShare); certainty != "" {
			return sighting{certainty, fmt.Sprintf("waiting for one of %s of the client's pool was %.0f %% of the threads' "+
				"time, up to %s at once, for %d threads", present.Plural(e.PoolSize, "connection"), waited,
				present.Micros(e.Traffic.MaxCheckoutMicros), e.Threads)}
		}
	}
	return e.worstServer(func(member reportv1.Member) (float64, sighting) {
		left, told := e.mean(member, "connections.available")
		current, _ := e.mean(member, "connections.current")
		// One part in a hundred is what the driver's own connections come and go by.
		if !told || left*hundred > current+left {
			return 0, sighting{}
		}
		return current, sighting{reportv1.CertaintyPossible, fmt.Sprintf("server %s had %.0f connections, and %.0f left",
			member.Name, current, left)}
	})
}

const (
	// Writes that met another write of the same document and were done again, in percent of all writes: with half as many
	// conflicts as writes, a third of the attempts are in vain.
	conflictsTold, conflictsLimit = 10, 50
	microsPerMilli                = 1000
)

// contendedLocks is that operations waited for locks, or that writes of the same documents met.
func contendedLocks(e evidence) sighting {
	millis := e.total(reportv1.SeriesLockWait)
	waited := e.waited(millis * microsPerMilli)
	if certainty := graded(waited, possibleShare, likelyShare); certainty != "" {
		return sighting{certainty, fmt.Sprintf("operations waited for locks for %d %% of their time: %s in a second, all "+
			"added up", waited, present.Micros(int64(millis*microsPerMilli)))}
	}
	conflicts, writes := e.total("writeConflicts"), e.total("timed.writes")
	percent := conflicts * hundred / max(writes, 1)
	return sighting{graded(percent, conflictsTold, conflictsLimit), fmt.Sprintf("%s writes/s met another write of the "+
		"same document and were tried again, and %s/s succeeded", present.Count(int64(conflicts)),
		present.Count(int64(writes)))}
}

// flowControl is that a primary held back writes.
func flowControl(e evidence) sighting {
	micros := e.total("flowControl.wait")
	waited := e.waited(micros)
	return sighting{graded(waited, possibleShare, likelyShare), fmt.Sprintf("the primary held writes back for %d %% of "+
		"the time of operations, because of secondaries up to %s behind", waited, e.lag())}
}

// lag is by how much a secondary was behind.
func (e evidence) lag() string { return present.Millis(ptr.Deref(e.summary.ReplicationLagMillis, 0)) }

const (
	// syncsPerWrite is how many syncs of the journal a write waits for: the one that it is in, and on average half of the
	// one that is under way when it comes.
	syncsPerWrite = 1.5
	// Shares, in percent, of the threads' time that pass in such waits. A healthy write that is to be on the disk spends
	// some of its time there.
	syncTold, syncLimits = 25, 50
)

// slowJournal is that writes waited for the journal, if they are to. A background sync, each 100 ms, holds up none.
func slowJournal(e evidence) sighting {
	if !e.syncs() {
		return sighting{}
	}
	return e.worstServer(func(member reportv1.Member) (float64, sighting) {
		at := func(name string) float64 { mean, _ := e.mean(member, name); return mean }
		syncs, writes, takes := at("journal.syncs"), at("timed.writes"), at("serverTime.writes")
		if syncs == 0 || takes == 0 {
			return 0, sighting{}
		}
		sync := at("journal.syncTime") / syncs
		// What of the time of all operations is that of writes.
		part := min(1, writes*takes/max(e.time, 1))
		share := min(1, syncsPerWrite*sync/takes) * part * hundred
		return share, sighting{graded(share, syncTold, syncLimits), fmt.Sprintf("one sync of the journal of server %s takes "+
			"%s, of %s that a write takes; %.0f syncs/s carried %s writes/s", member.Name, present.Micros(int64(sync)),
			present.Micros(int64(takes)), syncs, present.Count(int64(writes)))}
	})
}

// syncs says that writes wait for the journal, or that it is not known.
func (e evidence) syncs() bool {
	durability := e.server.Durability
	return durability == "" || strings.Contains(durability, string(benchv1alpha1.DurabilitySynced)) ||
		strings.Contains(durability, string(benchv1alpha1.DurabilityMajority))
}

// awaitedMajority is that writes waited for other members.
func awaitedMajority(e evidence) sighting {
	millis, waits := e.total("replication.majorityWait"), e.total("replication.majorityWaits")
	waited := e.waited(millis * microsPerMilli)
	return sighting{graded(waited, possibleShare, likelyShare), fmt.Sprintf("writes waited for other members for %d %% "+
		"of the time of operations, %s each; the secondaries were up to %s behind", waited,
		present.Micros(int64(millis*microsPerMilli/max(waits, 1))), e.lag())}
}

const (
	// leastWay, in microseconds, is what has to pass between the load generator and the server for anyone to notice: a
	// round trip within one zone of a cloud takes less.
	leastWay = 1000
	// leastTraffic, in bytes per second, is what any network carries. With less, and a round trip that is short when there
	// is nothing to do, the time on the way is that of processors at its ends.
	leastTraffic = 1 << 20
	// Shares, in percent, of the service time that pass on the way.
	wayTold, wayLimits = 50, 75
)

// longWay is that most of the time of operations passed outside of the servers, and not in the load generator.
func longWay(e evidence) sighting {
	inServer, timed := e.serverTime()
	service := float64(e.service().MeanMicros)
	count := e.service().Timed
	if count == 0 || timed == 0 {
		return sighting{}
	}
	way := service - inServer - float64(e.Traffic.CheckoutMicros)/float64(count)
	own := 0.0
	if e.delay != nil {
		own = e.delay.reply.Mean()
	}
	// As many operations have to be timed there as here, or the two are not of the same.
	ended := float64(e.summary.Overall.OperationsPerSecond)
	if way < leastWay || own*2 > way || timed*2 < ended {
		return sighting{}
	}
	share := e.share(way / service)
	said := fmt.Sprintf("of a mean service time of %s, operations were in the server for %s",
		present.Micros(int64(service)), present.Micros(int64(inServer)))
	seconds := max(e.Window().Seconds(), 0.001)
	in, out := float64(e.Traffic.BytesIn)/seconds, float64(e.Traffic.BytesOut)/seconds
	switch ping := reportv1.Farthest(e.Pings); {
	case ping != nil && float64(ping.MedianMicros)*2 >= way:
		said += "; a round trip that needs no work takes " + present.Micros(ping.MedianMicros)
	case max(in, out) >= leastTraffic:
		said += fmt.Sprintf("; %s/s came in and %s/s went out", present.Bytes(int64(in)), present.Bytes(int64(out)))
	default:
		return sighting{}
	}
	return sighting{graded(share, wayTold, wayLimits), said}
}

// serverTime is the mean time, in microseconds, of the operations that the servers timed, and how many those are in a
// second.
func (e evidence) serverTime() (mean, timed float64) {
	var all float64
	for _, member := range e.servers {
		for _, kind := range []string{"reads", "writes"} {
			rate, _ := e.mean(member, "timed."+kind)
			takes, _ := e.mean(member, "serverTime."+kind)
			timed += rate
			all += rate * takes
		}
	}
	return all / max(timed, 1), timed
}
