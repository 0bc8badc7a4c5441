package replay

import (
	"errors"
	"fmt"
	"math"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// entry is one operation as it was recorded.
type entry struct {
	// at is when the operation began, and end when it had ended: entries are written down by that.
	at, end time.Time
	// session is what the operation came after other operations of, such as a connection; 0 when that is not known. A
	// command that has an lsid tells by itself.
	session              uint64
	database, collection string
	// op is the profiler's kind of operation; empty where the command is whole.
	op      string
	command bson.Raw
	answer  Answer
	// leftOut is why it cannot be sent, if its reader knows.
	leftOut string
	// partly says that the recording has only parts of transactions.
	partly bool

	// number keeps those of the same time in their order.
	number int64
}

// Answer is what came back of an operation when it was recorded, as far as that is known.
type Answer struct {
	// Known says whether it failed, with Code if so.
	Known, Failed bool
	Code          int32
	// Counted says that Count is known: the documents that the first or next batch had, or that a write was about.
	Counted bool
	Count   int64
	// Open says that it is known whether a cursor was left open: Cursor, or 0 for none.
	Open   bool
	Cursor int64
}

// The longest time from the first to the last operation, in seconds: what fits into a duration.
const maxSeconds = float64(math.MaxInt64/int64(time.Second)) / 4

// emptyDocument is {}.
const emptyDocument = "\x05\x00\x00\x00\x00"

// sessionPrime is that of a hash that is the same in every pod: sessions are shared by it.
const sessionPrime = 1099511628211

// sessionOf is a number for a name of a session, never 0. It is the same in every process.
func sessionOf[T string | []byte](name T) uint64 {
	hash := uint64(14695981039346656037)
	for i := range len(name) {
		hash = (hash ^ uint64(name[i])) * sessionPrime
	}
	// Of names that differ in their end only, the low bits differ little.
	hash ^= hash >> 29
	hash *= 0xbf58476d1ce4e5b9
	hash ^= hash >> 32
	return max(hash, 1)
}

// timeOf reads seconds, a text in ISO 8601, or a date.
func timeOf(value bson.RawValue) (time.Time, error) {
	if date, ok := value.TimeOK(); ok {
		return date, nil
	}
	if text, ok := value.StringValueOK(); ok {
		at, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			return time.Time{}, fmt.Errorf(`"at" is %q, not a time such as 2026-03-01T12:00:00.250Z`, brief(text))
		}
		return at, nil
	}
	seconds, ok := asNumber(value)
	if !ok || math.Abs(seconds) > maxSeconds {
		return time.Time{}, errors.New(`"at" is neither a number of seconds nor a time such as 2026-03-01T12:00:00.250Z`)
	}
	return time.Unix(0, 0).Add(time.Duration(seconds * float64(time.Second))), nil
}

// numberOf is a number of a document, 0 when there is none.
func numberOf(document bson.Raw, name string) (float64, error) {
	value, err := document.LookupErr(name)
	if err != nil {
		return 0, nil //nolint:nilerr // It may be missing.
	}
	number, ok := asNumber(value)
	if !ok || math.Abs(number) > maxSeconds {
		return 0, fmt.Errorf("%q is no number", name)
	}
	return number, nil
}

func asNumber(value bson.RawValue) (float64, bool) {
	if number, ok := value.DoubleOK(); ok {
		return number, !math.IsNaN(number)
	}
	number, ok := value.AsInt64OK()
	return float64(number), ok
}

// wholeOf is a whole number of a document, and whether there is one.
func wholeOf(document bson.Raw, name string) (int64, bool) {
	value, err := document.LookupErr(name)
	if err != nil {
		return 0, false
	}
	if number, ok := value.AsInt64OK(); ok {
		return number, true
	}
	number, ok := value.DoubleOK()
	return int64(number), ok && math.Abs(number) < 1<<62
}

// maxBrief is how much of a recording an error shows.
const maxBrief = 80

func brief(text string) string {
	return text[:min(len(text), maxBrief)]
}
