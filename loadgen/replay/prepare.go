package replay

import (
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// Reasons why an operation is not sent again.
const (
	reasonWrite          = "write: it would change data, and writes are not to be sent"
	reasonDriver         = "sent by a driver itself"
	reasonTransaction    = "begin or end of a transaction of which nothing else is sent"
	reasonTransactions   = "transaction: too many are open at the same time"
	reasonProfiler       = "of the profiler itself"
	reasonCut            = "the server did not keep the whole command"
	reasonLongLine       = "the line of the log was cut off"
	reasonStatements     = "update or delete: the log did not keep its statements"
	reasonInsert         = "insert: the server did not keep the documents"
	reasonDatabase       = "in a database of which nothing is to be sent"
	reasonCompressed     = "the message was compressed"
	reasonLegacy         = "the message is of a protocol before OP_MSG"
	reasonUnanswered     = "no reply was asked for"
	reasonAdministrative = "neither a read nor a write of data: "
)

// The profiler's kinds of operations that matter here.
const (
	opUpdate = "update"
	opRemove = "remove"
)

// Commands by what becomes of them.
var (
	readCommands = names("find", commandGetMore, "aggregate", "count", "distinct", "listCollections", "listIndexes", "listDatabases",
		"collStats", "dbStats", "dataSize", "explain")
	writeCommands  = names("insert", "update", "delete", "findAndModify", "findandmodify", "create", "createIndexes")
	driverCommands = names("hello", "isMaster", "ismaster", "ping", "buildInfo", "buildinfo", "saslStart", "saslContinue",
		"authenticate", "logout", "endSessions", "refreshSessions", "startSession", "killCursors", "getLastError",
		"whatsmyuri")
	transactionCommands = names("commitTransaction", "abortTransaction", "prepareTransaction",
		"coordinateCommitTransaction")
)

// inSession are the fields of a command that only have a meaning with those before it.
var inSession = names("lsid", "txnNumber", "autocommit", "startTransaction", "stmtId", "stmtIds")

// removed are the fields of a command that belonged to its server or its connection. maxTimeMS is the load generator's
// to set.
var removed = names("$db", "$clusterTime", "$readPreference", "$configServerState", "$configTime", "$topologyTime", "$audit", "$client", "$oplogQueryData",
	"$replData", "$gleStats", "shardVersion", "databaseVersion", "allowImplicitCollectionCreation",
	"mayBypassWriteBlocking", "clientOperationKey", "apiVersion", "apiStrict", "apiDeprecationErrors",
	"maxTimeMS", "maxTimeMSOpOnly", "runtimeConstants", "needsMerge", "fromMongos", "fromRouter")

func names(list ...string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, name := range list {
		set[name] = true
	}
	return set
}

// judge makes the command of an entry a whole one, and returns the reason why it is not sent again, if so.
func (o *Options) judge(e *entry) string {
	if reason := e.unusable(); reason != "" {
		return reason
	}
	switch e.op {
	case opUpdate:
		e.command = wrapped("update", e.collection, "updates", e.command)
	case opRemove:
		e.command = wrapped("delete", e.collection, "deletes", e.command)
	default:
	}
	first, err := e.command.IndexErr(0)
	if err != nil {
		return reasonCut
	}
	name := first.Key()
	switch {
	case transactionCommands[name]:
		if e.partly {
			return reasonTransaction
		}
	case len(o.Only) > 0 && !o.Only[e.database]:
		return reasonDatabase
	default:
		if reason := o.refuse(name, e.command); reason != "" {
			return reason
		}
	}
	e.sessionByCommand(name)
	return ""
}

// sessionByCommand has a command belong to the session that it names, or else to the cursor that it is about, unless
// its connection is known.
func (e *entry) sessionByCommand(name string) {
	if id := e.command.Lookup("lsid", "id"); len(id.Value) > 0 {
		e.session = sessionOf(id.Value)
		return
	}
	cursor := e.answer.Cursor
	if name == commandGetMore {
		cursor, _ = wholeOf(e.command, name)
	}
	if e.session == 0 && cursor != 0 {
		e.session = uint64(cursor) | 1<<63
	}
}

// unusable says why an entry has no command that could be sent, if so.
func (e *entry) unusable() string {
	switch {
	case e.leftOut != "":
		return e.leftOut
	case e.collection == "system.profile":
		return reasonProfiler
	case e.op == "killcursors":
		return reasonDriver
	case len(e.command) <= len(emptyDocument):
		return reasonCut
	}
	if _, err := e.command.LookupErr("$truncated"); err == nil {
		return reasonCut
	}
	if _, err := e.command.LookupErr("q"); (e.op == opUpdate || e.op == opRemove) && err != nil {
		return reasonCut
	}
	if w, ok := e.command.Lookup("writeConcern", "w").AsInt64OK(); ok && w == 0 {
		return reasonUnanswered
	}
	return ""
}

// statementFields are those of one update or delete.
var statementFields = names("q", "u", "c", "multi", "upsert", "collation", "arrayFilters", "hint", "limit")

// statement is one update or delete as a command has it, from what the server wrote down of it.
func statement(one bson.Raw, deletes bool) bson.D {
	kept := bson.D{}
	elements, _ := one.Elements()
	for _, element := range elements {
		if statementFields[element.Key()] {
			kept = append(kept, bson.E{Key: element.Key(), Value: element.Value()})
		}
	}
	if _, err := one.LookupErr("limit"); deletes && err != nil {
		kept = append(kept, bson.E{Key: "limit", Value: 0})
	}
	return kept
}

// wrapped is the command of one statement, which is all that the profiler keeps of it.
func wrapped(name, collection, array string, one bson.Raw) bson.Raw {
	whole, err := bson.Marshal(bson.D{
		{Key: name, Value: collection}, {Key: array, Value: bson.A{statement(one, name == "delete")}},
	})
	if err != nil {
		return nil
	}
	return whole
}

// refuse says why a command is not sent again, if so.
func (o *Options) refuse(name string, command bson.Raw) string {
	if reason := never(name); reason != "" {
		return reason
	}
	if !o.Writes && changesData(name, command) {
		return reasonWrite
	}
	_, array := statementsOf(name)
	if name == "insert" {
		array = "documents"
	}
	if array == "" || command.Lookup(array).Type == bson.TypeArray {
		return ""
	}
	if name == "insert" {
		return reasonInsert
	}
	return reasonStatements
}

// never says why commands of this name are not sent again, if so.
func never(name string) string {
	switch {
	case driverCommands[name]:
		return reasonDriver
	case name == "profile":
		return reasonProfiler
	case !readCommands[name] && !writeCommands[name]:
		return reasonAdministrative + brief(name)
	default:
		return ""
	}
}

// changesData says whether a command may change data.
func changesData(name string, command bson.Raw) bool {
	return writeCommands[name] || changes(command)
}

// changes says whether the pipeline of an aggregation, which an explanation may hold, ends in a collection.
func changes(command bson.Raw) bool {
	if inner, ok := command.Lookup("explain").DocumentOK(); ok {
		return changes(inner)
	}
	pipeline, ok := command.Lookup("pipeline").ArrayOK()
	if !ok {
		return false
	}
	stages, err := pipeline.Values()
	if err != nil || len(stages) == 0 {
		return false
	}
	last, ok := stages[len(stages)-1].DocumentOK()
	if !ok {
		return false
	}
	_, out := last.LookupErr("$out")
	_, merge := last.LookupErr("$merge")
	return out == nil || merge == nil
}

// commandGetMore is the command that asks a cursor for more.
const commandGetMore = "getMore"

// sentAs is a command as it is sent: without what belonged to its server, and in a session of its own. A nil session
// leaves out what has no meaning without one; begins says whether it begins its transaction, if it is in one. What is
// left out is counted.
func sentAs(dst []byte, command bson.Raw, lsid *[16]byte, begins bool, count func(string)) []byte {
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	for rest := command[4 : len(command)-1]; len(rest) > 0; {
		element, more, ok := bsoncore.ReadElement(rest)
		if !ok {
			break
		}
		rest = more
		dst = appendElement(dst, element, lsid, count)
	}
	if begins {
		dst = bsoncore.AppendBooleanElement(dst, "startTransaction", true)
	}
	dst = append(dst, 0)
	return bsoncore.UpdateLength(dst, int32(start), int32(len(dst)-start))
}

// appendElement appends an element of a command, unless it is not to be sent.
func appendElement(dst []byte, element bsoncore.Element, lsid *[16]byte, count func(string)) []byte {
	key := element.KeyBytes()
	switch {
	case removed[string(key)]:
		// The database is in every command, and only written down elsewhere.
		if string(key) != "$db" {
			count(string(key))
		}
		return dst
	case inSession[string(key)] && lsid == nil:
		count(string(key))
		return dst
	case string(key) == "startTransaction":
		return dst
	case string(key) == "lsid":
		const subtypeUUID = 4
		place, dst := bsoncore.AppendDocumentElementStart(dst, "lsid")
		dst = bsoncore.AppendBinaryElement(dst, "id", subtypeUUID, lsid[:])
		dst, _ = bsoncore.AppendDocumentEnd(dst, place)
		return dst
	case string(key) == commandGetMore, string(key) == "txnNumber":
		// JSON does not always tell what kind of number it is, and the server wants this one.
		number, _ := element.Value().AsInt64OK()
		return bsoncore.AppendInt64Element(dst, string(key), number)
	case string(key) == "readConcern":
		if concern, ok := element.Value().DocumentOK(); ok {
			return withoutTimes(dst, concern, count)
		}
	default:
	}
	return append(dst, element...)
}

// withoutTimes appends a read concern without the times of another cluster.
func withoutTimes(dst []byte, concern bsoncore.Document, count func(string)) []byte {
	place, dst := bsoncore.AppendDocumentElementStart(dst, "readConcern")
	elements, _ := concern.Elements()
	for _, element := range elements {
		switch element.Key() {
		case "afterClusterTime", "atClusterTime":
			count("readConcern." + element.Key())
		case "provenance":
			// The server wrote that down for itself.
		default:
			dst = append(dst, element...)
		}
	}
	dst, _ = bsoncore.AppendDocumentEnd(dst, place)
	return dst
}
