package replay_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/mongobench/mongobench-operator/loadgen/replay"
)

// BenchmarkStream reads point reads as the monitor of a driver writes them down: what a replay costs beside sending.
func BenchmarkStream(b *testing.B) {
	var lines strings.Builder
	const each = 10_000
	for i := range each {
		fmt.Fprintf(&lines, `{"at": %d.%03d, "micros": 400, "db": "shop", "connection": "c%d", "command": {"find": "orders", `+
			`"filter": {"_id": %d}, "limit": 1, "singleBatch": true}, "reply": {"ok": 1, "cursor": {"id": 0, "firstBatch": [{}]}}}`+"\n",
			i/1000, i%1000, i%16, i)
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(lines.String())), nil }
	survey, err := replay.Look(open, replay.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	var operation replay.Operation
	for read := 0; read < b.N; {
		stream, err := replay.Open(open, replay.Options{}, survey)
		if err != nil {
			b.Fatal(err)
		}
		for ; read < b.N && err == nil; read++ {
			err = stream.Next(&operation)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			b.Fatal(err)
		}
	}
}
