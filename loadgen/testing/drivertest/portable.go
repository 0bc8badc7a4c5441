package drivertest

import (
	"bytes"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// The records of the collection that Portable works on: how many are loaded, and how many an InsertMany adds.
const (
	portableLoaded = 60
	portableMany   = 7
)

// portableName is the name of its collection.
const portableName = "things"

// The operations of Portable, by their place in the step.
const (
	portableGet = iota
	portableByIndex
	portableRange
	portableLimited
	portableInsert
	portableInsertMany
	portableUpdate
	portableDelete
)

// Portable holds a target against what every target has to do alike: what tables and collections have in common. It
// loads a collection with values of every portable type, then sends operations of every portable kind, and reads back
// byte by byte what they have left. The database is the target's to make, and to replace.
func Portable(t *testing.T, target loadgen.Target, database string, client benchv1alpha1.Client) {
	t.Helper()
	plan := planv1.Plan{Seed: 5, Database: database, Collections: []planv1.Collection{portableCollection()}}
	dataset, err := workload.NewDataset(plan)
	if err != nil {
		t.Fatal(err)
	}
	p := &portableSuite{T: t, target: target, plan: plan, documents: dataset.Generator(portableName)}
	if err := target.Prepare(t.Context(), database, plan.Collections[0]); err != nil {
		t.Fatal(err)
	}
	if err := target.Index(t.Context(), database, plan.Collections[0]); err != nil {
		t.Fatal(err)
	}
	p.load(client)
	p.session = p.open(client, planv1.Step{Kind: planv1.StepMeasure, Operations: portableOperations()})
	defer p.session.Close()
	p.read()
	p.insert()
	p.update()
	p.delete()
	p.distinct(client)
	found, err := target.Count(t.Context(), database, portableName)
	if want := int64(portableLoaded + portableMany); err != nil || found != want {
		t.Errorf("at the end %d documents are there, error %v; want %d", found, err, want)
	}
}

// portableSuite is one run of Portable.
type portableSuite struct {
	*testing.T

	target    loadgen.Target
	plan      planv1.Plan
	documents loadgen.Documents
	session   loadgen.Session
}

func portableCollection() planv1.Collection {
	value := func(name string, v planv1.Value) planv1.Field { return planv1.Field{Name: name, Value: v} }
	return planv1.Collection{
		Name: portableName, DocumentCount: portableLoaded,
		Fields: []planv1.Field{
			value("_id", planv1.Value{Type: benchv1alpha1.GeneratorObjectID}),
			value("n", planv1.Value{Type: benchv1alpha1.GeneratorSequence, Step: 1}),
			value("small", planv1.Value{Type: benchv1alpha1.GeneratorInt, Seed: 1, Min: -1 << 31, Max: 1<<31 - 1}),
			value("large", planv1.Value{Type: benchv1alpha1.GeneratorLong, Seed: 2, Min: -1 << 62, Max: 1 << 62}),
			value("share", planv1.Value{Type: benchv1alpha1.GeneratorDouble, Seed: 3, MinDouble: -1e-300, MaxDouble: 1e300}),
			value("done", planv1.Value{Type: benchv1alpha1.GeneratorBool, Seed: 4, TruePercent: 50}),
			value("at", planv1.Value{Type: benchv1alpha1.GeneratorDate, Seed: 5, Min: -1 << 40, Max: 1 << 41}),
			value("text", planv1.Value{Type: benchv1alpha1.GeneratorString, Seed: 6, Max: 40}),
			value("bytes", planv1.Value{Type: benchv1alpha1.GeneratorBinary, Seed: 7, Max: 400}),
			value("uuid", planv1.Value{Type: benchv1alpha1.GeneratorUUID, Seed: 8}),
			value("serial", planv1.Value{Type: benchv1alpha1.GeneratorSerial, Prefix: "no", Digits: 4}),
			value("kind", planv1.Value{Type: benchv1alpha1.GeneratorChoice, Seed: 9, Choices: []planv1.Choice{
				{Value: `"it's"`, Weight: new(int32(1))},
				{Value: `"tab\there\nand \\ ä"`, Weight: new(int32(1))},
				{Value: `" a "`, Weight: new(int32(1))},
			}}),
		},
		Indexes: []planv1.Index{{Keys: []planv1.IndexKey{{Field: "n", Order: "1"}}, Unique: true}},
	}
}

// portableOperations are declared with parameters of the types that the requests below have values of.
func portableOperations() []planv1.Operation {
	id := planv1.Parameter{Name: "id", Value: planv1.Value{Type: planv1.TypeKey, KeyField: "_id"}}
	from := planv1.Parameter{Name: "from", Value: planv1.Value{Type: benchv1alpha1.GeneratorLong}}
	limit := planv1.Parameter{Name: "limit", Value: planv1.Value{Type: benchv1alpha1.GeneratorInt, Min: 1, Max: 9}}
	one := []planv1.Parameter{id}
	const byID = `{"_id": {"$param": "id"}}`
	operations := []planv1.Operation{
		portableGet: {Name: "get", Parameters: one, Request: planv1.Request{Kind: "FindOne", Filter: byID}},
		portableByIndex: {
			Name: "by-index", Parameters: []planv1.Parameter{from},
			Request: planv1.Request{Kind: "FindOne", Filter: `{"n": {"$param": "from"}}`},
		},
		portableRange: {
			Name: "range", Parameters: []planv1.Parameter{from},
			Request: planv1.Request{
				Kind: "Find", Filter: `{"n": {"$gte": {"$param": "from"}}}`,
				Sort: []benchv1alpha1.SortKey{{Field: "n", Direction: benchv1alpha1.SortAscending}}, Limit: 5,
			},
		},
		portableLimited: {
			Name: "limited", Parameters: []planv1.Parameter{from, limit},
			Request: planv1.Request{
				Kind: "Find", Filter: `{"n": {"$gte": {"$param": "from"}}}`,
				Sort:           []benchv1alpha1.SortKey{{Field: "n", Direction: benchv1alpha1.SortAscending}},
				LimitParameter: "limit",
			},
		},
		portableInsert: {Name: "insert", Request: planv1.Request{Kind: "InsertOne"}},
		portableInsertMany: {
			Name: "insert-many", Request: planv1.Request{Kind: "InsertMany", BatchDocuments: portableMany},
		},
		portableUpdate: {
			Name: "update", Parameters: one,
			Request: planv1.Request{
				Kind: "UpdateOne", Filter: byID,
				Update: `{"$set": {"text": "it's \t new", "share": {"$numberDouble": "-0.1"}, "done": true,
				"at": {"$date": {"$numberLong": "-1"}}, "small": -7}}`,
			},
		},
		portableDelete: {Name: "delete", Parameters: one, Request: planv1.Request{Kind: "DeleteOne", Filter: byID}},
	}
	for i := range operations {
		operations[i].Collection, operations[i].Weight = portableName, 1
	}
	return operations
}

// open opens a session.
func (p *portableSuite) open(client benchv1alpha1.Client, step planv1.Step) loadgen.Session {
	p.Helper()
	session, err := p.tryOpen(client, step)
	if err != nil {
		p.Fatal(err)
	}
	return session
}

// tryOpen is open, with its error.
func (p *portableSuite) tryOpen(client benchv1alpha1.Client, step planv1.Step) (loadgen.Session, error) {
	step.Name = "portable"
	return p.target.Session(p.Context(), loadgen.Use{
		Database: p.plan.Database, Collections: p.plan.Collections, Client: client, Step: step,
	})
}

// document is the one of a record.
func (p *portableSuite) document(record int64) bson.Raw {
	return p.documents.Append(nil, record)
}

// load writes the first records, in batches.
func (p *portableSuite) load(client benchv1alpha1.Client) {
	p.Helper()
	const batch = 25
	session := p.open(client, planv1.Step{Kind: planv1.StepLoad, BatchDocuments: batch})
	defer session.Close()
	for first := int64(0); first < portableLoaded; {
		first += session.Encode(portableName, p.documents, first, min(batch, portableLoaded-first))
		if err := session.Send(p.Context()); err != nil {
			p.Fatal(err)
		}
		if err := session.Acknowledge(p.Context()); err != nil {
			p.Fatal(err)
		}
	}
	for record := range int64(portableLoaded) {
		p.holds(record, p.document(record))
	}
}

// holds says that what is stored of a record is this, or with nil that nothing is.
func (p *portableSuite) holds(record int64, want bson.Raw) {
	p.Helper()
	id := p.document(record).Lookup("_id")
	stored, err := p.target.Read(p.Context(), p.plan.Database, portableName, []bson.RawValue{id})
	switch {
	case err != nil:
		p.Errorf("record %d cannot be read: %v", record, err)
	case want == nil && len(stored) > 0:
		p.Errorf("record %d is still there", record)
	case want != nil && (len(stored) != 1 || !bytes.Equal(stored[0], want)):
		p.Errorf("of record %d there is stored\n%v, and was to be\n%v", record, stored, want)
	}
}

// request is one of an operation, with the filter that its kind has.
func (p *portableSuite) request(operation int, kind operation.Kind, filter bson.Raw) *workload.Request {
	declared := portableOperations()[operation]
	request := &workload.Request{
		Operation: operation, Kind: kind, Collection: portableName, Filter: filter, Limit: declared.Limit,
		Declared: &declared,
	}
	if len(declared.Sort) > 0 {
		request.Sort = p.encode(bson.D{{Key: declared.Sort[0].Field, Value: int32(1)}})
	}
	return request
}

// byID is a filter that finds one record.
func (p *portableSuite) byID(record int64) bson.Raw {
	return p.encode(bson.D{{Key: "_id", Value: p.document(record).Lookup("_id")}})
}

// encode is the encoding of a document.
func (p *portableSuite) encode(document bson.D) bson.Raw {
	p.Helper()
	encoded, err := bson.Marshal(document)
	if err != nil {
		p.Fatal(err)
	}
	return encoded
}

// does sends a request, which is to find or change a number of documents.
func (p *portableSuite) does(name string, r *workload.Request, want int64) {
	p.Helper()
	var reply loadgen.Reply
	err := p.session.Execute(p.Context(), r, &reply)
	p.session.Settle(p.Context())
	if err != nil || reply.Documents != want {
		p.Errorf("%s: %d documents, error %v; want %d", name, reply.Documents, err, want)
	}
	if reply.Unacknowledged || reply.Retries != 0 || (r.Kind == operation.Find) == reply.First.IsZero() {
		p.Errorf("%s: the reply is %+v", name, reply)
	}
}

// absent is a record that is never written.
const absent = 10 * portableLoaded

func (p *portableSuite) read() {
	p.Helper()
	is := func(number int64) bson.Raw { return p.encode(bson.D{{Key: "n", Value: number}}) }
	from := func(number int64) bson.Raw {
		return p.encode(bson.D{{Key: "n", Value: bson.D{{Key: "$gte", Value: number}}}})
	}
	p.does("get", p.request(portableGet, operation.FindOne, p.byID(7)), 1)
	p.does("get of nothing", p.request(portableGet, operation.FindOne, p.byID(absent)), 0)
	p.does("by index", p.request(portableByIndex, operation.FindOne, is(7)), 1)
	p.does("by index of nothing", p.request(portableByIndex, operation.FindOne, is(absent)), 0)
	p.does("range", p.request(portableRange, operation.Find, from(7)), 5)
	p.does("range at the end", p.request(portableRange, operation.Find, from(portableLoaded-2)), 2)
	p.does("range of nothing", p.request(portableRange, operation.Find, from(absent)), 0)
	for _, limit := range []int64{1, 9} {
		r := p.request(portableLimited, operation.Find, from(0))
		r.Limit = limit
		p.does("limited", r, limit)
	}
}

func (p *portableSuite) insert() {
	p.Helper()
	one := p.request(portableInsert, operation.InsertOne, nil)
	one.Documents = []bson.Raw{p.document(portableLoaded)}
	p.does("insert", one, 1)
	p.holds(portableLoaded, p.document(portableLoaded))
	err := p.session.Execute(p.Context(), one, &loadgen.Reply{})
	if err == nil || p.target.Classify(err) != "duplicate key" {
		p.Errorf("the second insert: error %v, want one of class duplicate key", err)
	}
	many := p.request(portableInsertMany, operation.InsertMany, nil)
	for i := range int64(portableMany) {
		many.Documents = append(many.Documents, p.document(portableLoaded+1+i))
	}
	p.does("insert of many", many, portableMany)
	for i := range int64(portableMany) {
		p.holds(portableLoaded+1+i, p.document(portableLoaded+1+i))
	}
}

func (p *portableSuite) update() {
	p.Helper()
	var set bson.Raw
	if err := bson.UnmarshalExtJSON([]byte(portableOperations()[portableUpdate].Update), false, &set); err != nil {
		p.Fatal(err)
	}
	// The second time it finds what is as it is to be.
	for range 2 {
		r := p.request(portableUpdate, operation.UpdateOne, p.byID(3))
		r.Update = set
		p.does("update", r, 1)
	}
	p.holds(3, p.with(p.document(3), set.Lookup("$set").Document()))
	nothing := p.request(portableUpdate, operation.UpdateOne, p.byID(absent))
	nothing.Update = set
	p.does("update of nothing", nothing, 0)
	p.holds(4, p.document(4))
}

// with is a document with other values of some fields.
func (p *portableSuite) with(document, changes bson.Raw) bson.Raw {
	p.Helper()
	var fields bson.D
	if err := bson.Unmarshal(document, &fields); err != nil {
		p.Fatal(err)
	}
	for i := range fields {
		if changed, err := changes.LookupErr(fields[i].Key); err == nil {
			fields[i].Value = changed
		}
	}
	return p.encode(fields)
}

func (p *portableSuite) delete() {
	p.Helper()
	r := p.request(portableDelete, operation.DeleteOne, p.byID(5))
	p.does("delete", r, 1)
	p.does("delete of nothing", r, 0)
	p.holds(5, nil)
	p.holds(6, p.document(6))
}

// distinct counts the values of a unique column, and of one with three; HandlerSocket does no such operation.
func (p *portableSuite) distinct(client benchv1alpha1.Client) {
	p.Helper()
	declared := []planv1.Operation{
		{
			Name: "unique", Weight: 1,
			Request: planv1.Request{Kind: "Distinct", Collection: portableName, Field: "n", Filter: "{}"},
		},
		{
			Name: "few", Weight: 1,
			Request: planv1.Request{Kind: "Distinct", Collection: portableName, Field: "kind", Filter: "{}"},
		},
	}
	session, err := p.tryOpen(client, planv1.Step{Kind: planv1.StepMeasure, Operations: declared})
	if client == benchv1alpha1.ClientHandlerSocket {
		if err == nil || !strings.Contains(err.Error(), "HandlerSocket has nothing that does what a Distinct does") {
			p.Errorf("a Distinct by HandlerSocket: error %v", err)
		}
		return
	}
	if err != nil {
		p.Fatal(err)
	}
	defer session.Close()
	p.session.Close()
	p.session = session
	everything := p.encode(bson.D{})
	for i, want := range []int64{portableLoaded + portableMany, 3} {
		p.does(declared[i].Name, &workload.Request{
			Operation: i, Kind: operation.Distinct, Collection: portableName, Filter: everything, Declared: &declared[i],
		}, want)
	}
}
