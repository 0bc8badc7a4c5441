package link

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"sync"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/strictjson"
)

// kind says what a message is about.
type kind string

// What a pod says, in about this order.
const (
	hello    kind = "hello"    // Secret, Version, Name
	clock    kind = "clock"    // It asks for the time.
	ready    kind = "ready"    // It wants its place.
	progress kind = "progress" // Said: a Progress
	order    kind = "order"    // Said: a TrialOrder, of pod 0, which the host hands on.
	answer   kind = "answer"   // Said: a TrialAnswer, and Measured; the host hands it on to pod 0 with Pod.
	report   kind = "report"   // Said: a Report
	failed   kind = "failed"   // Why
)

// What the host says.
const (
	known   kind = "known"   // The secret was right.
	told    kind = "told"    // At: the host's time.
	refused kind = "refused" // Why
	welcome kind = "welcome" // Pod, Said: the plan, RunUID, RunName, Shares
	start   kind = "start"   // Step, At
	stop    kind = "stop"    // Why
	over    kind = "over"    // All have handed in.
)

// alive says that its sender is there, and no more.
const alive kind = "alive"

// message is what one side says to the other. Its kind says which fields it has.
type message struct {
	Kind    kind   `json:"kind"`
	Secret  string `json:"secret,omitempty"`
	Version string `json:"version,omitempty"`
	// Name of the pod's machine.
	Name string    `json:"name,omitempty"`
	At   time.Time `json:"at,omitzero"`
	Pod  int       `json:"pod,omitempty"`
	Step int       `json:"step,omitempty"`
	// Said is what is handed on as it was encoded elsewhere.
	Said     []byte `json:"said,omitempty"`
	Measured []byte `json:"measured,omitempty"`
	RunUID   string `json:"runUID,omitempty"`
	RunName  string `json:"runName,omitempty"`
	Shares   bool   `json:"shares,omitempty"`
	Why      string `json:"why,omitempty"`
}

const (
	// strangerBytes is how large a message of somebody may be who has not shown the secret, and acquainted of others: a
	// report, as text.
	strangerBytes = 4 << 10
	acquainted    = 2*reportv1.MaxReportBytes + 64<<10
	// maxWhy bounds what is told of an error, and maxName the name of a machine.
	maxWhy  = 2 << 10
	maxName = 128
)

// bounds are more than any message has.
var bounds = strictjson.Bounds{Bytes: acquainted, Depth: 2, Items: 32, Objects: 1, Text: acquainted}

var errTooLarge = errors.New("a message is too large, or none of this protocol")

// read reads a message: its length in four bytes, and JSON.
func read(from io.Reader, most int) (message, error) {
	var length [4]byte
	if _, err := io.ReadFull(from, length[:]); err != nil {
		return message{}, err
	}
	size := int64(binary.BigEndian.Uint32(length[:]))
	if size > int64(most) {
		return message{}, errTooLarge
	}
	// It is read as it comes: a length that was only said takes no memory.
	encoded, err := io.ReadAll(io.LimitReader(from, size))
	switch {
	case err != nil:
		return message{}, err
	case int64(len(encoded)) < size:
		return message{}, io.ErrUnexpectedEOF
	}
	return decode(encoded)
}

func decode(encoded []byte) (said message, err error) {
	if err = bounds.Check(encoded); err == nil {
		err = strictjson.Decode(encoded, &said)
	}
	if err != nil {
		return message{}, fmt.Errorf("reading a message: %w", err)
	}
	return said, nil
}

func encode(said message) ([]byte, error) {
	encoded, err := strictjson.Encode(said)
	if err != nil {
		return nil, err
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(encoded))), encoded...), nil
}

// Both sides say every period that they are there. A side that is silent for several periods, or takes nothing, is
// gone.
const (
	period  = 5 * time.Second
	silence = 6 * period
)

// side is a connection to the other side.
type side struct {
	net.Conn

	writing sync.Mutex
}

// send says something; it may be called by several goroutines.
func (s *side) send(said message) error {
	encoded, err := encode(said)
	if err != nil {
		return err
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.SetWriteDeadline(time.Now().Add(silence)); err != nil {
		return err
	}
	_, err = s.Write(encoded)
	return err
}

// receive waits for what the other side says besides that it is there.
func (s *side) receive(most int) (message, error) {
	for {
		if err := s.SetReadDeadline(time.Now().Add(silence)); err != nil {
			return message{}, err
		}
		said, err := read(s, most)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			err = fmt.Errorf("nothing was heard of it for %s", silence)
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			err = errors.New("its connection ended")
		}
		if err != nil || said.Kind != alive {
			return said, err
		}
	}
}

// exchange is receive where only these kinds can come. A refusal is an error.
func (s *side) exchange(most int, kinds ...kind) (message, error) {
	said, err := s.receive(most)
	if err != nil {
		return said, err
	}
	switch {
	case slices.Contains(kinds, said.Kind):
		return said, nil
	case said.Kind == refused:
		return said, errors.New(said.Why)
	}
	return said, fmt.Errorf("it said %.20q where %q was due", said.Kind, kinds)
}

// beat says that this side is there, until the context ends.
func (s *side) beat(ctx context.Context) {
	ticker := time.NewTicker(period)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if s.send(message{Kind: alive}) != nil {
				return // The reader finds out as well.
			}
		}
	}
}
