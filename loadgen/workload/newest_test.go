package workload

import (
	"math"
	"testing"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/document"
	"github.com/mongobench/mongobench-operator/loadgen/stream"
	"github.com/mongobench/mongobench-operator/loadgen/testing/keydisttest"
)

// growing is how many documents are loaded before the mix inserts more.
const growing = 2000

// latestMix reads by a Latest distribution, besides what inserts.
func latestMix(tb testing.TB, reads int, inserts ...planv1.Operation) *Mix {
	tb.Helper()
	operations := []planv1.Operation{{
		Name: "read", Weight: reads, Parameters: []planv1.Parameter{{Name: "key", Value: planv1.Value{
			Type: planv1.TypeKey, KeyField: "n", KeyRangePercent: 100,
			Distribution: planv1.Distribution{Type: "Latest", Theta: 0.99},
		}}},
		Request: planv1.Request{Kind: "FindOne", Collection: "c", Filter: `{"n": {"$param": "key"}}`},
	}}
	d, err := NewDataset(planv1.Plan{
		Seed: 3,
		Collections: []planv1.Collection{{Name: "c", DocumentCount: growing, Fields: []planv1.Field{
			{Name: "n", Value: planv1.Value{Type: benchv1alpha1.GeneratorSequence, Step: 1}},
		}}, {Name: "other"}},
		Steps: []planv1.Step{{Name: "s", Kind: planv1.StepMeasure, Operations: append(operations, inserts...)}},
	})
	if err != nil {
		tb.Fatal(err)
	}
	m, err := Compile(d, 0)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func insertOne(weight int) planv1.Operation {
	return planv1.Operation{Name: "insert", Weight: weight, Request: planv1.Request{Kind: "InsertOne", Collection: "c"}}
}

// batches are inserts of several documents at once, alone and as parts.
var batches = []planv1.Operation{
	{Name: "many", Weight: 1, Request: planv1.Request{Kind: "InsertMany", Collection: "c", BatchDocuments: 5}},
	{Name: "elsewhere", Weight: 30, Request: planv1.Request{Kind: "InsertOne", Collection: "other"}},
	{
		Name: "bulk", Weight: 2, Request: planv1.Request{Kind: "BulkWrite", Collection: "c"},
		WholeSettings: planv1.WholeSettings{
			Operations: []planv1.Request{
				{Kind: "InsertOne"},
				{Kind: "DeleteOne", Filter: `{}`},
				{Kind: "InsertOne"},
			},
		},
	},
}

// history is what a mix has inserted, counted one by one.
type history struct {
	// before[i] is the number of documents that operations 0 to i-1 insert.
	before []int64
}

func newHistory(m *Mix, operations int64) history {
	of := collection{generator: m.operations[0].parameters[0].key.of.(*document.Generator)}
	h := history{before: make([]int64, 1, operations+1)}
	for i := range operations {
		h.before = append(h.before, h.before[i]+m.operations[m.pick(i)].insertsInto(of))
	}
	return h
}

// rank counts how many documents are newer than a record, of those that operations before visible have inserted.
func (h history) rank(tb testing.TB, m *Mix, record, visible int64) int64 {
	tb.Helper()
	all := h.before[visible]
	if record < m.firstRecord {
		return all + growing - 1 - record
	}
	operation, slot := (record-m.firstRecord)/m.stride, (record-m.firstRecord)%m.stride
	if operation >= visible || slot >= h.before[operation+1]-h.before[operation] {
		tb.Fatalf("record %d was not inserted before operation %d", record, visible)
	}
	return all - 1 - h.before[operation] - slot
}

// visibleAt is the operation from which on inserts do not count yet.
func visibleAt(number int64) int64 {
	return max(number-int64(drift*math.Sqrt(float64(number))), 0)
}

// latestLaw knows how many of the draws from n items Gray's method gives to those of a rank below k.
type latestLaw struct{ zetas []float64 }

func newLatestLaw(largest int64) latestLaw {
	law := latestLaw{zetas: make([]float64, 1, largest+1)}
	for i := int64(1); i <= largest; i++ {
		law.zetas = append(law.zetas, law.zetas[i-1]+math.Pow(float64(i), -0.99))
	}
	return law
}

func (l latestLaw) below(k, n int64) float64 {
	n-- // As in YCSB, the oldest is left out.
	zeta := l.zetas[n]
	switch {
	case k <= 0:
		return 0
	case k >= n:
		return 1
	case k <= 2:
		return l.zetas[k] / zeta
	}
	eta := (1 - math.Pow(2/float64(n), 0.01)) / (1 - l.zetas[2]/zeta)
	return 1 - (1-math.Pow(float64(k)/float64(n), 0.01))/eta
}

// add adds a weight to the octaves as n items share it.
func (l latestLaw) add(expected []float64, n int64, weight float64) {
	for i := range expected {
		expected[i] += (l.below(bound(i+1), n) - l.below(bound(i), n)) * weight
	}
}

// octave sorts ranks: each of the first 16 by itself, then by powers of two. The place of a higher rank is estimated,
// and the real rank deviates from it by about its square root. Where the chance of a rank k is as 1/k, and the square
// of its deviation as k, as many draws move up over any bound as move down. Only around the rank from which on places
// are estimated do more come down than go up: its octave and the two beside it are taken together.
func octave(rank int64) int {
	if rank < 16 {
		return int(rank)
	}
	return 12 + int(math.Log2(float64(rank)))
}

const octaves = 12 + 18

func bound(octave int) int64 {
	if octave <= 16 {
		return int64(octave)
	}
	return 1 << (octave - 12)
}

func TestTheLatestAreThoseThatTheStepInsertedToo(t *testing.T) {
	const from, to, draws = 100_000, 200_000, 100_000
	tests := map[string]struct {
		inserts []planv1.Operation
		reads   int
	}{
		"one in twenty, as YCSB's workload D": {[]planv1.Operation{insertOne(5)}, 95},
		"every other one":                     {[]planv1.Operation{insertOne(1)}, 1},
		"in batches, by parts, and elsewhere": {batches, 70},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			m := latestMix(t, tc.reads, tc.inserts...)
			n := m.operations[0].parameters[0].key.newest
			h := newHistory(m, to)
			law := newLatestLaw(growing + h.before[to]*2)
			counts, expected := make([]int, octaves), make([]float64, octaves)
			s := stream.New(1, name)
			const stretch = 200 // The law is taken for the middle of that many draws; the range hardly grows within.
			for number := int64(from); number < to; number++ {
				visible := visibleAt(number)
				counts[octave(h.rank(t, m, n.record(s.At(number), number), visible))]++
				if number%stretch == stretch/2 {
					law.add(expected, growing+h.before[visible], stretch*1.0/draws)
				}
			}
			join(counts, octave(int64(n.exact)))
			join(expected, octave(int64(n.exact)))
			keydisttest.RequireFit(t, counts, expected)
		})
	}
}

// join moves what an octave and the one after it have into the one before.
func join[T int | float64](octaves []T, middle int) {
	octaves[middle-1] += octaves[middle] + octaves[middle+1]
	octaves[middle], octaves[middle+1] = 0, 0
}

func TestTheLatestExistWhenTheyAreRead(t *testing.T) {
	for name, inserts := range map[string][]planv1.Operation{
		"few": {insertOne(1)}, "many": {insertOne(2000)}, "in batches": batches,
	} {
		t.Run(name, func(t *testing.T) {
			m := latestMix(t, 1000, inserts...)
			n := m.operations[0].parameters[0].key.newest
			h := newHistory(m, 20_000)
			s := stream.New(2, name)
			for number := range int64(20_000) {
				record := n.record(s.At(number), number)
				h.rank(t, m, record, visibleAt(number))
				if visibleAt(number) == 0 && record >= growing {
					t.Fatalf("operation %d draws record %d", number, record)
				}
			}
		})
	}
}

func TestAWarmupDrawsWhatItInsertedItself(t *testing.T) {
	m := latestMix(t, 1, insertOne(1))
	n := m.operations[0].parameters[0].key.newest
	s := stream.New(3, "warm-up")
	inserted := 0
	for i := range int64(5000) {
		record := n.record(s.At(i), FirstWarmupNumber+50_000+i)
		if record < growing {
			continue
		}
		inserted++
		if place := record - m.firstRecord - warmupHalf; place < 0 || place >= 50_000+i {
			t.Fatalf("record %d is not of the warm-up", record)
		}
	}
	if inserted < 1000 {
		t.Errorf("only %d draws are of the warm-up", inserted)
	}
}

func TestALatestKeyOfAShareOrOfAFixedCollectionDrawsWhatIsLoaded(t *testing.T) {
	fixed := latestMix(t, 1, planv1.Operation{
		Name: "insert", Weight: 1, Request: planv1.Request{Kind: "InsertOne", Collection: "other"},
	})
	if fixed.operations[0].parameters[0].key.newest != nil {
		t.Error("inserts into another collection count")
	}
	counts := make([]int, growing)
	var r Request
	for number := range int64(100_000) {
		if fixed.Draw(number, &r); r.Operation == 0 {
			counts[r.Filter.Lookup("n").Int64()]++
		}
	}
	law := newLatestLaw(growing)
	expected := make([]float64, growing)
	for i := range expected {
		rank := int64(growing - 1 - i)
		expected[i] = law.below(rank+1, growing) - law.below(rank, growing)
	}
	keydisttest.RequireFit(t, counts, expected)
}

func BenchmarkNewest(b *testing.B) {
	for name, inserts := range map[string]int{"1 of 2": 100, "1 of 20": 5, "1 of 100": 1} {
		b.Run(name, func(b *testing.B) {
			m := latestMix(b, 100-min(inserts, 99), insertOne(inserts))
			n := m.operations[0].parameters[0].key.newest
			s := stream.New(1, "benchmark")
			b.ReportAllocs()
			for i := int64(0); b.Loop(); i++ {
				n.record(s.At(i), 1_000_000+i)
			}
		})
	}
}

// YCSB draws from a growing range with a constant of the method, eta, that is still that of the range as it was when
// the run began. Where the range has grown much, ranks 2 and following are hardly drawn, as its own counts show. Here
// eta is that of the range as it is.
func TestYCSBsLatestKeepsAConstantOfTheSmallerRange(t *testing.T) {
	const records, operations, draws = 1000, 400_000, 380_064
	counts := keydisttest.Counts(t, "testdata/ycsb-counts.txt", "d-ranks", octaves)
	stale, fresh := make([]float64, octaves), make([]float64, octaves)
	law := newLatestLaw(records + operations/20)
	const stretch = 1000
	for operation := int64(stretch / 2); operation < operations; operation += stretch {
		items := records + operation/20
		law.addStale(stale, records, items, stretch*1.0/operations)
		law.add(fresh, items, stretch*1.0/operations)
	}
	off := func(expected []float64) float64 {
		difference := 0.0
		for i, count := range counts {
			difference += math.Abs(float64(count)/draws-expected[i]) / 2
		}
		return difference
	}
	if got := off(stale); got > 0.01 {
		t.Errorf("%.3f of YCSB's draws are of other ranks than with the constant of %d records", got, records)
	}
	if got := off(fresh); got < 0.1 {
		t.Errorf("only %.3f of YCSB's draws are of other ranks than with the constant of the range as it is", got)
	}
}

// addStale is add with the eta that n items had when there were fewer.
func (l latestLaw) addStale(expected []float64, before, n int64, weight float64) {
	n--
	zeta := l.zetas[n]
	eta := (1 - math.Pow(2/float64(before-1), 0.01)) / (1 - l.zetas[2]/zeta)
	below := func(k int64) float64 {
		switch {
		case k <= 2:
			return l.zetas[k] / zeta
		case k >= n:
			return 1
		}
		return max(1-(1-math.Pow(float64(k)/float64(n), 0.01))/eta, l.zetas[2]/zeta)
	}
	for i := range expected {
		expected[i] += (below(bound(i+1)) - below(bound(i))) * weight
	}
}
