package ftdc_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mongobench/mongobench-operator/loadgen/ftdc"
	"github.com/mongobench/mongobench-operator/loadgen/testing/ftdctest"
)

func encoded(t *testing.T, sample bson.D) bson.Raw {
	t.Helper()
	raw, err := bson.Marshal(sample)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// sampleOf has each kind of a value at an instant.
func sampleOf(t *testing.T, second int, random *rand.Rand, more ...bson.E) bson.Raw {
	t.Helper()
	at := time.Date(2026, time.May, 1, 0, 0, second, 0, time.UTC)
	return encoded(t, append(bson.D{
		{Key: "start", Value: at},
		{Key: "still", Value: int64(7)},
		{Key: "host", Value: "a name"},
		{Key: "nested", Value: bson.D{
			{Key: "counter", Value: int64(second) * random.Int64N(1000)}, {Key: "list", Value: bson.A{random.Int32(), "x", 1.5}},
		}},
		{Key: "wild", Value: int64(random.Uint64())},
		{Key: "still too", Value: bson.D{{Key: "a", Value: 0}}},
		{Key: "truth", Value: random.IntN(2) == 1},
		{Key: "optime", Value: bson.Timestamp{T: uint32(second), I: random.Uint32()}},
		{Key: "end", Value: at.Add(time.Millisecond)},
	}, more...))
}

func TestAFileHasTheSamplesThatWereTaken(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	recorder := ftdc.Recorder{Budget: 1 << 20, Samples: 10}
	recorder.Describe(5, encoded(t, bson.D{{Key: "buildInfo", Value: bson.D{{Key: "version", Value: "6.0.5"}}}}))
	want := make([][]int64, 0, 25)
	for second := range cap(want) {
		var more []bson.E
		if second >= 13 {
			more = append(more, bson.E{Key: "later", Value: second}) // Other metrics need another chunk.
		}
		sample := sampleOf(t, second, random, more...)
		want = append(want, ftdctest.Numbers(t, sample))
		recorder.Add(sample)
		recorder.Add(sample) // The server has no newer one yet.
	}
	recorder.Add(encoded(t, bson.D{})) // It has none yet.
	file, samples, dropped := recorder.File()
	documents := ftdctest.Documents(t, file)
	version, _ := documents[0].Doc.Lookup("buildInfo", "version").StringValueOK()
	if documents[0].Type != 0 || documents[0].ID != 5 || version != "6.0.5" {
		t.Errorf("the file begins with %+v, want what is known of the server", documents[0])
	}
	got, lengths := chunksOf(t, documents[1:])
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("samples (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{10, 3, 10, 2}, lengths); diff != "" || samples != 25 || dropped != 0 {
		t.Errorf("%d samples, %d dropped; lengths of chunks (-want +got):\n%s", samples, dropped, diff)
	}
}

// chunksOf are the samples of chunks, and how many each has.
func chunksOf(t *testing.T, documents []ftdctest.Document) (samples [][]int64, lengths []int) {
	t.Helper()
	for _, one := range documents {
		reference, decoded := ftdctest.Decode(t, one.Data)
		if start := reference.Lookup("start").DateTime(); one.Type != 1 || int64(one.ID) != start {
			t.Errorf("a chunk of type %d at %d begins at %d", one.Type, one.ID, start)
		}
		samples, lengths = append(samples, decoded...), append(lengths, len(decoded))
	}
	return samples, lengths
}

func TestABudgetKeepsTheLatestSamples(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, budget := range []int{0, 1000, 5000, 1 << 20} {
		recorder := ftdc.Recorder{Budget: budget, Samples: 10}
		for second := range 205 {
			recorder.Add(sampleOf(t, second, random))
		}
		file, samples, dropped := recorder.File()
		if len(file) > budget || samples+dropped != 205 || (budget == 0) != (samples == 0) ||
			(budget == 1<<20) != (dropped == 0) {
			t.Errorf("a budget of %d: %d bytes with %d samples, and %d dropped", budget, len(file), samples, dropped)
		}
		if documents := ftdctest.Documents(t, file); len(documents) > 0 {
			_, last := ftdctest.Decode(t, documents[len(documents)-1].Data)
			if len(last) != 5 {
				t.Errorf("a budget of %d: the last chunk has %d samples, want the last five", budget, len(last))
			}
		}
	}
}

func TestSamplesThatAreNoneAreLeftOut(t *testing.T) {
	deep := bson.D{{Key: "a", Value: 1}}
	for range 200 {
		deep = bson.D{{Key: "a", Value: deep}}
	}
	start := bson.E{Key: "start", Value: bson.DateTime(1)}
	broken := encoded(t, bson.D{start, {Key: "text", Value: "of some length"}})
	broken[len(broken)-18] = 200
	for name, sample := range map[string]bson.Raw{
		"nothing": nil, "no date": encoded(t, bson.D{{Key: "a", Value: 1}}), "broken": broken,
		"too deep": encoded(t, bson.D{start, {Key: "deep", Value: deep}}),
	} {
		recorder := ftdc.Recorder{Budget: 1 << 20}
		recorder.Add(sample)
		if file, samples, _ := recorder.File(); file != nil || samples != 0 {
			t.Errorf("%s: %d samples in %d bytes", name, samples, len(file))
		}
	}
}

func TestNumbersThatAreNoneOfMetricsAreCutOff(t *testing.T) {
	recorder := ftdc.Recorder{Budget: 1 << 20}
	for i, number := range []float64{0, math.NaN(), math.Inf(1), math.Inf(-1), -2.7} {
		recorder.Add(encoded(t, bson.D{{Key: "start", Value: bson.DateTime(i + 1)}, {Key: "n", Value: number}}))
	}
	file, _, _ := recorder.File()
	_, samples := ftdctest.Decode(t, ftdctest.Documents(t, file)[0].Data)
	want := [][]int64{{1, 0}, {2, 0}, {3, math.MaxInt64}, {4, math.MinInt64}, {5, -2}}
	if diff := cmp.Diff(want, samples); diff != "" {
		t.Errorf("samples (-want +got):\n%s", diff)
	}
}
