package replay

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// Options say what of a recording is sent, and where.
type Options struct {
	// Writes lets commands that change data be sent too.
	Writes bool
	// Databases maps the name of a recorded database to the one that its operations go to. The name * stands for all
	// that have no own entry. What is not mapped stays.
	Databases map[string]string
	// Only are the recorded databases whose operations are sent; empty: all are.
	Only map[string]bool
	// Sessions says that the servers know sessions and transactions. Without it, what was in a transaction is sent
	// without.
	Sessions bool
	// Salt makes the sessions of a replay others than those of any other.
	Salt [16]byte
	// Pod is the index of this one of so many Pods, which share the sessions of a recording; 0 Pods are one.
	Pod, Pods int
}

// Operation is one that is sent again.
type Operation struct {
	// Due is the time from the first operation of the recording on.
	Due time.Duration
	// Place is that of its name among the Survey's.
	Place    int
	Database string
	Command  bson.Raw
	// Session is what it comes after other operations of; 0 for none.
	Session uint64
	// Cursor is the recorded one that it asks for more; 0 for none.
	Cursor int64
	Answer Answer
}

// maxTransactions is how many may be open at a time; with more, none is begun.
const maxTransactions = 10_000

// stream is what Survey and Stream have in common: the entries of a recording that are sent, in their order.
type stream struct {
	options Options
	ordered ordered
	// open are the transactions that have begun and not ended, by their session.
	open map[uint64]int64
	// first is when the first operation began, and count how many there were.
	first time.Time
	count int64
	// leftOut and changed are told of what is not sent.
	leftOut, changed func(string)
}

func newStream(from io.Reader, options Options) (*stream, error) {
	entries, err := newReader(from)
	if err != nil {
		return nil, err
	}
	nobody := func(string) {}
	s := &stream{options: options, open: map[uint64]int64{}, leftOut: nobody, changed: nobody}
	s.ordered = ordered{from: entries, sessions: map[uint64]*heldSession{}, skip: s.skip}
	return s, nil
}

// skip says of an entry that was read whether it is left out.
func (s *stream) skip(e *entry) bool {
	reason := s.options.judge(e)
	if reason != "" {
		s.leftOut(reason)
	}
	return reason != ""
}

// turn is what the transactions make of an entry.
type turn struct {
	leftOut string
	begins  bool
}

// next returns the next entry that is sent, of any pod, and whether it begins a transaction.
func (s *stream) next() (entry, bool, error) {
	for {
		one, err := s.ordered.next()
		if err != nil {
			return entry{}, false, err
		}
		t := s.transaction(&one)
		if t.leftOut != "" {
			s.leftOut(t.leftOut)
			continue
		}
		if s.count == 0 {
			s.first = one.at
		}
		s.count++
		return one, t.begins, nil
	}
}

// transaction follows the transactions of a recording. The operation that is the first of one that is sent begins it,
// also where the one that did is not in the recording.
func (s *stream) transaction(e *entry) turn {
	first, err := e.command.IndexErr(0)
	if err != nil {
		return turn{leftOut: reasonCut}
	}
	ends := transactionCommands[first.Key()]
	autocommit, inside := e.command.Lookup("autocommit").BooleanOK()
	number, numbered := wholeOf(e.command, "txnNumber")
	if !inside || autocommit || !numbered || !s.transacts(e) {
		if ends {
			return turn{leftOut: reasonTransaction}
		}
		return turn{}
	}
	open, known := s.open[e.session]
	switch {
	case ends && (!known || open != number):
		return turn{leftOut: reasonTransaction}
	case ends:
		delete(s.open, e.session)
		return turn{}
	case known && open == number:
		return turn{}
	case !known && len(s.open) == maxTransactions:
		return turn{leftOut: reasonTransactions}
	}
	s.open[e.session] = number
	return turn{begins: true}
}

// transacts says whether an entry is sent in a session.
func (s *stream) transacts(e *entry) bool {
	return s.options.Sessions && !e.partly && e.command.Lookup("lsid").Type == bson.TypeEmbeddedDocument
}

// database is where the operations of a recorded database go. Transactions end in a database of their own.
func (o *Options) database(e *entry) string {
	if first, err := e.command.IndexErr(0); err == nil && transactionCommands[first.Key()] {
		return "admin"
	}
	for _, name := range []string{e.database, "*"} {
		if to, ok := o.Databases[name]; ok {
			return to
		}
	}
	return e.database
}

// lsid is the session that stands for a recorded one.
func (o *Options) lsid(e *entry) *[16]byte {
	var name [32]byte
	copy(name[:], o.Salt[:])
	for i := range 8 {
		name[16+i] = byte(e.session >> (8 * i))
	}
	sum := sha256.Sum256(name[:])
	id := (*[16]byte)(sum[:16])
	// Version 4 and the variant of RFC 9562.
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	return id
}

// mine says whether an operation is this pod's: all of a session are the same pod's, and of those without one every
// so manieth.
func (s *stream) mine(e *entry) bool {
	pods := uint64(max(s.options.Pods, 1))
	if e.session != 0 {
		return e.session%pods == uint64(s.options.Pod)
	}
	return uint64(s.count-1)%pods == uint64(s.options.Pod)
}

// Stream returns the operations of a recording that a pod sends, in the order in which they are due. It holds no more
// of the recording than it takes to put them into that order.
type Stream struct {
	stream *stream
	from   io.Closer
	places map[string]int
	// name is that of the operation that was read last.
	name []byte
}

// Open begins to read a recording, once more after its Survey.
func Open(open func() (io.ReadCloser, error), options Options, of *Survey) (*Stream, error) {
	from, err := open()
	if err != nil {
		return nil, err
	}
	s, err := newStream(from, options)
	if err != nil {
		return nil, errors.Join(err, from.Close())
	}
	return &Stream{stream: s, from: from, places: of.places}, nil
}

// Next returns the next operation, and io.EOF after the last one. Its command is in the buffer of the one that is given,
// if that is large enough.
func (s *Stream) Next(o *Operation) error {
	for {
		one, begins, err := s.stream.next()
		if err != nil {
			return err
		}
		if !s.stream.mine(&one) {
			continue
		}
		s.stream.fill(o, &one, begins)
		s.name = appendName(s.name[:0], &one)
		place, known := s.places[string(s.name)]
		if !known {
			place = s.places[rest]
		}
		o.Place = place
		return nil
	}
}

// Close ends the reading.
func (s *Stream) Close() error { return s.from.Close() }

// fill makes the operation of an entry.
func (s *stream) fill(o *Operation, e *entry, begins bool) {
	var lsid *[16]byte
	if s.transacts(e) {
		lsid = s.options.lsid(e)
	}
	o.Command = sentAs(o.Command[:0], e.command, lsid, begins, s.changed)
	o.Due, o.Database, o.Session, o.Answer = e.at.Sub(s.first), s.options.database(e), e.session, e.answer
	o.Cursor, _ = wholeOf(o.Command, commandGetMore)
}

// appendName appends the command of an entry and its collection.
func appendName(dst []byte, e *entry) []byte {
	first, err := bsoncore.Document(e.command).IndexErr(0)
	if err != nil {
		return append(dst, rest...)
	}
	start, value := len(dst), first.Value()
	dst = append(dst, first.KeyBytes()...)
	if string(dst[start:]) == commandGetMore {
		value = bsoncore.Document(e.command).Lookup("collection")
	}
	if value.Type == bsoncore.TypeString && len(value.Data) > lengthAndEnd {
		dst = append(append(dst, ' '), value.Data[lengthBytes:len(value.Data)-1]...)
	}
	if len(dst)-start <= maxName {
		return dst
	}
	hash := fmt.Sprintf("~%08x", uint32(sessionOf(dst[start:])))
	return append(dst[:start+maxName-len(hash)], hash...)
}

const (
	// maxName is how long the name of an operation may be: a result has room for no more.
	maxName = 63
	// A text has its length before it, and a zero byte at its end.
	lengthBytes, lengthAndEnd = 4, 5
)
