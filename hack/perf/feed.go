package main

import (
	"bytes"
	"fmt"
)

// feed is an endless stream of documents in JSON, one a line, the same batch again and again.
type feed struct {
	lines []byte
	at    int
}

func newFeed(documents int) *feed {
	var lines bytes.Buffer
	for i := range documents {
		fmt.Fprintf(&lines, "{\"created_on\":{\"$date\":\"2012-01-01T%02d:%02d:%02dZ\"},\"value\":0.%06d}\n",
			i/3600%24, i/60%60, i%60, i*7919%1_000_000)
	}
	return &feed{lines: lines.Bytes()}
}

// Read fills all of p.
func (f *feed) Read(p []byte) (int, error) {
	for filled := 0; filled < len(p); {
		n := copy(p[filled:], f.lines[f.at:])
		filled += n
		f.at = (f.at + n) % len(f.lines)
	}
	return len(p), nil
}
