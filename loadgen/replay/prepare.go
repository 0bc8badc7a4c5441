package replay

import (
	"go.mongodb.org/mongo-driver/v2/bson"
)

// Reasons why an operation is not sent again.
const (
	reasonGetMore        = "getMore: the command that opened the cursor is sent again"
	reasonWrite          = "write: it would change data; --writes sends it"
	reasonDriver         = "sent by a driver itself"
	reasonTransaction    = "begin or end of a transaction"
	reasonProfiler       = "of the profiler itself"
	reasonCut            = "the profiler did not keep the whole command"
	reasonInsert         = "insert: the profiler did not keep the documents"
	reasonAdministrative = "neither a read nor a write of data: "
)

// Commands by what becomes of them.
var (
	readCommands = names("find", "aggregate", "count", "distinct", "listCollections", "listIndexes", "listDatabases",
		"collStats", "dbStats", "dataSize", "explain")
	writeCommands  = names("insert", "update", "delete", "findAndModify", "findandmodify", "create", "createIndexes")
	driverCommands = names("hello", "isMaster", "ismaster", "ping", "buildInfo", "buildinfo", "saslStart", "saslContinue",
		"authenticate", "logout", "endSessions", "refreshSessions", "startSession", "killCursors", "getLastError",
		"whatsmyuri")
	transactionCommands = names("commitTransaction", "abortTransaction", "prepareTransaction",
		"coordinateCommitTransaction")
)

// removed are the fields of a command that belonged to its session, its server or its connection. maxTimeMS is the
// driver's to set, from --operation-timeout.
var removed = names("$db", "lsid", "$clusterTime", "txnNumber", "autocommit", "startTransaction", "stmtId", "stmtIds",
	"$readPreference", "$configServerState", "$configTime", "$topologyTime", "$audit", "$client", "$oplogQueryData",
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

// prepared is what becomes of an entry: a command and its name, or the reason why there is none.
type prepared struct {
	name    string
	command bson.Raw
	removed []string
	leftOut string
	// writes says that the command may change data.
	writes bool
}

// prepare makes the command that is sent again.
func prepare(e entry, writes bool) prepared {
	if reason := e.unusable(); reason != "" {
		return prepared{leftOut: reason}
	}
	command := e.command
	switch e.op {
	case "update":
		command = statement("update", e.collection, "updates", command)
	case "remove":
		command = statement("delete", e.collection, "deletes", command)
	default:
	}
	first, err := command.IndexErr(0)
	if err != nil {
		return prepared{leftOut: reasonCut}
	}
	name := first.Key()
	if reason := judge(name, command, writes); reason != "" {
		return prepared{leftOut: reason}
	}
	made := prepared{name: name, writes: changesData(name, command)}
	if collection, ok := first.Value().StringValueOK(); ok {
		made.name += " " + collection
	}
	made.command, made.removed = clean(command)
	return made
}

// unusable says why an entry has no command that could be sent, if so.
func (e entry) unusable() string {
	switch {
	case e.collection == "system.profile":
		return reasonProfiler
	case e.op == "getmore":
		return reasonGetMore
	case e.op == "killcursors":
		return reasonDriver
	case len(e.command) <= len(emptyDocument):
		return reasonCut
	}
	if _, err := e.command.LookupErr("$truncated"); err == nil {
		return reasonCut
	}
	if _, err := e.command.LookupErr("documents"); e.op == "insert" && err != nil {
		return reasonInsert
	}
	if _, err := e.command.LookupErr("q"); (e.op == "update" || e.op == "remove") && err != nil {
		return reasonCut
	}
	return ""
}

// statementFields are those of one update or delete.
var statementFields = names("q", "u", "c", "multi", "upsert", "collation", "arrayFilters", "hint", "limit")

// statement wraps the one statement of an update or delete, which is all that the profiler keeps of the command.
func statement(name, collection, array string, one bson.Raw) bson.Raw {
	kept := bson.D{}
	elements, _ := one.Elements()
	for _, element := range elements {
		if statementFields[element.Key()] {
			kept = append(kept, bson.E{Key: element.Key(), Value: element.Value()})
		}
	}
	if _, err := one.LookupErr("limit"); name == "delete" && err != nil {
		kept = append(kept, bson.E{Key: "limit", Value: 0})
	}
	wrapped, _ := bson.Marshal(bson.D{{Key: name, Value: collection}, {Key: array, Value: bson.A{kept}}})
	return wrapped
}

// judge says why a command is not sent again, if so.
func judge(name string, command bson.Raw, writes bool) string {
	if reason := never(name); reason != "" {
		return reason
	}
	if !writes && changesData(name, command) {
		return reasonWrite
	}
	if name == "insert" && command.Lookup("documents").Type != bson.TypeArray {
		return reasonInsert
	}
	return ""
}

// never says why commands of this name are not sent again, if so.
func never(name string) string {
	switch {
	case name == "getMore":
		return reasonGetMore
	case driverCommands[name]:
		return reasonDriver
	case transactionCommands[name]:
		return reasonTransaction
	case name == "profile":
		return reasonProfiler
	case !readCommands[name] && !writeCommands[name]:
		return reasonAdministrative + name
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

// clean is a command without what belonged to its session, and what that was.
func clean(command bson.Raw) (bson.Raw, []string) {
	elements, err := command.Elements()
	if err != nil {
		return command, nil
	}
	kept := make(bson.D, 0, len(elements))
	var gone []string
	for _, element := range elements {
		key, value := element.Key(), element.Value()
		switch {
		case removed[key]:
			// The database is in every command, and only written down elsewhere.
			if key != "$db" {
				gone = append(gone, key)
			}
			continue
		case key == "readConcern":
			if concern, ok := value.DocumentOK(); ok {
				timeless, times := withoutTimes(concern)
				gone = append(gone, times...)
				kept = append(kept, bson.E{Key: key, Value: timeless})
				continue
			}
		default:
		}
		kept = append(kept, bson.E{Key: key, Value: value})
	}
	cleaned, err := bson.Marshal(kept)
	if err != nil {
		return command, nil
	}
	return cleaned, gone
}

// withoutTimes is a read concern without the times of another cluster.
func withoutTimes(concern bson.Raw) (timeless bson.D, gone []string) {
	timeless = bson.D{}
	elements, _ := concern.Elements()
	for _, element := range elements {
		switch element.Key() {
		case "afterClusterTime", "atClusterTime":
			gone = append(gone, "readConcern."+element.Key())
		case "provenance":
			// The server wrote that down for itself.
		default:
			timeless = append(timeless, bson.E{Key: element.Key(), Value: element.Value()})
		}
	}
	return timeless, gone
}
