package mongo_test

import (
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongosdouble"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// eight answers as a mongos of MongoDB 8.0 as far as a bulkWrite needs one: it carries it out by the commands that the
// server behind it knows, and answers as the documentation of the command has it.
type eight struct {
	t      *testing.T
	server *driver.Database
	// seen are the bulkWrites that came.
	seen []bson.Raw
}

func encoded(t *testing.T, document any) bson.Raw {
	t.Helper()
	raw, err := bson.Marshal(document)
	if err != nil {
		t.Error(err)
	}
	return raw
}

func (e *eight) answer(command bson.Raw) bson.Raw {
	first, _ := command.IndexErr(0)
	switch first.Key() {
	case "hello", "isMaster", "ismaster":
		return encoded(e.t, bson.D{
			{Key: "ismaster", Value: true},
			{Key: "isWritablePrimary", Value: true},
			{Key: "msg", Value: "isdbgrid"},
			{Key: "maxBsonObjectSize", Value: 16 << 20},
			{Key: "maxMessageSizeBytes", Value: 48_000_000},
			{Key: "maxWriteBatchSize", Value: 100_000},
			{Key: "localTime", Value: time.Now()},
			{Key: "logicalSessionTimeoutMinutes", Value: 30},
			{Key: "minWireVersion", Value: 0},
			{Key: "maxWireVersion", Value: 25},
			{Key: "ok", Value: 1},
		})
	case "ping":
		return encoded(e.t, bson.D{{Key: "ok", Value: 1}})
	case "buildInfo", "buildinfo":
		return encoded(e.t, bson.D{{Key: "version", Value: "8.0.4"}, {Key: "ok", Value: 1}})
	case "bulkWrite":
		e.seen = append(e.seen, command)
		return e.bulkWrite(command)
	default:
		return nil
	}
}

// translated is one of the writes of a bulkWrite as a command of its own.
func translated(write bson.Raw, collection string) bson.D {
	first, _ := write.IndexErr(0)
	multi, _ := write.Lookup("multi").BooleanOK()
	switch first.Key() {
	case "insert":
		return bson.D{{Key: "insert", Value: collection}, {Key: "documents", Value: bson.A{write.Lookup("document")}}}
	case "update":
		upsert, _ := write.Lookup("upsert").BooleanOK()
		return bson.D{{Key: "update", Value: collection}, {Key: "updates", Value: bson.A{bson.D{
			{Key: "q", Value: write.Lookup("filter")},
			{Key: "u", Value: write.Lookup("updateMods")},
			{Key: "multi", Value: multi},
			{Key: "upsert", Value: upsert},
		}}}}
	default:
		limit := 1
		if multi {
			limit = 0
		}
		return bson.D{{Key: "delete", Value: collection}, {Key: "deletes", Value: bson.A{bson.D{
			{Key: "q", Value: write.Lookup("filter")}, {Key: "limit", Value: limit},
		}}}}
	}
}

func (e *eight) bulkWrite(command bson.Raw) bson.Raw {
	writes, _ := command.Lookup("ops").Array().Values()
	namespaces, _ := command.Lookup("nsInfo").Array().Values()
	counts := map[string]int32{}
	failed := bson.A{}
	for i, write := range writes {
		first, _ := write.Document().IndexErr(0)
		ns := namespaces[first.Value().AsInt64()].Document().Lookup("ns").StringValue()
		reply, err := e.server.RunCommand(e.t.Context(), translated(write.Document(), ns[len(e.server.Name())+1:])).Raw()
		if one, ok := err.(driver.WriteException); ok { //nolint:errorlint // It is the driver's own.
			failed = append(failed, bson.D{
				{Key: "ok", Value: 0.0},
				{Key: "idx", Value: i},
				{Key: "code", Value: one.WriteErrors[0].Code},
				{Key: "errmsg", Value: one.WriteErrors[0].Message},
				{Key: "n", Value: 0},
			})
			break
		}
		n, _ := reply.Lookup("n").AsInt64OK()
		modified, _ := reply.Lookup("nModified").AsInt64OK()
		counts[first.Key()] += int32(n)
		counts["modified"] += int32(modified)
	}
	return encoded(e.t, bson.D{
		{Key: "ok", Value: 1.0},
		{Key: "nErrors", Value: len(failed)},
		{Key: "nInserted", Value: counts["insert"]},
		{Key: "nMatched", Value: counts["update"]},
		{Key: "nModified", Value: counts["modified"]},
		{Key: "nUpserted", Value: 0},
		{Key: "nDeleted", Value: counts["delete"]},
		{Key: "cursor", Value: bson.D{
			{Key: "id", Value: int64(0)}, {Key: "ns", Value: "admin.$cmd.bulkWrite"}, {Key: "firstBatch", Value: failed},
		}},
	})
}

// toSeveral writes to things and to others: what is inserted into others has the _id of the record number.
func toSeveral(t *testing.T) (workload.Request, planv1.Step) {
	t.Helper()
	declared := planv1.Operation{
		Name: "it", Weight: 1,
		Request: planv1.Request{
			Kind: "BulkWrite", Collection: "things", RequestOptions: planv1.RequestOptions{Comment: "to several"},
		},
		WholeSettings: planv1.WholeSettings{Order: "Ordered", Operations: []planv1.Request{
			{Kind: "UpdateMany", Collection: "things", Filter: `{"n": {"$lt": 4}}`, Update: `{"$set": {"x": 1}}`},
			{Kind: "InsertOne", Collection: "others"},
			{Kind: "DeleteOne", Collection: "things", Filter: `{"n": 9}`},
			{Kind: "UpdateOne", Collection: "others", Filter: `{"n": {"$exists": true}}`, Update: `{"$set": {"y": 1}}`},
		}},
	}
	plan := planOf("several", planv1.Step{Operations: []planv1.Operation{declared}})
	others := plan.Collections[0]
	others.Name = "others"
	plan.Collections = append(plan.Collections, others)
	dataset, err := workload.NewDataset(plan)
	if err != nil {
		t.Fatal(err)
	}
	mix, err := workload.Compile(dataset, 3)
	if err != nil {
		t.Fatal(err)
	}
	var r workload.Request
	mix.Draw(0, &r)
	return r, plan.Steps[3]
}

func TestABulkWriteToSeveralCollectionsIsOneCommand(t *testing.T) {
	server := mongotest.Shared(t, mongotest.Newest())
	db := database(t, server, "several")
	ten(t, db)
	stands := &eight{t: t, server: db}
	double := mongosdouble.Start(t, mongosdouble.Options{Answer: stands.answer})
	target, err := mongo.Open(t.Context(), mongo.Config{URIs: []string{double.URI()}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = target.Close(t.Context()) }()
	r, step := toSeveral(t)
	session, err := target.Session(t.Context(), loadgen.Use{
		Database: db.Name(), Client: benchv1alpha1.ClientApplication, Step: step,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	want := loadgen.Reply{Documents: 4 + 1 + 1 + 1, Inserted: 1, Matched: 5, Modified: 5, Deleted: 1}
	if reply := execute(t, session, r); reply != want {
		t.Errorf("reply %+v, want %+v", reply, want)
	}
	if len(stands.seen) != 1 || stands.seen[0].Lookup("comment").StringValue() != "to several" {
		t.Errorf("commands %v, want one with its comment", stands.seen)
	}
	if found := count(t, db, `{"x": 1}`); found != 4 {
		t.Errorf("%d documents of things were updated, want 4", found)
	}
	others, err := db.Collection("others").CountDocuments(t.Context(), bson.D{{Key: "y", Value: 1}})
	if err != nil || others != 1 {
		t.Errorf("%d documents in others, want one, updated; error %v", others, err)
	}
	var reply loadgen.Reply
	err = session.Execute(t.Context(), &r, &reply)
	if class := target.Classify(err); class != "duplicate key" || reply.Matched != 4 || reply.Inserted != 0 {
		t.Errorf("the same again: %v of class %q, %+v", err, class, reply)
	}
}

func TestABulkWriteToSeveralCollectionsIsRefused(t *testing.T) {
	server := mongotest.Shared(t, mongotest.Newest())
	_, step := toSeveral(t)
	for _, client := range everyClient {
		wantRefused(t, server, loadgen.Use{Database: "several", Client: client, Step: step},
			"collection of a BulkWrite to several collections needs MongoDB 8.0 or later, and the server is of version 6.0.5")
	}
}
