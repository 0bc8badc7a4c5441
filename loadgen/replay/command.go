package replay

import (
	"errors"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// parseCommand reads the form with at, db and command, and what a driver's monitor of commands may add.
func parseCommand(document bson.Raw) (entry, error) {
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
	micros, err := numberOf(document, "micros")
	if err != nil {
		return entry{}, err
	}
	made := entry{
		at: at, end: at.Add(time.Duration(max(micros, 0) * float64(time.Microsecond))), database: database, command: command,
		answer: answerOf(document),
	}
	if connection, err := document.LookupErr("connection"); err == nil {
		made.session = sessionOf(connection.Value)
	}
	return made, nil
}

// answerOf reads the reply or the failure of a command, if either is there.
func answerOf(document bson.Raw) Answer {
	if failure, ok := document.Lookup("failure").DocumentOK(); ok {
		code, _ := wholeOf(failure, "code")
		return Answer{Known: true, Failed: true, Code: int32(code)}
	}
	reply, ok := document.Lookup("reply").DocumentOK()
	if !ok {
		return Answer{}
	}
	return replyOf(reply)
}

// replyOf reads the reply of a server.
func replyOf(reply bson.Raw) Answer {
	found := Answer{Known: true}
	if ok, has := wholeOf(reply, "ok"); has && ok == 0 {
		code, _ := wholeOf(reply, "code")
		return Answer{Known: true, Failed: true, Code: int32(code)}
	}
	if code, failed := writeError(reply); failed {
		found.Failed, found.Code = true, code
	}
	found.Count, found.Counted = wholeOf(reply, "n")
	if last, ok := reply.Lookup("lastErrorObject").DocumentOK(); ok {
		found.Count, found.Counted = wholeOf(last, "n")
	}
	if values, ok := reply.Lookup("values").ArrayOK(); ok {
		found.Count, found.Counted = lengthOf(values), true
	}
	if cursor, ok := reply.Lookup("cursor").DocumentOK(); ok {
		found.Cursor, found.Open = wholeOf(cursor, "id")
		for _, name := range []string{"firstBatch", "nextBatch"} {
			if batch, ok := cursor.Lookup(name).ArrayOK(); ok {
				found.Count, found.Counted = lengthOf(batch), true
			}
		}
	}
	return found
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
