package workload_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen/testing/keydisttest"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// describe writes all that a request holds.
func describe(r *workload.Request) string {
	return fmt.Sprintf("%d %s %s filter %x projection %x sort %x update %x %v pipeline %x command %x %d %d %d %v "+
		"documents %x",
		r.Operation, r.Kind, r.Collection, []byte(r.Filter), []byte(r.Projection), []byte(r.Sort), []byte(r.Update),
		r.UpdateIsPipeline, []byte(r.Pipeline), []byte(r.Command), r.Skip, r.Limit, r.BatchSize, r.FirstBatchOnly,
		r.Documents)
}

// What has been measured must stay repeatable: a new hash here means that old and new results have other requests.
func TestRequestsStayTheSame(t *testing.T) {
	hash := sha256.New()
	for step := 1; step <= 2; step++ {
		_, m := compile(t, plan(), step)
		var r workload.Request
		for i := range int64(1000) {
			m.Draw(i, &r)
			_, _ = hash.Write([]byte(describe(&r)))
			m.Draw(workload.FirstWarmupNumber+i, &r)
			_, _ = hash.Write([]byte(describe(&r)))
		}
	}
	const want = "1caafae93ebc69fb406d5b840b76b5bdf5e61dfd67293ff58b948eb3a39d3ec4"
	if got := hex.EncodeToString(hash.Sum(nil)); got != want {
		t.Errorf("hash is %s, not %s", got, want)
	}
}

func TestRequestsDoNotDependOnOrderOrThread(t *testing.T) {
	const requests = 2000
	_, m := compile(t, plan(), 1)
	var want [requests]string
	var r workload.Request
	for i := range want {
		m.Draw(int64(i), &r)
		want[i] = describe(&r)
	}
	var threads sync.WaitGroup
	for thread := range 4 {
		threads.Go(func() {
			var r workload.Request
			for i := range requests {
				number := (i*7 + thread*100) % requests
				m.Draw(int64(number), &r)
				if got := describe(&r); got != want[number] {
					t.Errorf("request %d differs:\n%s\n%s", number, got, want[number])
					return
				}
			}
		})
	}
	threads.Wait()
}

func TestStepsAndWarmupsDrawOtherRequests(t *testing.T) {
	_, one := compile(t, plan(), 1)
	_, two := compile(t, plan(), 2)
	seen := map[string]bool{}
	var r workload.Request
	for i := range int64(3000) {
		for _, m := range []*workload.Mix{one, two} {
			for _, base := range []int64{0, workload.FirstWarmupNumber} {
				m.Draw(base+i, &r)
				if r.Kind == operation.UpdateOne {
					if seen[describe(&r)] {
						t.Fatalf("request %d came before", i)
					}
					seen[describe(&r)] = true
				}
			}
		}
	}
}

func TestTheMixFollowsItsWeights(t *testing.T) {
	_, m := compile(t, plan(), 1)
	counts := make([]int, len(m.Operations()))
	probabilities := make([]float64, len(counts))
	total := 0.0
	for _, op := range m.Operations() {
		total += float64(op.Weight)
	}
	for i, op := range m.Operations() {
		probabilities[i] = float64(op.Weight) / total
	}
	var r workload.Request
	for i := range int64(50_000) {
		m.Draw(i, &r)
		counts[r.Operation]++
		if op := m.Operations()[r.Operation]; r.Kind.Row().Name != op.Kind {
			t.Fatalf("operation %s has kind %s", op.Name, r.Kind)
		}
	}
	keydisttest.RequireFit(t, counts, probabilities)
}

// draws gives the first requests of the operation with this name.
func draws(tb testing.TB, name string, count int, check func(number int64, r *workload.Request)) {
	tb.Helper()
	_, m := compile(tb, plan(), 1)
	index := slices.IndexFunc(m.Operations(), func(op planv1.Operation) bool { return op.Name == name })
	var r workload.Request
	for number := int64(0); count > 0; number++ {
		m.Draw(number, &r)
		if r.Operation == index {
			check(number, &r)
			count--
		}
	}
}

func TestAFindHoldsWhatItsOperationDeclares(t *testing.T) {
	draws(t, "find", 20, func(_ int64, r *workload.Request) {
		age, name := r.Filter.Lookup("age", "$gte").Int32(), r.Filter.Lookup("x", "0").StringValue()
		if age < 0 || age > 99 || name == "" || len(name) > 40 {
			t.Errorf("age is %d, name %q", age, name)
		}
		wantFilter := bson.D{
			{Key: "age", Value: bson.D{{Key: "$gte", Value: age}}}, {Key: "x", Value: bson.A{name}},
		}
		if diff := cmp.Diff(wantFilter, decode(t, r.Filter)); diff != "" {
			t.Errorf("filter (-want +got):\n%s", diff)
		}
		wantSort := bson.D{{Key: "age", Value: int32(-1)}, {Key: "_id", Value: int32(1)}}
		if diff := cmp.Diff(wantSort, decode(t, r.Sort)); diff != "" {
			t.Errorf("sort (-want +got):\n%s", diff)
		}
		want := &workload.Request{
			Operation: 3, Kind: operation.Find, Collection: "people", Filter: r.Filter, Sort: r.Sort,
			Skip: 3, Limit: 50, BatchSize: 10, FirstBatchOnly: true, Documents: r.Documents[:0],
		}
		if diff := cmp.Diff(describe(want), describe(r)); diff != "" {
			t.Errorf("request (-want +got):\n%s", diff)
		}
	})
}

func TestAnUpdateByOperatorsIsAnObject(t *testing.T) {
	draws(t, "update", 20, func(_ int64, r *workload.Request) {
		update := decode(t, r.Update)
		set := update[0].Value.(bson.D)
		if len(set) != 2 || set[0].Key != "name" || set[1].Value != "load" || update[1].Key != "$inc" || r.UpdateIsPipeline {
			t.Errorf("update is %v, as a pipeline: %v", update, r.UpdateIsPipeline)
		}
	})
}

func TestAnUpdateByAPipelineIsAnArray(t *testing.T) {
	draws(t, "update-pipeline", 20, func(_ int64, r *workload.Request) {
		update := decode(t, r.Update)
		if len(update) != 2 || update[0].Key != "0" || update[1].Key != "1" || !r.UpdateIsPipeline {
			t.Errorf("update is %v, as a pipeline: %v", update, r.UpdateIsPipeline)
		}
	})
}

func TestAnAggregateHasAPipelineOnly(t *testing.T) {
	draws(t, "aggregate", 20, func(_ int64, r *workload.Request) {
		if pipeline := decode(t, r.Pipeline); len(pipeline) != 2 || r.Filter != nil {
			t.Errorf("pipeline is %v, filter %v", pipeline, r.Filter)
		}
	})
}

func TestACommandKeepsTheOrderOfItsKeys(t *testing.T) {
	draws(t, "command", 20, func(_ int64, r *workload.Request) {
		if command := decode(t, r.Command); command[0] != (bson.E{Key: "ping", Value: int32(1)}) {
			t.Errorf("command is %v", command)
		}
	})
}

func TestACountMayHaveALimit(t *testing.T) {
	draws(t, "count", 5, func(_ int64, r *workload.Request) {
		if filter := decode(t, r.Filter); len(filter) != 0 || r.Limit != 5 {
			t.Errorf("filter is %v, limit %d", filter, r.Limit)
		}
	})
}

func TestInsertsAreDocumentsOfTheDatasetAndNeverTwice(t *testing.T) {
	seen := map[string]bool{}
	d, _ := compile(t, plan(), 1)
	add := func(raw bson.Raw) {
		record := raw.Lookup("address", "zip").Int64() - 10
		if string(d.Generator("people").Append(nil, record)) != string(raw) {
			t.Fatalf("document %v is not that of record %d", raw, record)
		}
		id := string(raw.Lookup("_id").Value)
		if seen[id] {
			t.Fatalf("_id %x came before", id)
		}
		seen[id] = true
	}
	for record := range int64(loaded) {
		add(d.Generator("people").Append(nil, record))
	}
	for step := 1; step <= 2; step++ {
		_, m := compile(t, plan(), step)
		for i := range int64(2000) {
			for _, raw := range inserts(m, i) {
				add(raw)
			}
			for _, raw := range inserts(m, workload.FirstWarmupNumber+i) {
				add(raw)
			}
		}
	}
	if want := loaded + 2000; len(seen) < want {
		t.Errorf("only %d documents were looked at", len(seen))
	}
}

// inserts are the documents that a request inserts, if it does.
func inserts(m *workload.Mix, number int64) []bson.Raw {
	var r workload.Request
	m.Draw(number, &r)
	if r.Kind == operation.InsertOne && len(r.Documents) == 1 || r.Kind == operation.InsertMany && len(r.Documents) == 7 {
		return r.Documents
	}
	return nil
}

func TestAReplacementIsAnotherRevisionOfTheRecord(t *testing.T) {
	d, _ := compile(t, plan(), 1)
	draws(t, "replace", 50, func(_ int64, r *workload.Request) {
		replacement := r.Documents[0]
		record := replacement.Lookup("address", "zip").Int64() - 10
		loaded := bson.Raw(d.Generator("people").Append(nil, record))
		if !loaded.Lookup("_id").Equal(replacement.Lookup("_id")) || !r.Filter.Lookup("_id").Equal(loaded.Lookup("_id")) {
			t.Errorf("record %d: filter is %v, replacement %v", record, r.Filter, replacement)
		}
		if loaded.Lookup("name").Equal(replacement.Lookup("name")) {
			t.Errorf("record %d keeps its values", record)
		}
	})
}

func TestKeysAreDrawnFromTheirShareOfTheRecords(t *testing.T) {
	key := person
	key.KeyRangePercent, key.KeyField = 5, "address.zip"
	_, m := compile(t, single(planv1.Operation{
		Parameters: []planv1.Parameter{key},
		Request:    planv1.Request{Kind: "FindOne", Filter: `{"address.zip": {"$param": "id"}}`},
	}), 0)
	counts := make([]int, loaded*5/100)
	var r workload.Request
	for i := range int64(20_000) {
		m.Draw(i, &r)
		counts[r.Filter.Lookup("address.zip").Int64()-10]++
	}
	keydisttest.RequireUniform(t, counts)
}

func TestSequentialKeysFollowTheNumber(t *testing.T) {
	key := person
	key.KeyField, key.Distribution = "address.zip", planv1.Distribution{Type: "Sequential"}
	_, m := compile(t, single(planv1.Operation{
		Parameters: []planv1.Parameter{key},
		Request:    planv1.Request{Kind: "FindOne", Filter: `{"a": {"$param": "id"}, "b": {"$param": "id"}}`},
	}), 0)
	var r workload.Request
	for i := range int64(2 * loaded) {
		m.Draw(i, &r)
		if want := i%loaded + 10; r.Filter.Lookup("a").Int64() != want || r.Filter.Lookup("b").Int64() != want {
			t.Fatalf("request %d has filter %v", i, r.Filter)
		}
	}
}

// everyKind are operations of every kind, drawing keys in every way.
func everyKind() []planv1.Operation {
	latest, scrambled := person, person
	latest.Distribution = planv1.Distribution{Type: "Latest", Theta: 0.99}
	scrambled.Distribution = planv1.Distribution{Type: "ScrambledZipfian", Theta: 0.99}
	by := func(kind benchv1alpha1.OperationKind, key planv1.Parameter) planv1.Operation {
		return planv1.Operation{
			Name: string(kind), Parameters: []planv1.Parameter{key, name, field},
			Request: planv1.Request{Kind: kind, Filter: byID, Update: `{"$set": {"$param:field": {"$param": "name"}}}`},
		}
	}
	fromLatest, fromScrambled := by("FindOne", latest), by("FindOne", scrambled)
	fromLatest.Name, fromScrambled.Name = "latest", "scrambled"
	replacing := by("FindOneAndReplace", person)
	replacing.ReplaceKey = person.Name
	return append(
		plan().Steps[1].Operations, bulk, transaction, fromLatest, fromScrambled,
		by("UpdateMany", person), by("DeleteMany", person), by("FindOneAndUpdate", person),
		by("ChangeStream", person), by("Tail", person), by("Distinct", person),
		by("FindOneAndDelete", person), by("EstimatedDocumentCount", person), by("InsertThenFind", person),
		by("Connect", person), by("Flow", person), by("InsertThenWatch", person), replacing,
	)
}

func TestEveryKindIsDrawn(t *testing.T) {
	drawn := everyKind()
	for kind := range operation.Kinds() {
		if !slices.ContainsFunc(drawn, func(o planv1.Operation) bool { return o.Kind == kind.Row().Name }) {
			t.Errorf("loadgen/workload: everyKind has no operation of kind %s", kind)
		}
	}
}

func TestDrawDoesNotAllocateOnceItsBuffersHaveGrown(t *testing.T) {
	for _, op := range everyKind() {
		t.Run(op.Name, func(t *testing.T) {
			// Every other operation inserts, so that a Latest distribution has something to look for.
			p := single(op)
			p.Steps[0].Operations = append(p.Steps[0].Operations, planv1.Operation{
				Name: "another", Weight: 1, Request: planv1.Request{Kind: "InsertOne", Collection: "people"},
			})
			_, m := compile(t, p, 0)
			var r workload.Request
			for i := range int64(1000) {
				m.Draw(i, &r)
			}
			number := int64(5000)
			if allocations := testing.AllocsPerRun(500, func() { m.Draw(number, &r); number++ }); allocations != 0 {
				t.Errorf("%v allocations a request", allocations)
			}
		})
	}
}

func BenchmarkDraw(b *testing.B) {
	for _, op := range everyKind() {
		b.Run(op.Name, func(b *testing.B) {
			_, m := compile(b, single(op), 0)
			var r workload.Request
			b.ReportAllocs()
			for number := int64(0); b.Loop(); number++ {
				m.Draw(number, &r)
			}
		})
	}
}
