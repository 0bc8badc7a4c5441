package replay

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// maxLine is the longest line that is read: a command of 16 MiB takes about four times as much as JSON.
const maxLine = 64 << 20

// Options say what of a recording is sent, and where.
type Options struct {
	// Writes lets commands that change data be sent too.
	Writes bool
	// Databases maps the name of a recorded database to the one that its operations go to. The name * stands for all
	// that have no own entry. What is not mapped stays.
	Databases map[string]string
}

// Recording is what can be sent again.
type Recording struct {
	// Operations by their time.
	Operations []Operation
	// LeftOut counts the lines that are not sent again, by the reason.
	LeftOut map[string]int
	// Changed counts the operations that are sent without something that they had, by what it is.
	Changed map[string]int
	// Hash is the SHA-256 of the lines.
	Hash string
}

// Operation is one that is sent again.
type Operation struct {
	// Due is the time from the first operation of the recording on.
	Due time.Duration
	// Name is the command and its collection.
	Name     string
	Database string
	Command  bson.Raw
	// Writes says that it may change data.
	Writes bool

	at time.Time
}

// Read reads a recording. An error says in which line it is.
func Read(from io.Reader, options Options) (Recording, error) {
	r := Recording{LeftOut: map[string]int{}, Changed: map[string]int{}}
	hash := sha256.New()
	lines := bufio.NewScanner(io.TeeReader(from, hash))
	lines.Buffer(nil, maxLine)
	number := 0
	for lines.Scan() {
		number++
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		if err := r.add(line, options); err != nil {
			return Recording{}, fmt.Errorf("line %d: %w", number, err)
		}
	}
	if err := lines.Err(); err != nil {
		return Recording{}, fmt.Errorf("line %d: %w", number+1, err)
	}
	if len(r.Operations) == 0 {
		return r, errors.New("there is nothing in it to be sent again")
	}
	r.order()
	r.Hash = hex.EncodeToString(hash.Sum(nil))
	return r, nil
}

// add takes one line.
func (r *Recording) add(line []byte, options Options) error {
	entry, err := parse(line)
	if err != nil {
		return err
	}
	made := prepare(entry, options.Writes)
	for _, removed := range made.removed {
		r.Changed[removed]++
	}
	if made.leftOut != "" {
		r.LeftOut[made.leftOut]++
		return nil
	}
	r.Operations = append(r.Operations, Operation{
		at: entry.at, Name: made.name, Database: options.database(entry.database), Command: made.command, Writes: made.writes,
	})
	return nil
}

// database is where the operations of a recorded database go.
func (o Options) database(recorded string) string {
	for _, name := range []string{recorded, "*"} {
		if to, ok := o.Databases[name]; ok {
			return to
		}
	}
	return recorded
}

// order sorts the operations by their times and counts these from the first on. Those of the same time keep their
// order.
func (r *Recording) order() {
	slices.SortStableFunc(r.Operations, func(a, b Operation) int { return a.at.Compare(b.at) })
	for i := range r.Operations {
		r.Operations[i].Due = r.Operations[i].at.Sub(r.Operations[0].at)
	}
}

// Reasons are those of LeftOut or Changed, or whatever else was counted, most frequent first.
func Reasons(counts map[string]int) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
}

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
