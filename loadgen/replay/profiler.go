package replay

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// parseProfiled reads a document of system.profile.
func parseProfiled(document bson.Raw) (entry, error) {
	ended, ok := document.Lookup("ts").TimeOK()
	if !ok {
		return entry{}, errors.New(`"ts" is no date`)
	}
	// The profiler knows neither the end of a transaction nor that a statement of an update belongs to one.
	made := entry{end: ended, partly: true}
	if made.op, ok = document.Lookup("op").StringValueOK(); !ok {
		return entry{}, errors.New(`"op" is no text`)
	}
	return made, made.operation(document, "millis")
}

// operation reads what the profiler and the log of a server have in common. The time that it took is in milliseconds.
func (e *entry) operation(document bson.Raw, millis string) error {
	took, err := numberOf(document, millis)
	if err != nil {
		return err
	}
	e.at = e.end.Add(-time.Duration(max(took, 0) * float64(time.Millisecond)))
	namespace, ok := document.Lookup("ns").StringValueOK()
	e.database, e.collection, _ = strings.Cut(namespace, ".")
	if !ok || e.database == "" {
		return fmt.Errorf(`"ns" is %q, not a database and a collection`, brief(namespace))
	}
	e.command, _ = document.Lookup("command").DocumentOK()
	e.answer = profiledAnswer(document)
	return nil
}

// profiledAnswer is what the profiler or the log keeps of a reply.
func profiledAnswer(document bson.Raw) Answer {
	if code, failed := wholeOf(document, "errCode"); failed {
		return Answer{Known: true, Failed: true, Code: int32(code)}
	}
	var found Answer
	// A write that failed for one of its documents does not say so.
	if returned, ok := wholeOf(document, "nreturned"); ok {
		found = Answer{Known: true, Counted: true, Count: returned}
	}
	for _, name := range []string{"ninserted", "nMatched", "nUpserted", "ndeleted"} {
		if count, ok := wholeOf(document, name); ok {
			found.Counted = true
			found.Count += count
		}
	}
	if cursor, ok := wholeOf(document, "cursorid"); ok {
		found.Cursor, found.Open = cursor, true
	}
	if exhausted, ok := document.Lookup("cursorExhausted").BooleanOK(); ok && exhausted {
		found.Cursor, found.Open = 0, true
	}
	return found
}
