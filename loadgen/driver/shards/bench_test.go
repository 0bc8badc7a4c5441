package shards

import (
	"encoding/binary"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// requests are some of each way of routing.
func requests(tb testing.TB) map[string]*workload.Request {
	tb.Helper()
	raw := func(text string) (encoded bson.Raw) {
		if err := bson.UnmarshalExtJSON([]byte(text), false, &encoded); err != nil {
			tb.Fatal(err)
		}
		return encoded
	}
	set := raw(`{"$set": {"x": 1}}`)
	return map[string]*workload.Request{
		"find one":   {Kind: operation.FindOne, Collection: "c", Filter: raw(`{"_id": 17}`)},
		"update one": {Kind: operation.UpdateOne, Collection: "c", Filter: raw(`{"_id": 17}`), Update: set},
		"everywhere": {Kind: operation.UpdateMany, Collection: "c", Filter: raw(`{"n": 17}`), Update: set},
		"any order":  {Kind: operation.Find, Collection: "c", Filter: raw(`{}`), Limit: 50},
		"sorted":     {Kind: operation.Find, Collection: "c", Filter: raw(`{}`), Sort: raw(`{"_id": 1}`), Limit: 50},
	}
}

// hundred makes small documents.
type hundred struct{}

func (hundred) Append(dst []byte, record int64) []byte {
	document, _ := bson.Marshal(bson.D{{Key: "_id", Value: record}, {Key: "n", Value: record}})
	return append(dst, document...)
}

// sessions are one of the router over two servers, and one of a server alone, with the same documents.
func sessions(tb testing.TB) map[string]loadgen.Session {
	tb.Helper()
	version := mongotest.Versions()[1]
	routed, _ := open(tb, version, 2)
	found := map[string]loadgen.Session{}
	for name, target := range map[string]loadgen.Target{
		"routed": routed, "plain": openOne(tb, mongotest.Shared(tb, version)),
	} {
		collections := []planv1.Collection{{Name: "c"}}
		if err := target.Prepare(tb.Context(), "bench", collections[0]); err != nil {
			tb.Fatal(err)
		}
		session, err := target.Session(tb.Context(), loadgen.Use{
			Database: "bench", Collections: collections, Client: benchv1alpha1.ClientWire, Step: only(),
		})
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(session.Close)
		session.Encode("c", hundred{}, 0, 100)
		if err := session.Send(tb.Context()); err != nil {
			tb.Fatal(err)
		}
		if err := session.Acknowledge(tb.Context()); err != nil {
			tb.Fatal(err)
		}
		found[name] = session
	}
	return found
}

func TestRoutingAllocatesNothing(t *testing.T) {
	session := sessions(t)["routed"]
	ctx := t.Context()
	for name, r := range requests(t) {
		t.Run(name, func(t *testing.T) {
			var reply loadgen.Reply
			if allocations := drivertest.Allocations(func() {
				if err := session.Execute(ctx, r, &reply); err != nil {
					t.Fatal(err)
				}
				session.Settle(ctx)
			}); allocations > 0 {
				t.Errorf("it allocates %.0f times", allocations)
			}
		})
	}
}

func TestLoadingAllocatesNothing(t *testing.T) {
	target, _ := open(t, mongotest.Versions()[1], 2)
	session, err := target.Session(t.Context(), loadgen.Use{Database: "bench", Step: planv1.Step{Kind: planv1.StepLoad}})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	var made loadgen.Documents = same{hundred{}.Append(nil, 1)}
	session.Encode("c", made, 0, 1000)
	if allocations := drivertest.Allocations(func() { session.Encode("c", made, 0, 1000) }); allocations > 0 {
		t.Errorf("a batch allocates %.0f times", allocations)
	}
}

// same is one document over and over.
type same struct {
	document []byte
}

func (s same) Append(dst []byte, _ int64) []byte {
	return append(dst, s.document...)
}

// BenchmarkOperation tells what routing costs: each operation by the router, and by one server's own session.
func BenchmarkOperation(b *testing.B) {
	all := sessions(b)
	for name, r := range requests(b) {
		for _, by := range []string{"plain", "routed"} {
			b.Run(name+"/"+by, func(b *testing.B) {
				ctx := b.Context()
				var reply loadgen.Reply
				b.ReportAllocs()
				for b.Loop() {
					if err := all[by].Execute(ctx, r, &reply); err != nil {
						b.Fatal(err)
					}
					all[by].Settle(ctx)
				}
			})
		}
	}
}

// BenchmarkTargets tells what the routing itself costs, without a server.
func BenchmarkTargets(b *testing.B) {
	rules, err := newRules(nil, 4)
	if err != nil {
		b.Fatal(err)
	}
	s := &session{rules: rules}
	r := requests(b)["find one"]
	b.ReportAllocs()
	for b.Loop() {
		if _, one := s.targets(r).One(); !one {
			b.Fatal("not one shard")
		}
	}
}

// BenchmarkLoad tells how many documents of a kilobyte are loaded by one worker: by the router over two servers, and by
// the session of one of them.
func BenchmarkLoad(b *testing.B) {
	version := mongotest.Versions()[1]
	routed, servers := open(b, version, 2)
	plain := openOne(b, servers[0])
	for name, target := range map[string]loadgen.Target{"routed": routed, "plain": plain} {
		b.Run(name, func(b *testing.B) {
			collections := []planv1.Collection{{Name: "c"}}
			if err := target.Prepare(b.Context(), "load", collections[0]); err != nil {
				b.Fatal(err)
			}
			session, err := target.Session(b.Context(), loadgen.Use{
				Database: "load", Client: benchv1alpha1.ClientWire, Step: planv1.Step{Kind: planv1.StepLoad},
			})
			if err != nil {
				b.Fatal(err)
			}
			defer session.Close()
			documents := &numbered{document: sized(1000).Append(nil, 1<<40)}
			loadFor(b, session, documents)
		})
	}
}

// loadFor loads batches as a loader does.
func loadFor(b *testing.B, session loadgen.Session, documents loadgen.Documents) {
	b.Helper()
	const batch = 1000
	waiting, written := 0, int64(0)
	for b.Loop() {
		session.Encode("c", documents, written, batch)
		if waiting == session.Pipeline() {
			if err := session.Acknowledge(b.Context()); err != nil {
				b.Fatal(err)
			}
			waiting--
		}
		if err := session.Send(b.Context()); err != nil {
			b.Fatal(err)
		}
		waiting++
		written += batch
	}
	for ; waiting > 0; waiting-- {
		if err := session.Acknowledge(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(written)/b.Elapsed().Seconds(), "documents/s")
}

// numbered is one document with the number of each record as its _id.
type numbered struct {
	document []byte
}

func (n *numbered) Append(dst []byte, record int64) []byte {
	// The length, the type, the name with its zero byte, and then the number.
	const place = 4 + 1 + len("_id") + 1
	start := len(dst)
	dst = append(dst, n.document...)
	binary.LittleEndian.PutUint64(dst[start+place:], uint64(record))
	return dst
}
