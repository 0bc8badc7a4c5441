package stream_test

import (
	"math/bits"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mongobench/mongobench-operator/loadgen/stream"
)

// The reference is the published output of SplitMix64 for the seed 1234567.
func TestStreamIsSplitMix64(t *testing.T) {
	want := []uint64{
		6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821,
	}
	got := make([]uint64, 0, len(want))
	for i := range want {
		got = append(got, uint64(stream.Stream(1234567).At(int64(i))))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
}

// What has been measured must stay repeatable: these numbers may never change.
func TestValuesStayTheSame(t *testing.T) {
	p := stream.New(42, "users").At(7)
	got := []uint64{uint64(p), p.Value(0), p.Value(1), uint64(p.Child(0)), p.Child(3).Value(2)}
	want := []uint64{
		14697506846332643345, 14697506846332643345, 15348331350243797199, 5348667019664787352, 15725629488987276611,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
}

func TestOneBitOfTheNumberChangesHalfOfTheResult(t *testing.T) {
	const rounds = 2000
	s := stream.New(1, "avalanche")
	for bit := range 63 {
		changed := 0
		for i := range int64(rounds) {
			number := i * 0x9e3779b9
			changed += bits.OnesCount64(uint64(s.At(number) ^ s.At(number^1<<bit)))
		}
		if mean := float64(changed) / rounds; mean < 31.5 || mean > 32.5 {
			t.Errorf("bit %d of the number changes %.2f bits of the value on average, not about 32", bit, mean)
		}
	}
}

func TestEveryBitIsSetHalfOfTheTime(t *testing.T) {
	const rounds = 100_000
	var ones [64]int
	s := stream.New(3, "bits")
	for i := range int64(rounds) {
		value := uint64(s.At(i))
		for bit := range ones {
			ones[bit] += int(value >> bit & 1)
		}
	}
	for bit, count := range ones {
		// Five standard deviations of a fair coin, which is 158 here.
		if count < rounds/2-800 || count > rounds/2+800 {
			t.Errorf("bit %d is set in %d of %d values", bit, count, rounds)
		}
	}
}

func TestNothingCollides(t *testing.T) {
	seen := map[uint64]string{}
	add := func(value uint64, what string) {
		if other, ok := seen[value]; ok {
			t.Fatalf("%s equals %s", what, other)
		}
		seen[value] = what
	}
	for _, seed := range []int64{-1, 0, 1, 2} {
		for _, label := range []string{"", "a", "b", "ab", "ba"} {
			s := stream.New(seed, label)
			for number := range int64(50) {
				p := s.At(number)
				for index := range uint64(8) {
					add(p.Value(index), "a value")
					add(uint64(p.Child(index)), "a child")
					add(p.Child(index).Value(1), "a child's value")
				}
			}
		}
	}
}

func BenchmarkAt(b *testing.B) {
	s := stream.New(1, "benchmark")
	var sum stream.Point
	for i := int64(0); b.Loop(); i++ {
		sum ^= s.At(i)
	}
	_ = sum
}
