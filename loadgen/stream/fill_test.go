package stream_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/mongobench/mongobench-operator/loadgen/stream"
)

func TestFillWritesTheFurtherValuesOfAPoint(t *testing.T) {
	p := stream.New(1, "fill").At(5)
	var want []byte
	for index := uint64(1); index <= 20; index++ {
		want = binary.LittleEndian.AppendUint64(want, p.Value(index))
	}
	for length := range want {
		got := bytes.Repeat([]byte{7}, length+1)
		p.Fill(got[:length])
		if !bytes.Equal(got[:length], want[:length]) || got[length] != 7 {
			t.Errorf("%d bytes are %x", length, got)
		}
	}
}

// The names of YCSB's records, in the tests of package document, hold more of these hashes.
func TestFNVIsThatOfYCSB(t *testing.T) {
	for x, want := range map[uint64]uint64{0: 6284781860667377211, 1: 8517097267634966620, 1 << 46: 9108873504137842437} {
		if got := stream.FNV(x); got != want {
			t.Errorf("hash of %d is %d, not %d", x, got, want)
		}
	}
}
