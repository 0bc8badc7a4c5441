package observe

import (
	"maps"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// decodeDiagnostic takes what a server tells of its machine: of its processors, and how long each of its disks had
// something to do. A server that keeps no such data tells nothing.
func (s *sample) decodeDiagnostic(document bson.Raw) {
	data, ok := document.Lookup("data").DocumentOK()
	if !ok {
		return
	}
	s.decode(diagnostic, data)
	disks, _ := data.Lookup("systemMetrics", "disks").DocumentOK()
	elements, err := disks.Elements()
	if err != nil {
		return
	}
	s.disks = make(map[string]int64, len(elements))
	for _, disk := range elements {
		// A disk that never did anything, such as a loop device, is none.
		if figures, ok := disk.Value().DocumentOK(); ok {
			if busy, ok := figures.Lookup("io_time_ms").AsInt64OK(); ok && busy > 0 {
				s.disks[disk.Key()] = busy
			}
		}
	}
}

// decodeLocks adds up how often, and how long, locks of every kind were waited for. A kind that nothing ever waited for
// is not told.
func (s *sample) decodeLocks(document bson.Raw) {
	locks, ok := document.Lookup("locks").DocumentOK()
	if !ok {
		return
	}
	kinds, err := locks.Elements()
	if err != nil {
		return
	}
	var waits, micros int64
	for _, kind := range kinds {
		told, _ := kind.Value().DocumentOK()
		waits += addUp(told, "acquireWaitCount")
		micros += addUp(told, "timeAcquiringMicros")
	}
	s.values[places[locksWaits]], s.values[places[locksWaitTime]] = waits, micros/microsPerMilli
}

// addUp adds up the numbers of a document within another.
func addUp(document bson.Raw, name string) (total int64) {
	modes, _ := document.Lookup(name).DocumentOK()
	elements, err := modes.Elements()
	if err != nil {
		return 0
	}
	for _, mode := range elements {
		number, _ := mode.Value().AsInt64OK()
		total += number
	}
	return total
}

// diskSeries are how long each disk of the machine was busy.
func (r *recording) diskSeries() []reportv1.Series {
	names := map[string]int64{}
	for _, s := range r.samples {
		if s != nil {
			maps.Copy(names, s.disks)
		}
	}
	all := make([]reportv1.Series, 0, len(names))
	for _, name := range slices.Sorted(maps.Keys(names)) {
		all = append(all, reportv1.Series{Name: diskPrefix + name, Unit: "ms/s", Values: r.diskRates(name)})
	}
	return all
}

// diskRates is how long a disk was busy, per second of the server's own clock.
func (r *recording) diskRates(name string) []int64 {
	rates := make([]int64, len(r.samples))
	var before *sample
	for slot, s := range r.samples {
		rates[slot] = unknown
		if s == nil || s.disks == nil {
			continue
		}
		if before != nil && !restarted(before, s) && s.disks[name] >= before.disks[name] && before.disks[name] > 0 {
			rates[slot] = (s.disks[name] - before.disks[name]) * millisPerSecond / (s.uptime - before.uptime)
		}
		before = s
	}
	return rates
}
