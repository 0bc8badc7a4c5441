package replay

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// entry is one line of a recording.
type entry struct {
	// at is when the operation began.
	at                   time.Time
	database, collection string
	// op is the profiler's kind of operation; empty in the simple form.
	op      string
	command bson.Raw
}

// The longest time from the first to the last operation, in seconds: what fits into a duration.
const maxSeconds = float64(math.MaxInt64/int64(time.Second)) / 4

// parse reads a line.
func parse(line []byte) (entry, error) {
	var document bson.Raw
	if err := bson.UnmarshalExtJSON(line, false, &document); err != nil {
		return entry{}, fmt.Errorf("it is no document in Extended JSON: %w", err)
	}
	if err := document.Validate(); err != nil {
		return entry{}, fmt.Errorf("it is no document in Extended JSON: %w", err)
	}
	if _, err := document.LookupErr("ts"); err == nil {
		return parseProfiled(document)
	}
	if _, err := document.LookupErr("at"); err == nil {
		return parseSimple(document)
	}
	return entry{}, errors.New(`it has neither "ts", as a document of system.profile has, nor "at"`)
}

// parseProfiled reads a document of system.profile.
func parseProfiled(document bson.Raw) (entry, error) {
	ended, ok := document.Lookup("ts").TimeOK()
	if !ok {
		return entry{}, errors.New(`"ts" is no date`)
	}
	millis, err := numberOf(document, "millis")
	if err != nil {
		return entry{}, err
	}
	namespace, ok := document.Lookup("ns").StringValueOK()
	database, collection, _ := strings.Cut(namespace, ".")
	if !ok || database == "" {
		return entry{}, fmt.Errorf(`"ns" is %q, not a database and a collection`, namespace)
	}
	op, ok := document.Lookup("op").StringValueOK()
	if !ok {
		return entry{}, errors.New(`"op" is no text`)
	}
	command, _ := document.Lookup("command").DocumentOK()
	return entry{
		at: ended.Add(-time.Duration(millis * float64(time.Millisecond))), op: op,
		database: database, collection: collection, command: command,
	}, nil
}

// parseSimple reads the form with at, db and command.
func parseSimple(document bson.Raw) (entry, error) {
	at, err := timeOf(document.Lookup("at"))
	if err != nil {
		return entry{}, err
	}
	database, ok := document.Lookup("db").StringValueOK()
	if !ok || database == "" {
		return entry{}, errors.New(`"db" is no name of a database`)
	}
	command, ok := document.Lookup("command").DocumentOK()
	if !ok || len(command) <= len(emptyDocument) {
		return entry{}, errors.New(`"command" is no command`)
	}
	return entry{at: at, database: database, command: command}, nil
}

// emptyDocument is {}.
const emptyDocument = "\x05\x00\x00\x00\x00"

// timeOf reads seconds, a text in ISO 8601, or a date.
func timeOf(value bson.RawValue) (time.Time, error) {
	if date, ok := value.TimeOK(); ok {
		return date, nil
	}
	if text, ok := value.StringValueOK(); ok {
		at, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			return time.Time{}, fmt.Errorf(`"at" is %q, not a time such as 2026-03-01T12:00:00.250Z`, text)
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
