package honesty

import (
	"context"
	"fmt"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	rowsof "github.com/mongobench/mongobench-operator/internal/figure"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/result"
	mongodriver "github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// loaded is how many documents the collection of these scenarios has.
const loaded = 5000

var byID = []planv1.Parameter{{
	Name: "id", Value: planv1.Value{Type: planv1.TypeKey, KeyField: "_id", KeyRangePercent: 100},
}}

const idFilter = `{"_id": {"$param": "id"}}`

// operationOf is one operation of a mix over the loaded documents.
func operationOf(name string, kind benchv1alpha1.OperationKind, filter, update string, weight int) planv1.Operation {
	return planv1.Operation{
		Name: name, Weight: weight, Parameters: byID,
		Request: planv1.Request{
			Kind: kind, Collection: "things", Filter: planv1.Document(filter), Update: planv1.Document(update),
		},
	}
}

// measured loads the documents into a mongod, and has operations done to them.
func measured(t *testing.T, timeout time.Duration, step planv1.Step) (reportv1.Step, []result.Doubt) {
	t.Helper()
	server := mongotest.Shared(t, mongotest.Newest())
	target, err := mongodriver.Open(t.Context(), mongodriver.Config{
		URIs: []string{server.URI()}, Connections: step.Threads, OperationTimeout: timeout,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = target.Close(context.WithoutCancel(t.Context())) })
	client, err := mongo.Connect(options.Client().ApplyURI(server.URI()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Disconnect(context.WithoutCancel(t.Context())) }()
	database := client.Database(fmt.Sprintf("honesty%d", time.Now().UnixNano()))
	t.Cleanup(func() { _ = database.Drop(context.WithoutCancel(t.Context())) })
	documents := make([]any, loaded)
	for i := range documents {
		documents[i] = bson.D{{Key: "_id", Value: int32(i)}, {Key: "name", Value: "text"}}
	}
	if _, err := database.Collection("things").InsertMany(t.Context(), documents); err != nil {
		t.Fatal(err)
	}
	step.Name, step.Kind = "mixed", planv1.StepMeasure
	report, doubts := follow(t, planv1.Plan{
		Version: planv1.Version, Seed: 42, Pods: 1, Database: database.Name(), Steps: []planv1.Step{step},
		Collections: []planv1.Collection{{
			Name: "things", DocumentCount: loaded,
			Fields: []planv1.Field{{Name: "_id", Value: planv1.Value{Type: benchv1alpha1.GeneratorSequence, Step: 1}}},
		}},
	}, target)
	return report.Steps[0], doubts
}

// summaryOf is that of the only step.
func summaryOf(t *testing.T, step reportv1.Step) reportv1.StepSummary {
	t.Helper()
	summary, err := result.Summarise(reportv1.Report{Steps: []reportv1.Step{step}})
	if err != nil {
		t.Fatal(err)
	}
	return summary.Steps[0]
}

func TestFailures(t *testing.T) {
	Check(t, Scenario{
		Item: "A2", Name: "reads that hang until their timeout", Doubt: benchv1alpha1.ReasonOperationErrors,
		Truth: "one read in 200 hangs and is given up after 200 ms, so that the p99.9 is 200 ms or more",
		Run:   hangingReads,
	})
	Check(t, Scenario{
		Item: "A5", Name: "a rare operation that always fails", Doubt: benchv1alpha1.ReasonOperationErrors,
		Truth: "the update increments a text, which no server does", Run: failingUpdate,
	})
	Check(t, Scenario{
		Item: "A6", Name: "reads that find nothing", Doubt: benchv1alpha1.ReasonUnexpectedDocuments,
		Truth: "no document has the field that the filter names",
		Run: func(t *testing.T) Told {
			return finding(t, operationOf("read", "FindOne", `{"absent": {"$param": "id"}}`, "", 1), 2000)
		},
	})
	Check(t, Scenario{
		Item: "A6", Name: "deletes of what is deleted", Doubt: benchv1alpha1.ReasonUnexpectedDocuments,
		Truth: "20,000 deletes by key of 5,000 documents: at least 15,000 find nothing",
		Run: func(t *testing.T) Told {
			return finding(t, operationOf("delete", "DeleteOne", idFilter, "", 1), 20_000)
		},
	})
	Check(t, Scenario{
		Item: "A6", Name: "reads that find their documents", Doubt: benchv1alpha1.ReasonUnexpectedDocuments,
		Truth: "all keys are loaded",
		Run: func(t *testing.T) Told {
			return finding(t, operationOf("read", "FindOne", idFilter, "", 1), 2000)
		},
	})
	Check(t, Scenario{
		Item: "A20.6", Name: "a p99.9 of 300 operations", Truth: "the slowest of 300 is no p99.9", Run: fewOperations,
	})
}

// hangingReads has one in 200 reads sleep in the server, by a condition in JavaScript.
func hangingReads(t *testing.T) Told {
	const gaveUp = 200 * time.Millisecond
	read := operationOf("read", "FindOne",
		`{"_id": {"$param": "id"}, "$where": "this._id % 200 != 0 || sleep(2000) || true"}`, "", 1)
	step, doubts := measured(t, gaveUp, planv1.Step{
		Threads: 4, OperationCount: 10_500, Operations: []planv1.Operation{read},
	})
	all := summaryOf(t, step).Overall
	told := Told{Doubts: doubts, Reported: fmt.Sprintf("p99.9 %s, max %s, %d failed of %d", present.Micros(all.P999Micros),
		present.Micros(all.MaxMicros), all.Errors, all.Timed)}
	if all.P999Micros < gaveUp.Microseconds()*99/100 {
		t.Errorf("the p99.9 is %s, below the timeout of %s", present.Micros(all.P999Micros), gaveUp)
	}
	told.Wrong = all.Errors*1000 > all.Timed
	return told
}

func failingUpdate(t *testing.T) Told {
	step, doubts := measured(t, time.Minute, planv1.Step{Threads: 4, OperationCount: 4000, Operations: []planv1.Operation{
		operationOf("read", "FindOne", idFilter, "", 995),
		operationOf("update", "UpdateOne", idFilter, `{"$inc": {"name": 1}}`, 5),
	}})
	update := summaryOf(t, step).Operations[1]
	return Told{
		Doubts: doubts, Wrong: update.Count == 0 && update.Errors > 0,
		Reported: fmt.Sprintf("%d of %d updates succeeded", update.Count, update.Count+update.Errors),
	}
}

func finding(t *testing.T, operation planv1.Operation, operations int64) Told {
	step, doubts := measured(t, time.Minute, planv1.Step{
		Threads: 4, OperationCount: operations, Operations: []planv1.Operation{operation},
	})
	o := summaryOf(t, step).Operations[0]
	return Told{
		Doubts: doubts, Wrong: o.Empty*100 > o.Count,
		Reported: fmt.Sprintf("%d operations, %d found nothing, %d documents", o.Count, o.Empty, o.Documents),
	}
}

func fewOperations(t *testing.T) Told {
	step, doubts := measured(t, time.Minute, planv1.Step{
		Threads: 4, OperationCount: 300, Operations: []planv1.Operation{operationOf("read", "FindOne", idFilter, "", 1)},
	})
	all := summaryOf(t, step).Overall
	told := Told{Doubts: doubts, Wrong: true, Reported: "p99.9 " + present.Micros(all.P999Micros)}
	for _, percentile := range rowsof.Percentiles {
		if percentile.Label == "p99.9" && percentile.Shown(&all.TimesSummary) == nil {
			told.Reported, told.Says = "p99.9 "+present.Few, "few: it needs 10,000"
		}
	}
	return told
}
