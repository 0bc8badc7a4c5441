package document_test

import (
	"math"
	"slices"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/document"
	"github.com/mongobench/mongobench-operator/loadgen/testing/keydisttest"
)

func vector(seed uint64, settings planv1.Vector, distribution planv1.Distribution) planv1.Value {
	return planv1.Value{
		Type: benchv1alpha1.GeneratorVector, Seed: seed, Distribution: distribution, Vector: &settings,
	}
}

func numbers(t *testing.T, value bson.RawValue) []float64 {
	t.Helper()
	var all []float64
	if err := value.Unmarshal(&all); err != nil {
		t.Fatal(err)
	}
	return all
}

func distance(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += (a[i] - b[i]) * (a[i] - b[i])
	}
	return math.Sqrt(sum)
}

// centers are one vector of each cluster.
type centers map[int32][]float64

// near are the clusters that a vector is near. The sum of two draws over half of the range has a variance of a 24th,
// and two such vectors differ by twice that.
func (c centers) near(v []float64) []int32 {
	var found []int32
	for cluster, center := range c {
		if distance(v, center) < 3.5 {
			found = append(found, cluster)
		}
	}
	return found
}

// TestVectorsGather wants each vector to be far nearer to those of its cluster than to those of another one, the number
// of the cluster to be that which an Int of the same seed draws, and what a parameter draws to lie there too.
func TestVectorsGather(t *testing.T) {
	settings := planv1.Vector{Dimensions: 64, Clusters: 10, SpreadPercent: 50}
	uneven := planv1.Distribution{Type: "HotSpot", HotRange: .1, HotDraws: .5}
	g := compile(t, 3, planv1.Collection{Name: "c", Fields: []planv1.Field{
		{Name: "v", Value: vector(7, settings, uneven)},
		{Name: "cell", Value: planv1.Value{Type: benchv1alpha1.GeneratorInt, Seed: 7, Max: 9, Distribution: uneven}},
	}})
	first, counts := centers{}, make([]int, 10)
	for record := range int64(20_000) {
		made := bson.Raw(g.Append(nil, record))
		v, cell := numbers(t, made.Lookup("v")), made.Lookup("cell").Int32()
		counts[cell]++
		if first[cell] == nil {
			first[cell] = v
		}
		if near := first.near(v); len(near) != 1 || near[0] != cell {
			t.Fatalf("record %d of cluster %d is near %v", record, cell, near)
		}
	}
	want := slices.Repeat([]float64{.5 / 9}, 10)
	want[0] = .5
	keydisttest.RequireFit(t, counts, want)
	parameter, err := document.CompileValue(3, "a step", vector(99, settings, uneven))
	if err != nil {
		t.Fatal(err)
	}
	for number := range int64(100) {
		bsonType, bytes := parameter.Append(nil, number)
		drawn := numbers(t, bson.RawValue{Type: bson.Type(bsonType), Value: bytes})
		if near := first.near(drawn); len(near) != 1 {
			t.Errorf("draw %d of a parameter is near %v", number, near)
		}
	}
}

func TestVectorsWithoutClustersPointEverywhere(t *testing.T) {
	for _, packed := range []bool{false, true} {
		settings := planv1.Vector{Dimensions: 5, Float32: packed}
		g := compile(t, 1, planv1.Collection{Name: "c", Fields: []planv1.Field{
			{Name: "v", Value: vector(7, settings, planv1.Distribution{})},
		}})
		var sums, squares [5]float64
		const records = 20_000
		for record := range int64(records) {
			for i, x := range elements(t, bson.Raw(g.Append(nil, record)).Lookup("v")) {
				sums[i] += x
				squares[i] += x * x
			}
		}
		for i := range sums {
			// The sum of two even draws from half of the range to either side has a variance of a sixth.
			if mean, variance := sums[i]/records, squares[i]/records; math.Abs(mean) > .02 || math.Abs(variance-1./6) > .01 {
				t.Errorf("element %d: mean %v, variance %v; want 0 and a sixth", i, mean, variance)
			}
		}
	}
}

// elements are those of a vector of either form.
func elements(t *testing.T, value bson.RawValue) []float64 {
	t.Helper()
	if value.Type == bson.TypeArray {
		return numbers(t, value)
	}
	var packed bson.Vector
	if err := value.Unmarshal(&packed); err != nil {
		t.Fatal(err)
	}
	all := make([]float64, 0, 5)
	for _, x := range packed.Float32() {
		all = append(all, float64(x))
	}
	return all
}

// TestVectorsStayTheSame holds what was made once: a dataset is the same with every release.
func TestVectorsStayTheSame(t *testing.T) {
	value, err := document.CompileValue(1, "l", vector(2, planv1.Vector{Dimensions: 3, Clusters: 4, SpreadPercent: 50},
		planv1.Distribution{}))
	if err != nil {
		t.Fatal(err)
	}
	bsonType, bytes := value.Append(nil, 5)
	const want = `[{"$numberDouble":"0.28672146797180176"},{"$numberDouble":"0.03442883491516113"},` +
		`{"$numberDouble":"-0.27901291847229004"}]`
	if got := (bson.RawValue{Type: bson.Type(bsonType), Value: bytes}).String(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func BenchmarkVector(b *testing.B) {
	value, err := document.CompileValue(1, "l", vector(2, planv1.Vector{Dimensions: 256, Clusters: 100, SpreadPercent: 50},
		planv1.Distribution{}))
	if err != nil {
		b.Fatal(err)
	}
	var buffer []byte
	for number := range int64(b.N) {
		_, buffer = value.Append(buffer[:0], number)
	}
}
