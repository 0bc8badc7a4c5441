package replay

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// maxLine is the longest line that is read: a command of 16 MiB takes about four times as much as JSON.
const maxLine = 64 << 20

// reader reads the entries of a recording, in the order in which they were written down.
type reader interface {
	// next returns io.EOF after the last one. Any other error says where it is.
	next() (entry, error)
}

// newReader looks at the first byte of a recording: JSON is text, and the recording of a server's traffic is not.
func newReader(from io.Reader) (reader, error) {
	buffered := bufio.NewReaderSize(from, 1<<16)
	first, err := buffered.Peek(packetPeek)
	if len(first) == 0 && err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if looksLikeTraffic(first) {
		return newTraffic(buffered), nil
	}
	lines := bufio.NewScanner(buffered)
	lines.Buffer(nil, maxLine)
	return &lineReader{lines: lines}, nil
}

// lineReader reads lines of JSON.
type lineReader struct {
	lines *bufio.Scanner
	// number of the line that was read last.
	number int
	log    logReader
	// ready are the entries that were read and not returned yet: a line may complete several.
	ready []entry
	ended bool
}

func (r *lineReader) next() (entry, error) {
	for len(r.ready) == 0 {
		if r.ended {
			return entry{}, io.EOF
		}
		if err := r.read(); err != nil {
			return entry{}, fmt.Errorf("line %d: %w", r.number, err)
		}
	}
	first := r.ready[0]
	r.ready = append(r.ready[:0], r.ready[1:]...)
	return first, nil
}

// read takes one line.
func (r *lineReader) read() error {
	r.number++
	if !r.lines.Scan() {
		r.ended = true
		r.ready = r.log.flush(r.ready)
		return r.lines.Err()
	}
	line := bytes.TrimSpace(r.lines.Bytes())
	if len(line) == 0 {
		return nil
	}
	if notSlow(line) {
		return nil
	}
	document, err := parseJSON(line)
	if err != nil {
		return fmt.Errorf("it is no document in Extended JSON: %w", err)
	}
	r.ready, err = r.parse(document, r.ready)
	return err
}

// parse reads a line, and appends what it completes.
func (r *lineReader) parse(document bson.Raw, to []entry) ([]entry, error) {
	has := func(name string) bool {
		_, err := document.LookupErr(name)
		return err == nil
	}
	var one entry
	var err error
	switch {
	case has("ts"):
		one, err = parseProfiled(document)
	case has("at"):
		one, err = parseCommand(document)
	case has("t") && has("attr"):
		return r.log.parse(document, to)
	default:
		err = errors.New(`it has neither "ts", as a document of system.profile has, nor "at", nor "t" and "attr", as a line ` +
			"of a server's log has")
	}
	if err != nil {
		return to, err
	}
	return append(to, one), nil
}
