package stream

import (
	"encoding/binary"
	"math"
)

// gamma is 2^64 divided by the golden ratio, made odd: the step between two states of SplitMix64.
const gamma = 0x9e3779b97f4a7c15

// childSalt keeps the children of a point apart from its further values.
const childSalt = 0xd6e8feb86659fd93

// The parameters of FNV-1a for 64 bits, which spreads a label before it is mixed.
const (
	fnvOffset = 0xcbf29ce484222325
	fnvPrime  = 0x100000001b3
)

// Mix turns 64 bits into 64 other bits, one to one; a change of any bit changes each bit of the result with a chance
// of about one half.
func Mix(x uint64) uint64 {
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb
	return x ^ (x >> 31)
}

// Stream is an endless row of random points, addressed by number.
type Stream uint64

// New is the stream of a seed and a label. Streams that differ in either have nothing to do with each other.
func New(seed int64, label string) Stream {
	hash := uint64(fnvOffset)
	for i := range len(label) {
		hash = (hash ^ uint64(label[i])) * fnvPrime
	}
	return Stream(Mix(hash ^ Mix(uint64(seed)+gamma)))
}

// At is the point with this number.
func (s Stream) At(number int64) Point {
	return Point(Mix(uint64(s) + (uint64(number)+1)*gamma))
}

// Point is one place of a stream. It is itself 64 random bits, and the start of as many more as are wanted.
type Point uint64

// Value is 64 random bits; index 0 gives the point itself.
func (p Point) Value(index uint64) uint64 {
	if index == 0 {
		return uint64(p)
	}
	return Mix(uint64(p) + index*gamma)
}

// Child is another point, which is a pure function of this one and the key.
func (p Point) Child(key uint64) Point {
	return Point(Mix((uint64(p) ^ childSalt) + (key+1)*gamma))
}

// Fill overwrites dst with the further values of the point, from index 1 on, each from its lowest byte to its highest.
func (p Point) Fill(dst []byte) {
	state := uint64(p) + gamma
	// Four at a time, which do not wait for one another.
	for len(dst) >= 32 {
		binary.LittleEndian.PutUint64(dst[0:8], Mix(state))
		binary.LittleEndian.PutUint64(dst[8:16], Mix(state+gamma))
		binary.LittleEndian.PutUint64(dst[16:24], Mix(state+2*gamma&math.MaxUint64))
		binary.LittleEndian.PutUint64(dst[24:32], Mix(state+3*gamma&math.MaxUint64))
		state += 4 * gamma & math.MaxUint64
		dst = dst[32:]
	}
	for len(dst) >= 8 {
		binary.LittleEndian.PutUint64(dst, Mix(state))
		state += gamma
		dst = dst[8:]
	}
	last := Mix(state)
	for i := range dst {
		dst[i] = byte(last)
		last >>= 8
	}
}

// FNV is the hash that YCSB scatters records and makes their names by: FNV-1a over the eight bytes of x, the lowest
// first, read as a signed number, and of that the absolute value. It is below 2^63, but for the one hash whose absolute
// value does not fit, which is 2^63 here and negative in YCSB.
func FNV(x uint64) uint64 {
	hash := uint64(fnvOffset)
	for range 8 {
		hash = (hash ^ x&0xff) * fnvPrime
		x >>= 8
	}
	if int64(hash) < 0 {
		return -hash
	}
	return hash
}
