package result

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// hugeReport is what a day of an open loop with several operations comes to, with three members observed.
func hugeReport(t *testing.T, operations, seconds int) reportv1.Report {
	t.Helper()
	random := rand.New(rand.NewPCG(7, 8))
	report := largeReport(t, operations, seconds, 500)
	step := &report.Steps[0]
	step.Arrivals = &reportv1.Arrivals{Lag: step.Operations[0].ServiceTime, WakeUp: step.Operations[0].ServiceTime}
	for i := range step.Operations {
		operation := &step.Operations[i]
		operation.ResponseTime, operation.FirstDocument = operation.ServiceTime, operation.ServiceTime
		for range seconds {
			operation.IntervalErrors = append(operation.IntervalErrors, random.Int64N(1000))
			times := make([]int64, 40)
			for bucket := 15; bucket < len(times); bucket++ {
				times[bucket] = random.Int64N(10_000)
			}
			operation.IntervalTimes = append(operation.IntervalTimes, times)
		}
	}
	for _, name := range []string{"a", "b", "c"} {
		member := reportv1.Member{Name: name, IntervalMillis: 1000}
		for _, unit := range []string{"bytes/s", "bytes", "count"} {
			series := reportv1.Series{Name: unit, Unit: unit}
			for range seconds {
				series.Values = append(series.Values, random.Int64N(1<<30))
			}
			member.Series = append(member.Series, series)
		}
		report.Members = append(report.Members, member)
	}
	return report
}

func TestADayOfAnOpenLoopFitsIntoAConfigMap(t *testing.T) {
	report := hugeReport(t, 1, 7200)
	encoded, err := Encode(report)
	if err != nil {
		t.Fatal(err)
	}
	got, err := reportv1.Decode(encoded)
	if err != nil {
		t.Fatal(err)
	}
	step := got.Steps[0]
	if len(encoded) > reportv1.MaxReportBytes || step.IntervalMillis > 30_000 || len(got.Members) != 3 {
		t.Errorf("%d bytes, intervals of %d ms, %d members", len(encoded), step.IntervalMillis, len(got.Members))
	}
	for i, operation := range step.Operations {
		before := report.Steps[0].Operations[i]
		if operation.ResponseTime != before.ResponseTime {
			t.Error("a histogram changed, and longer intervals were enough")
		}
		if sum(operation.IntervalErrors) != sum(before.IntervalErrors) {
			t.Errorf("%d errors in the intervals, want %d", sum(operation.IntervalErrors), sum(before.IntervalErrors))
		}
		if diff := cmp.Diff(sumTimes(before.IntervalTimes), sumTimes(operation.IntervalTimes)); diff != "" {
			t.Errorf("times of all intervals together (-want +got):\n%s", diff)
		}
	}
}

// kept is what a report still has.
type kept struct {
	intervals, digits int
	times, members    bool
}

func whatIsKept(t *testing.T, encoded []byte) kept {
	t.Helper()
	got, err := reportv1.Decode(encoded)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Doubts(got); err != nil {
		t.Errorf("it contradicts itself now: %v", err)
	}
	operation := got.Steps[0].Operations[0]
	histogram, err := reportv1.DecodeHistogram(got.Steps[0].Arrivals.Lag)
	if err != nil {
		t.Fatal(err)
	}
	return kept{
		len(operation.Intervals), int(histogram.SignificantFigures()), operation.IntervalTimes != nil, got.Members != nil,
	}
}

func TestAReportGivesUpWhatMattersLeastFirst(t *testing.T) {
	report := hugeReport(t, 2, 300)
	for name, tc := range map[string]struct {
		limit int
		want  kept
	}{
		"nothing when it fits":                                  {1 << 20, kept{300, 3, true, true}},
		"then the intervals become longer":                      {45 << 10, kept{150, 3, true, true}},
		"then there are no times of intervals":                  {30 << 10, kept{150, 3, false, true}},
		"then the intervals become longer again":                {7 << 10, kept{75, 3, false, true}},
		"and at last nothing but the sums and rough histograms": {800, kept{1, 1, false, false}},
	} {
		t.Run(name, func(t *testing.T) {
			encoded, err := EncodeWithin(report, tc.limit)
			if err != nil {
				t.Fatal(err)
			}
			if have := whatIsKept(t, encoded); have != tc.want || len(encoded) > tc.limit {
				t.Errorf("got %+v in %d bytes, want %+v", have, len(encoded), tc.want)
			}
		})
	}
	if report.Steps[0].IntervalMillis != 1000 || report.Members == nil || len(report.Members[0].Series[0].Values) != 300 {
		t.Error("the report that was given changed")
	}
}

func TestSamplesAreJoinedAsFitsTheirUnit(t *testing.T) {
	member := reportv1.Member{IntervalMillis: 1000, Series: []reportv1.Series{
		{Name: "disk.read", Unit: "bytes/s", Values: []int64{10, 20, unknown, 40, unknown, unknown, 7}},
		{Name: "cache.used", Unit: "bytes", Values: []int64{10, 20, 30, unknown, unknown, unknown, 7}},
	}}
	// The first of the joined samples was taken where the second of the given ones was.
	want := reportv1.Member{Start: time.Time{}.Add(time.Second), IntervalMillis: 2000, Series: []reportv1.Series{
		{Name: "disk.read", Unit: "bytes/s", Values: []int64{15, 40, unknown, 7}},
		{Name: "cache.used", Unit: "bytes", Values: []int64{20, 30, unknown, 7}},
	}}
	if diff := cmp.Diff(want, stretchSamples(member, 2)); diff != "" {
		t.Errorf("member (-want +got):\n%s", diff)
	}
}
