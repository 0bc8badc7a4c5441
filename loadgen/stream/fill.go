package stream

import "encoding/binary"

// Fill overwrites dst with the further values of the point, from index 1 on, each from its lowest byte to its highest.
func (p Point) Fill(dst []byte) {
	state := uint64(p) + gamma
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
