package document

import (
	"encoding/binary"
	"sync"

	"github.com/mongobench/mongobench-operator/loadgen/stream"
)

// poolBytes is the size of each pool. It is well above the pages that servers compress (32 KiB to a few MiB), so that
// hardly any page holds the same bytes twice, and it exceeds the longest value.
const poolBytes = 16 << 20

// alphabet has 64 printable characters, so that 6 random bits choose one.
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// The pools. Each is made at first use and never changed. Plans with other seeds cut other windows from the same
// pools.
var (
	binaryPool = sync.OnceValue(func() []byte {
		return appendRandom(make([]byte, 0, poolBytes), stream.New(0, "binary pool").At(0), poolBytes)
	})
	textPool = sync.OnceValue(func() []byte {
		return appendText(make([]byte, 0, poolBytes), stream.New(0, "text pool").At(0), poolBytes)
	})
)

// appendRandom appends n random bytes: the further values of the point.
func appendRandom(dst []byte, p stream.Point, n int) []byte {
	index := uint64(1)
	for ; n >= 8; n -= 8 {
		dst = binary.LittleEndian.AppendUint64(dst, p.Value(index))
		index++
	}
	for last := p.Value(index); n > 0; n-- {
		dst = append(dst, byte(last))
		last >>= 8
	}
	return dst
}

// appendText appends n random characters of the alphabet, 8 for each further value of the point.
func appendText(dst []byte, p stream.Point, n int) []byte {
	index := uint64(1)
	for ; n >= 8; n -= 8 {
		x := p.Value(index)
		dst = append(dst,
			alphabet[x&63], alphabet[x>>6&63], alphabet[x>>12&63], alphabet[x>>18&63],
			alphabet[x>>24&63], alphabet[x>>30&63], alphabet[x>>36&63], alphabet[x>>42&63])
		index++
	}
	for last := p.Value(index); n > 0; n-- {
		dst = append(dst, alphabet[last&63])
		last >>= 6
	}
	return dst
}

// appendFiller appends n bytes of filler.
func appendFiller(dst []byte, n int) []byte {
	// The byte that a compressible share repeats, as often as it is copied at once.
	const chunk = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
	for n > len(chunk) {
		dst = append(dst, chunk...)
		n -= len(chunk)
	}
	return append(dst, chunk[:n]...)
}
