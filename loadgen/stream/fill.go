package stream

import (
	"encoding/binary"
	"math"
)

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
