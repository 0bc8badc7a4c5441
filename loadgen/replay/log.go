package replay

import (
	"bytes"
	"cmp"
	"errors"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// logReader reads the lines "Slow query" of the log of a server, from 4.4 on.
//
// Of an update or delete there is a line for each statement, and then one for the command, without its statements but
// with its session and transaction. They are of the same connection, and follow one another:
//
//	ctx conn3  WRITE    update  {q, u}          ──┐
//	ctx conn3  COMMAND  command {update, lsid}  <─┴── one command
type logReader struct {
	// statements that wait for the line of their command, by the connection.
	statements map[string][]entry
	waiting    int
	// taken numbers the statements.
	taken int64
}

// maxStatements is how many may wait over all connections; with more, none is waited for.
const maxStatements = 10_000

// slowQuery is the message of the lines that have an operation.
const slowQuery = "Slow query"

// notSlow says of a line, before it is parsed, that it is one of a log without an operation.
func notSlow(line []byte) bool {
	return bytes.HasPrefix(line, []byte(`{"t":`)) && bytes.Contains(line, []byte(`"ctx":`)) &&
		!bytes.Contains(line, []byte(slowQuery))
}

// parse reads a line, and appends what it completes.
func (l *logReader) parse(document bson.Raw, to []entry) ([]entry, error) {
	if message, _ := document.Lookup("msg").StringValueOK(); message != slowQuery {
		return to, nil
	}
	attributes, ok := document.Lookup("attr").DocumentOK()
	if !ok {
		return to, errors.New(`"attr" is no document`)
	}
	var made entry
	if made.end, ok = document.Lookup("t").TimeOK(); !ok {
		return to, errors.New(`"t" is no date`)
	}
	if err := made.operation(attributes, "durationMillis"); err != nil {
		return to, err
	}
	if _, err := document.LookupErr("truncated"); err == nil {
		made.leftOut = reasonLongLine
	}
	connection, _ := document.Lookup("ctx").StringValueOK()
	made.session = sessionOf(connection)
	made.op, _ = attributes.Lookup("type").StringValueOK()
	if made.op == opUpdate || made.op == opRemove {
		return l.wait(connection, made, to), nil
	}
	// What else the type says of a whole command does not matter.
	made.op = ""
	return l.complete(connection, made, to), nil
}

// wait keeps a statement until the line of its command comes.
func (l *logReader) wait(connection string, statement entry, to []entry) []entry {
	if l.statements == nil {
		l.statements = map[string][]entry{}
	}
	if l.waiting == maxStatements {
		to = l.flush(to)
	}
	l.taken++
	statement.number = l.taken
	l.statements[connection] = append(l.statements[connection], statement)
	l.waiting++
	return to
}

// complete gives a command the statements that were waiting for it. Statements of another one are sent by themselves.
func (l *logReader) complete(connection string, command entry, to []entry) []entry {
	waiting := l.statements[connection]
	delete(l.statements, connection)
	l.waiting -= len(waiting)
	first, err := command.command.IndexErr(0)
	var op, array string
	if err == nil {
		op, array = statementsOf(first.Key())
	}
	if array == "" {
		return append(append(to, waiting...), command)
	}
	if _, err := command.command.LookupErr(array); err == nil {
		return append(append(to, waiting...), command)
	}
	collection, _ := first.Value().StringValueOK()
	own := len(waiting)
	for own > 0 && waiting[own-1].op == op && waiting[own-1].collection == collection && waiting[own-1].leftOut == "" {
		own--
	}
	to = append(to, waiting[:own]...)
	if own == len(waiting) {
		command.leftOut = reasonStatements
		return append(to, command)
	}
	return append(to, joined(command, array, waiting[own:]))
}

// joined is a command with its statements, whose documents are those of its answer.
func joined(command entry, array string, statements []entry) entry {
	elements, _ := command.command.Elements()
	whole := make(bson.D, 0, len(elements)+1)
	for i, element := range elements {
		whole = append(whole, bson.E{Key: element.Key(), Value: element.Value()})
		if i == 0 {
			list := bson.A{}
			for _, one := range statements {
				list = append(list, statement(one.command, one.op == opRemove))
			}
			whole = append(whole, bson.E{Key: array, Value: list})
		}
	}
	encoded, err := bson.Marshal(whole)
	if err != nil {
		command.leftOut = reasonCut
		return command
	}
	command.command = encoded
	for _, one := range statements {
		if !command.answer.Failed {
			command.answer.Counted = true
			command.answer.Count += one.answer.Count
		}
	}
	return command
}

// statementsOf is the profiler's kind of the statements of a command, and where they are in it.
func statementsOf(command string) (op, array string) {
	switch command {
	case "update":
		return opUpdate, "updates"
	case "delete":
		return opRemove, "deletes"
	default:
		return "", ""
	}
}

// flush gives up waiting.
func (l *logReader) flush(to []entry) []entry {
	begin := len(to)
	for _, statements := range l.statements {
		to = append(to, statements...)
	}
	slices.SortFunc(to[begin:], func(a, b entry) int { return cmp.Compare(a.number, b.number) })
	clear(l.statements)
	l.waiting = 0
	return to
}
