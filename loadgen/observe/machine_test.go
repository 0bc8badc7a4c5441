package observe

import (
	"testing"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// sampledAt is a sample of a server that was started at 0 of its clock, with what it tells of its machine and locks.
func sampledAt(t *testing.T, uptime, status, diagnosticData string) *sample {
	t.Helper()
	s := newSample()
	reply := document(t, `{"uptimeMillis": `+uptime+`, "localTime": {"$date": {"$numberLong": "`+uptime+`"}}`+status+`}`)
	s.decode(serverStatus, reply)
	s.decodeLocks(reply)
	s.decodeDiagnostic(document(t, diagnosticData))
	return s
}

func TestWhatTheMachineDidIsRead(t *testing.T) {
	// The shape is that of 6.0.5: some of the numbers are doubles.
	series := seriesOf(
		sampledAt(t, "1000", "", `{"data": {"systemMetrics": {
			"cpu": {"user_ms": 5000.0, "nice_ms": 0.0, "system_ms": 1000, "irq_ms": 0, "softirq_ms": 10, "steal_ms": 0,
				"idle_ms": 9000, "iowait_ms": 500},
			"disks": {"vda": {"io_time_ms": 700}, "loop0": {"io_time_ms": 0}, "vdb": {"io_time_ms": {"$numberLong": "90"}}}
		}}}`),
		sampledAt(t, "3000", "", `{"data": {"systemMetrics": {
			"cpu": {"user_ms": 8000.0, "nice_ms": 0.0, "system_ms": 1200, "irq_ms": 0, "softirq_ms": 10, "steal_ms": 0,
				"idle_ms": 9500, "iowait_ms": 700},
			"disks": {"vda": {"io_time_ms": 2500}, "loop0": {"io_time_ms": 0}, "vdb": {"io_time_ms": {"$numberLong": "90"}}}
		}}}`),
	)
	for name, want := range map[string]int64{
		reportv1.SeriesHostBusy: 1600, reportv1.SeriesHostIdle: 350, "host.cpuIOWait": 100,
		"host.disk.vda": 900, "host.disk.vdb": 0,
	} {
		if got := series[name]; len(got) != 2 || got[0] != unknown || got[1] != want {
			t.Errorf("%s is %d, want unknown and %d", name, got, want)
		}
	}
	if _, there := series["host.disk.loop0"]; there {
		t.Error("a disk that did nothing is told")
	}
}

func TestAServerThatTellsNothingOfItsMachineHasNoSuchFigures(t *testing.T) {
	series := seriesOf(sampledAt(t, "1000", "", `{"ok": 0}`), sampledAt(t, "2000", "", `{"data": {}}`))
	if len(series) != 0 {
		t.Errorf("got %v, want nothing", series)
	}
}

func TestWaitsForLocksAreAddedUp(t *testing.T) {
	series := seriesOf(
		sampledAt(t, "1000", `, "locks": {"Global": {"acquireCount": {"r": 5}}}`, `{}`),
		sampledAt(t, "2000", `, "locks": {
			"Global": {"acquireCount": {"r": 9}, "acquireWaitCount": {"r": 2}, "timeAcquiringMicros": {"r": 3000}},
			"Collection": {"acquireWaitCount": {"w": 3, "W": 1}, "timeAcquiringMicros": {"w": 40000, "W": 2000}}
		}`, `{}`),
	)
	if waits, time := series[locksWaits], series[locksWaitTime]; waits[1] != 6 || time[1] != 45 {
		t.Errorf("waits %d and time %d, want 6 waits/s and 45 ms/s", waits, time)
	}
}
