package replay

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mongobench/mongobench-operator/loadgen/records"
)

// What a server records of its traffic is one packet after the other, each with a message of the wire protocol as it
// came or went. All numbers have the little end first; the size is that of the packet, with itself:
//
//	4.2 to 8.0:  size 4 │ connection 8 │ local\0 remote\0 or one text\0 │ milliseconds since 1970 8 │ order 8 │ message
//	from 8.1 on: size 4 │ event 1 │ connection 8 │ session\0 │ microseconds since the start 8 │ order 8 │ message
//
// Which of them it is, the message tells: it begins with its own length, which must end where the packet does.
const (
	sizeBytes      = 4
	connectionEnd  = sizeBytes + 8
	messageHeader  = 16
	leastPacket    = connectionEnd + 1 + 16
	mostPacket     = 64 << 20
	opMsg          = 2013
	opCompressed   = 2012
	flagChecksum   = 1
	packetPeek     = connectionEnd + 2
	maxOutstanding = 10_000
)

// looksLikeTraffic says of the first bytes of a recording whether they are those of a packet: its size has a zero byte
// at its end, which no text has.
func looksLikeTraffic(first []byte) bool {
	if len(first) < packetPeek {
		return false
	}
	size := binary.LittleEndian.Uint32(first)
	return size >= leastPacket && size <= mostPacket && first[3] == 0
}

// traffic reads the recording of a server's traffic.
type traffic struct {
	from   io.Reader
	number int
	buffer []byte
	// layout is that of the first packet, and so of all.
	layout layout
	// asked are the requests that have no reply yet, and order is theirs.
	asked map[request]entry
	order []request
	ended bool
}

// request is the number of a request of a connection.
type request struct {
	connection uint64
	id         uint32
}

func newTraffic(from io.Reader) *traffic { return &traffic{from: from, asked: map[request]entry{}} }

// next returns a request once its reply has come, and at the end those without one.
func (t *traffic) next() (entry, error) {
	for {
		if t.ended || len(t.asked) > maxOutstanding {
			if one, ok := t.oldest(); ok {
				return one, nil
			}
		}
		if t.ended {
			return entry{}, io.EOF
		}
		one, complete, err := t.read()
		if err != nil {
			return entry{}, fmt.Errorf("packet %d: %w", t.number, err)
		}
		if complete {
			return one, nil
		}
	}
}

// oldest takes the request that was sent first of those that have no reply.
func (t *traffic) oldest() (entry, bool) {
	for len(t.order) > 0 {
		first := t.order[0]
		t.order = t.order[1:]
		if one, waits := t.asked[first]; waits {
			delete(t.asked, first)
			return one, true
		}
	}
	return entry{}, false
}

// read takes one packet, which completes an entry if it is a reply.
func (t *traffic) read() (one entry, complete bool, _ error) {
	t.number++
	var size [sizeBytes]byte
	if _, err := io.ReadFull(t.from, size[:]); err != nil {
		if errors.Is(err, io.EOF) {
			t.ended = true
			return entry{}, false, nil
		}
		return entry{}, false, errors.New("it is cut off")
	}
	length := int(binary.LittleEndian.Uint32(size[:]))
	if length < leastPacket || length > mostPacket {
		return entry{}, false, fmt.Errorf("it has %d bytes", length)
	}
	if cap(t.buffer) < length {
		t.buffer = make([]byte, length)
	}
	t.buffer = t.buffer[:length]
	copy(t.buffer, size[:])
	if _, err := io.ReadFull(t.from, t.buffer[sizeBytes:]); err != nil {
		return entry{}, false, errors.New("it is cut off")
	}
	found, err := t.split(t.buffer)
	if err != nil || len(found.message) < messageHeader {
		return entry{}, false, err
	}
	return t.take(found)
}

// packet is what matters of one.
type packet struct {
	connection uint64
	at         time.Time
	message    []byte
}

// layout finds the parts of a packet; it says no if it has other ones.
type layout func(packet []byte) (packet, bool)

// split takes a packet apart.
func (t *traffic) split(bytes []byte) (packet, error) {
	if t.layout != nil {
		if found, ok := t.layout(bytes); ok {
			return found, nil
		}
		return packet{}, errors.New("it is not laid out as those before it")
	}
	for _, one := range []layout{earlier(2), earlier(1), later} {
		if found, ok := one(bytes); ok {
			t.layout = one
			return found, nil
		}
	}
	return packet{}, errors.New("it is laid out in a way that is not known here")
}

// earlier is the layout of servers up to 8.0, with so many texts.
func earlier(texts int) layout {
	return func(bytes []byte) (packet, bool) {
		rest, ok := afterTexts(bytes[connectionEnd:], texts)
		if !ok || len(rest) < 16 {
			return packet{}, false
		}
		found := packet{
			connection: binary.LittleEndian.Uint64(bytes[sizeBytes:]),
			at:         time.UnixMilli(int64(binary.LittleEndian.Uint64(rest) & (1<<48 - 1))), message: rest[16:],
		}
		return found, found.whole()
	}
}

// later is the layout of servers from 8.1 on. The packet of a session that begins or ends has no message, or an empty
// one.
func later(bytes []byte) (packet, bool) {
	const event = sizeBytes + 1
	rest, ok := afterTexts(bytes[event+8:], 1)
	if !ok || len(rest) < 16 || bytes[sizeBytes] > 2 {
		return packet{}, false
	}
	micros := int64(binary.LittleEndian.Uint64(rest) & (1<<53 - 1))
	found := packet{
		connection: binary.LittleEndian.Uint64(bytes[event:]),
		at:         time.Unix(0, 0).Add(time.Duration(micros) * time.Microsecond), message: rest[16:],
	}
	if bytes[sizeBytes] > 0 {
		found.message = nil
		return found, true
	}
	return found, found.whole()
}

// whole says whether the message ends where the packet does.
func (p packet) whole() bool {
	return len(p.message) >= messageHeader && int64(binary.LittleEndian.Uint32(p.message)) == int64(len(p.message))
}

// afterTexts is what comes after so many texts that end with a zero byte.
func afterTexts(rest []byte, texts int) ([]byte, bool) {
	for range texts {
		end := bytes.IndexByte(rest, 0)
		if end < 0 {
			return nil, false
		}
		rest = rest[end+1:]
	}
	return rest, true
}

// take keeps a request until its reply, which completes it.
func (t *traffic) take(p packet) (one entry, complete bool, _ error) {
	id, to := binary.LittleEndian.Uint32(p.message[4:]), binary.LittleEndian.Uint32(p.message[8:])
	document, reason, err := documentOf(p.message)
	if err != nil {
		return entry{}, false, err
	}
	if to != 0 {
		key := request{p.connection, to}
		asked, known := t.asked[key]
		if !known {
			return entry{}, false, nil // The request came before the recording began.
		}
		delete(t.asked, key)
		asked.end = p.at
		if reason == "" && asked.leftOut == "" {
			asked.answer = replyOf(document)
		}
		return asked, true, nil
	}
	asked := entry{at: p.at, end: p.at, session: p.connection + 1, command: document, leftOut: reason}
	if reason == "" {
		asked.database, _ = document.Lookup("$db").StringValueOK()
		if asked.database == "" {
			asked.leftOut = reasonLegacy
		}
	}
	if unanswered(p.message) {
		return asked, true, nil
	}
	key := request{p.connection, id}
	before, twice := t.asked[key]
	t.asked[key] = asked
	t.order = append(t.order, key)
	if len(t.order) > 2*maxOutstanding {
		t.tidy()
	}
	return before, twice, nil
}

// tidy forgets the order of what has been answered.
func (t *traffic) tidy() {
	kept := t.order[:0]
	for _, key := range t.order {
		if _, waits := t.asked[key]; waits {
			kept = append(kept, key)
		}
	}
	t.order = kept
}

// unanswered says whether no reply comes to a message.
func unanswered(message []byte) bool {
	const moreToCome = 2
	return len(message) >= messageHeader+4 && binary.LittleEndian.Uint32(message[12:]) == opMsg &&
		binary.LittleEndian.Uint32(message[messageHeader:])&moreToCome != 0
}

// documentOf is the document of a message, with the documents of its other sections in it, or why there is none.
func documentOf(message []byte) (_ bson.Raw, reason string, _ error) {
	switch binary.LittleEndian.Uint32(message[12:]) {
	case opMsg:
	case opCompressed:
		return nil, reasonCompressed, nil
	default:
		return nil, reasonLegacy, nil
	}
	sections := message[messageHeader:]
	if len(sections) < sizeBytes {
		return nil, "", errors.New("its message is cut off")
	}
	flags := binary.LittleEndian.Uint32(sections)
	sections = sections[sizeBytes:]
	if flags&flagChecksum != 0 && len(sections) >= sizeBytes {
		sections = sections[:len(sections)-sizeBytes]
	}
	return merged(sections)
}

// merged is the document of the section that has one, with an array for each of the others.
func merged(sections []byte) (_ bson.Raw, reason string, _ error) {
	var body bson.Raw
	var arrays bson.D
	for len(sections) > 0 {
		kind := sections[0]
		sections = sections[1:]
		if len(sections) < sizeBytes {
			return nil, "", errors.New("a section of its message is cut off")
		}
		size := int64(binary.LittleEndian.Uint32(sections))
		if size < sizeBytes+1 || size > int64(len(sections)) || kind > 1 {
			return nil, "", errors.New("a section of its message is cut off")
		}
		section := sections[:size]
		sections = sections[size:]
		if kind == 0 {
			body = bytes.Clone(section)
			continue
		}
		name, documents, ok := bytes.Cut(section[sizeBytes:], []byte{0})
		if !ok {
			return nil, "", errors.New("a section of its message has no name")
		}
		list, err := documentsOf(documents)
		if err != nil {
			return nil, "", err
		}
		arrays = append(arrays, bson.E{Key: string(name), Value: list})
	}
	if body == nil {
		return nil, "", errors.New("its message has no document")
	}
	if records.Damage(body) != nil {
		return nil, "", errors.New("its document is damaged")
	}
	return withArrays(body, arrays)
}

// documentsOf are those that follow one another.
func documentsOf(documents []byte) (bson.A, error) {
	list := bson.A{}
	for len(documents) > 0 {
		if len(documents) < sizeBytes {
			return nil, errors.New("a document of its message is cut off")
		}
		size := int64(binary.LittleEndian.Uint32(documents))
		if size < int64(len(emptyDocument)) || size > int64(len(documents)) {
			return nil, errors.New("a document of its message is cut off")
		}
		one := bson.Raw(bytes.Clone(documents[:size]))
		if records.Damage(one) != nil {
			return nil, errors.New("a document of its message is damaged")
		}
		list = append(list, one)
		documents = documents[size:]
	}
	return list, nil
}

// withArrays is a document with more elements behind its first one.
func withArrays(body bson.Raw, arrays bson.D) (bson.Raw, string, error) {
	if len(arrays) == 0 {
		return body, "", nil
	}
	elements, err := body.Elements()
	if err != nil {
		return nil, "", err
	}
	whole := make(bson.D, 0, len(elements)+len(arrays))
	for i, element := range elements {
		whole = append(whole, bson.E{Key: element.Key(), Value: element.Value()})
		if i == 0 {
			whole = append(whole, arrays...)
		}
	}
	encoded, err := bson.Marshal(whole)
	if err != nil {
		return nil, reasonCut, nil //nolint:nilerr // It cannot be sent, and is counted so.
	}
	return encoded, "", nil
}
