package document

import (
	"encoding/binary"
	"sync"

	"github.com/mongobench/mongobench-operator/loadgen/stream"
)

// poolBytes is the size of each pool. It is well above the pages that servers compress (32 KiB to a few MiB), so that
// hardly any page holds the same bytes twice, and it exceeds the longest value.
const poolBytes = 16 << 20

// filler is the byte that the compressible share of a value repeats.
const filler = 'x'

// alphabet has 64 printable characters, so that 6 random bits choose one.
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// The pools, and a run of filler to copy from. Each is made at first use and never changed. Plans with other seeds cut
// other windows from the same pools.
var (
	binaryPool = sync.OnceValue(func() []byte { return randomBytes("binary pool") })
	textPool   = sync.OnceValue(func() []byte {
		pool := randomBytes("text pool")
		for i, b := range pool {
			pool[i] = alphabet[b%64]
		}
		return pool
	})
)

func randomBytes(label string) []byte {
	pool := make([]byte, poolBytes)
	source := stream.New(0, label)
	for i := 0; i < len(pool); i += 8 {
		binary.LittleEndian.PutUint64(pool[i:], uint64(source.At(int64(i))))
	}
	return pool
}

// appendFiller appends n bytes of filler, by doubling what is there already once it has some.
func appendFiller(dst []byte, n int) []byte {
	const chunk = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
	for n > len(chunk) {
		dst = append(dst, chunk...)
		n -= len(chunk)
	}
	return append(dst, chunk[:n]...)
}
