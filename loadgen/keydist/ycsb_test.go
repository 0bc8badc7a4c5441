package keydist_test

import (
	"math"
	"testing"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/keydist"
	"github.com/mongobench/mongobench-operator/loadgen/stream"
	"github.com/mongobench/mongobench-operator/loadgen/testing/keydisttest"
)

// fixtures are counts that YCSB's own classes made; testdata/README.md says how.
const fixtures = "testdata/ycsb-counts.txt"

func TestDrawsAreDistributedAsThoseOfYCSB(t *testing.T) {
	tests := map[string]struct {
		distribution planv1.Distribution
		fixture      string
		items        int
	}{
		"zipfian":                      {planv1.Distribution{Type: "Zipfian", Theta: 0.99}, "zipfian", 1000},
		"scrambled zipfian":            {planv1.Distribution{Type: "ScrambledZipfian", Theta: 0.99}, "scrambled", 1000},
		"scrambled zipfian over a few": {planv1.Distribution{Type: "ScrambledZipfian", Theta: 0.99}, "scrambled", 97},
		"latest":                       {planv1.Distribution{Type: "Latest", Theta: 0.99}, "latest", 1001},
		"hot spot":                     {planv1.Distribution{Type: "HotSpot", HotRange: 0.2, HotDraws: 0.8}, "hotspot", 1000},
		"exponential": {
			planv1.Distribution{Type: "Exponential", HotRange: 0.8571428571, HotDraws: 0.95}, "exponential", 1000,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			want := keydisttest.Counts(t, fixtures, tc.fixture, tc.items)
			keydisttest.RequireSame(t, want, count(t, tc.distribution, tc.items))
		})
	}
}

// A test that accepts everything would be no test: what differs a little from YCSB has to be refused.
func TestTheComparisonWithYCSBTellsSimilarDistributionsApart(t *testing.T) {
	tests := map[string]struct {
		distribution planv1.Distribution
		fixture      string
	}{
		"a little less skew":  {planv1.Distribution{Type: "Zipfian", Theta: 0.97}, "zipfian"},
		"another scattering":  {planv1.Distribution{Type: "ScrambledZipfian", Theta: 0.95}, "scrambled"},
		"a hot spot less hot": {planv1.Distribution{Type: "HotSpot", HotRange: 0.2, HotDraws: 0.79}, "hotspot"},
		"a steeper decay":     {planv1.Distribution{Type: "Exponential", HotRange: 0.8, HotDraws: 0.95}, "exponential"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			want := keydisttest.Counts(t, fixtures, tc.fixture, 1000)
			probe := &verdict{TB: t}
			keydisttest.RequireSame(probe, want, count(t, tc.distribution, 1000))
			if !probe.failed {
				t.Error("the draws are taken for YCSB's")
			}
		})
	}
}

// verdict keeps what a check says from failing the test.
type verdict struct {
	testing.TB
	failed bool
}

func (v *verdict) Errorf(string, ...any) { v.failed = true }

// latestByGray is what a Latest distribution gives n items by their rank, the newest first.
func latestByGray(n int) []float64 {
	return append(zipfByGray(n-1, 0.99), 0)
}

func TestAGrowingRangeFitsGraysMethodAtEverySize(t *testing.T) {
	growing, err := keydist.NewGrowing(planv1.Distribution{Type: "Latest", Theta: 0.99})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{4, 100, 1024, 1025, 1026, 5000, 100_000} {
		s := stream.New(int64(n), "growing")
		counts := make([]int, n)
		for i := range int64(draws) {
			counts[growing.Rank(uint64(s.At(i)), uint64(n))]++
		}
		keydisttest.RequireFit(t, counts, latestByGray(n))
	}
}

func TestRanksOfAGrowingRangeStayInIt(t *testing.T) {
	growing, err := keydist.NewGrowing(planv1.Distribution{Type: "Latest", Theta: 0.99})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []uint64{1, 2, 3, 1024, 1025, 1 << 40, 1 << 62} {
		for _, r := range []uint64{0, 1, 1 << 11, 1 << 63, math.MaxUint64} {
			if rank := growing.Rank(r, n); rank >= n {
				t.Errorf("bits %x: rank %d of %d items", r, rank, n)
			}
		}
	}
	if _, err := keydist.NewGrowing(planv1.Distribution{Type: "Latest", Theta: 1}); err == nil {
		t.Error("a theta of 1 is accepted")
	}
}

func BenchmarkGrowing(b *testing.B) {
	growing, err := keydist.NewGrowing(planv1.Distribution{Type: "Latest", Theta: 0.99})
	if err != nil {
		b.Fatal(err)
	}
	s := stream.New(1, "benchmark")
	for i := int64(0); b.Loop(); i++ {
		growing.Rank(uint64(s.At(i)), 1_000_000+uint64(i))
	}
}
