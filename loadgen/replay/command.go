package replay

import (
	"errors"
	"math"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// parseCommand reads the form with at, db and command, and what a driver's monitor of commands may add.
func parseCommand(found *fields) (entry, error) {
	at, err := timeOf(found.at)
	if err != nil {
		return entry{}, err
	}
	database, ok := found.database.StringValueOK()
	if !ok || database == "" {
		return entry{}, errors.New(`"db" is no name of a database`)
	}
	command, ok := found.command.DocumentOK()
	if !ok || len(command) <= len(emptyDocument) {
		return entry{}, errors.New(`"command" is no command`)
	}
	made := entry{at: at, end: at, database: database, command: command, answer: answerOf(found)}
	if found.micros.Type != 0 {
		micros, ok := asNumber(found.micros)
		if !ok || math.Abs(micros) > maxSeconds {
			return entry{}, errors.New(`"micros" is no number`)
		}
		made.end = at.Add(time.Duration(max(micros, 0) * float64(time.Microsecond)))
	}
	if len(found.connection.Value) > 0 {
		made.session = sessionOf(found.connection.Value)
	}
	return made, nil
}

// answerOf reads the reply or the failure of a command, if either is there.
func answerOf(found *fields) Answer {
	if failure, ok := found.failure.DocumentOK(); ok {
		code, _ := wholeOf(failure, "code")
		return Answer{Known: true, Failed: true, Code: int32(code)}
	}
	if reply, ok := found.reply.DocumentOK(); ok {
		return replyOf(reply)
	}
	return Answer{}
}

// replyOf reads the reply of a server.
func replyOf(reply bson.Raw) Answer {
	found := replyFields{Answer: Answer{Known: true}}
	each(reply, found.take)
	switch {
	case found.refused:
		return Answer{Known: true, Failed: true, Code: int32(found.code)}
	case found.failed:
		found.Code, found.Failed = writeError(reply)
	}
	return found.Answer
}

// replyFields are what matters of a reply.
type replyFields struct {
	Answer
	// refused says that the command failed, with a code, and failed that some of its writes did.
	refused, failed bool
	code            int64
}

func (r *replyFields) take(key []byte, value bson.RawValue) {
	switch string(key) {
	case "ok":
		ok, is := asNumber(value)
		r.refused = is && ok == 0
	case "code":
		r.code, _ = value.AsInt64OK()
	case "n":
		r.counts(asWhole(value))
	case "writeErrors", "writeConcernError":
		r.failed = true
	default:
		r.nested(key, value)
	}
}

// nested takes what counts documents elsewhere than at the top.
func (r *replyFields) nested(key []byte, value bson.RawValue) {
	if values, ok := value.ArrayOK(); ok && string(key) == "values" {
		r.counts(lengthOf(values), true)
	}
	document, ok := value.DocumentOK()
	switch {
	case ok && string(key) == "lastErrorObject":
		r.counts(wholeOf(document, "n"))
	case ok && string(key) == "cursor":
		each(document, r.cursor)
	}
}

// counts takes a number of documents, if it is known.
func (a *Answer) counts(count int64, known bool) {
	if known {
		a.Count, a.Counted = count, true
	}
}

// cursor takes what a reply says of its cursor.
func (a *Answer) cursor(key []byte, value bson.RawValue) {
	switch string(key) {
	case "id":
		a.Cursor, a.Open = asWhole(value)
	case "firstBatch", "nextBatch":
		if batch, ok := value.ArrayOK(); ok {
			a.counts(lengthOf(batch), true)
		}
	}
}

// writeError is the code of a write that failed in a command that did not.
func writeError(reply bson.Raw) (code int32, failed bool) {
	for _, name := range []string{"writeErrors", "writeConcernError"} {
		value, err := reply.LookupErr(name)
		if err != nil {
			continue
		}
		one, ok := value.DocumentOK()
		if list, is := value.ArrayOK(); is {
			first, err := list.IndexErr(0)
			if err != nil {
				continue
			}
			one, ok = first.DocumentOK()
		}
		if ok {
			number, _ := wholeOf(one, "code")
			return int32(number), true
		}
	}
	return 0, false
}

// lengthOf counts the elements of an array.
func lengthOf(array bson.RawArray) (length int64) {
	for rest := array[4 : len(array)-1]; len(rest) > 0; length++ {
		var ok bool
		if _, rest, ok = bsoncore.ReadElement(rest); !ok {
			return length
		}
	}
	return length
}
