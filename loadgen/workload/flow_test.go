package workload_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

type (
	settings = planv1.FlowSettings
	repeat   = benchv1alpha1.Repeat
	ways     = []benchv1alpha1.Transition
	captures = []benchv1alpha1.Capture
	checks   = []benchv1alpha1.Check
)

// answering is a server of flows that answers by the filters that it is asked with, and writes down what it got.
type answering struct {
	t *testing.T
	// answers by the name of the operation; each has the documents.
	answers map[string][]bson.D
	counts  map[string]workload.Counts
	failing string
	names   []string
	told    []string
}

func (a *answering) Send(r *workload.Request) (workload.Counts, error) {
	name := a.names[r.Operation]
	said := name
	if len(r.Filter) > 5 {
		said += " " + r.Filter.String()
	}
	if len(r.Documents) > 0 {
		said += " " + r.Documents[0].Lookup("_id").String()
	}
	a.told = append(a.told, said)
	if name == a.failing {
		return workload.Counts{}, errors.New("refused")
	}
	for _, document := range a.answers[name] {
		encoded, err := bson.Marshal(document)
		if err != nil {
			a.t.Fatal(err)
		}
		r.Taking.Document(encoded)
	}
	return a.counts[name], nil
}

func (a *answering) Transact(_ *workload.Request, body func() error) error {
	a.told = append(a.told, "begin")
	err := body()
	if err != nil {
		a.told = append(a.told, "again")
		err = body()
	}
	a.told = append(a.told, fmt.Sprintf("end %v", err))
	return err
}

func (a *answering) Enter(operation int) { a.told = append(a.told, "into "+a.names[operation]) }

func (a *answering) Leave(r *workload.Request, _ error) {
	a.told = append(a.told, "out of "+a.names[r.Operation])
}

func (a *answering) Check(operation, check int, held bool) {
	a.told = append(a.told, fmt.Sprintf("check %s %d %t", a.names[operation], check, held))
}

// flowing is a plan of one step with a flow of these parts.
func flowing(whole planv1.Operation, parts ...planv1.Operation) planv1.Plan {
	p := plan()
	whole.Name, whole.Weight = "flow", 1
	if whole.Kind == "" {
		whole.Kind = benchv1alpha1.OperationFlow
	}
	operations := append([]planv1.Operation{whole}, parts...)
	for i := range operations {
		operations[i].Collection = "people"
		if i > 0 && operations[i].PartOf == "" {
			operations[i].PartOf = "flow"
		}
		if operations[i].Kind == "" {
			operations[i].Kind = "FindOne"
		}
		for k := range operations[i].Captures {
			if operations[i].Captures[k].Of == "" {
				operations[i].Captures[k].Of = benchv1alpha1.CaptureDocument
			}
		}
	}
	p.Steps = []planv1.Step{{Name: "step", Kind: planv1.StepMeasure, Operations: operations}}
	return p
}

// part is a FindOne with a filter, and settings of a flow.
func part(name, filter string, settings settings) planv1.Operation {
	return planv1.Operation{
		Name: name, Request: planv1.Request{Kind: "FindOne", Filter: planv1.Document(filter)}, FlowSettings: settings,
	}
}

func captured(name, path string) captures {
	return captures{{Name: name, Path: path}}
}

// carriedOut has a flow carried out so often, and returns what was asked each time.
func carriedOut(t *testing.T, p planv1.Plan, server *answering, times int64) ([][]string, []error) {
	t.Helper()
	_, m := compile(t, p, 0)
	server.t, server.names = t, nil
	for _, o := range p.Steps[0].Operations {
		server.names = append(server.names, o.Name)
	}
	frame := m.NewFrame()
	told, errs := make([][]string, 0, times), make([]error, 0, times)
	var r workload.Request
	for number := range times {
		m.Draw(number, &r)
		server.told = nil
		errs = append(errs, m.Run(number, &r, frame, server))
		told = append(told, server.told)
	}
	return told, errs
}

func TestAFlowUsesWhatItWasAnswered(t *testing.T) {
	order := bson.D{{Key: "total", Value: 12.5}, {Key: "lines", Value: bson.A{
		bson.D{{Key: "item", Value: "a"}}, bson.D{{Key: "item", Value: int32(7)}},
	}}}
	for name, tc := range map[string]struct {
		whole   planv1.Operation
		parts   []planv1.Operation
		answers map[string][]bson.D
		counts  map[string]workload.Counts
		failing string
		want    []string
		err     string
	}{
		"a value at a path, and of an array": {
			parts: []planv1.Operation{
				part("first", `{"a":1}`, settings{Captures: captures{
					{Name: "item", Path: "lines.1.item"}, {Name: "total", Path: "total"},
				}}),
				part("second", `{"_id": {"$captured": "item"}, "t": [{"$captured": "total"}]}`, settings{}),
			},
			answers: map[string][]bson.D{"first": {order, {{Key: "total", Value: 1}}}},
			want: []string{
				`first {"a": {"$numberInt":"1"}}`, `second {"_id": {"$numberInt":"7"},"t": [{"$numberDouble":"12.5"}]}`,
			},
		},
		"a condition that holds, and one that does not": {
			parts: []planv1.Operation{
				part("first", `{"a":1}`, settings{Captures: captured("total", "total")}),
				part("skipped", `{"b":1}`, settings{When: "total > 13"}),
				part("done", `{"c":1}`, settings{
					When: `total > 12 && !has(nothing)`, Captures: captured("nothing", "x"),
				}),
			},
			answers: map[string][]bson.D{"first": {order}},
			want:    []string{`first {"a": {"$numberInt":"1"}}`, `done {"c": {"$numberInt":"1"}}`},
		},
		"a value that is missing ends the flow": {
			parts: []planv1.Operation{
				part("first", `{"a":1}`, settings{Captures: captured("item", "lines.5.item")}),
				part("second", `{"_id": {"$captured": "item"}}`, settings{}),
			},
			answers: map[string][]bson.D{"first": {order}},
			want:    []string{`first {"a": {"$numberInt":"1"}}`},
			err:     `part "second" of the flow: its documents need the captured "item", which has no value`,
		},
		"otherwise": {
			parts: []planv1.Operation{
				part("first", `{"a":1}`, settings{
					Captures: captures{{Name: "x", Path: "x", Otherwise: `5`}},
				}),
				part("second", `{"x": {"$captured": "x"}}`, settings{}),
			},
			want: []string{`first {"a": {"$numberInt":"1"}}`, `second {"x": {"$numberInt":"5"}}`},
		},
		"a loop over the elements of an array, of all documents": {
			parts: []planv1.Operation{
				part("first", `{"a":1}`, settings{Captures: captures{
					{Name: "all", Of: benchv1alpha1.CaptureDocuments, Path: "n"},
				}}),
				part("each", `{"n": {"$captured": "one"}}`, settings{
					Repeat: &repeat{Limit: 2, Each: "all", As: "one"},
					Checks: checks{{Name: "small", That: "one < 2"}, {Name: "all", That: "size(all) == 3"}},
				}),
			},
			answers: map[string][]bson.D{"first": {
				{{Key: "n", Value: 1}}, {{Key: "m", Value: 0}}, {{Key: "n", Value: 2}}, {{Key: "n", Value: 3}},
			}},
			want: []string{
				`first {"a": {"$numberInt":"1"}}`, `each {"n": {"$numberInt":"1"}}`, "check each 0 true", "check each 1 true",
				`each {"n": {"$numberInt":"2"}}`, "check each 0 false", "check each 1 true",
			},
		},
		"a loop with a condition and a number": {
			parts: []planv1.Operation{
				part("turn", `{"n": {"$captured": "i"}}`, settings{
					Repeat: &repeat{Limit: 9, While: "i < 2", As: "i"},
				}),
			},
			want: []string{`turn {"n": {"$numberLong":"0"}}`, `turn {"n": {"$numberLong":"1"}}`},
		},
		"what an answer counts": {
			parts: []planv1.Operation{
				{
					Name: "first", Request: planv1.Request{Kind: "UpdateOne", Filter: `{"a":1}`, Update: `{"$set":{"b":1}}`},
					FlowSettings: settings{Captures: captures{
						{Name: "m", Of: benchv1alpha1.CaptureMatched}, {Name: "c", Of: benchv1alpha1.CaptureModified},
					}},
				},
				part("second", `{"x": {"$captured": "m"}}`, settings{When: "m == 2 && c == 1"}),
			},
			counts: map[string]workload.Counts{"first": {Documents: 2, Matched: 2, Modified: 1}},
			want:   []string{`first {"a": {"$numberInt":"1"}}`, `second {"x": {"$numberLong":"2"}}`},
		},
		"an error ends it": {
			parts: []planv1.Operation{
				part("first", `{"a":1}`, settings{}), part("second", `{"b":1}`, settings{}),
			},
			failing: "first", want: []string{`first {"a": {"$numberInt":"1"}}`}, err: "refused",
		},
		"a transaction in it is done again with the same values": {
			parts: []planv1.Operation{
				part("first", `{"a":1}`, settings{Captures: captured("total", "total")}),
				{Name: "inside", Request: planv1.Request{Kind: "Transaction"}},
				part("within", `{"t": {"$captured": "total"}}`, settings{
					PartOf: "inside", Captures: captured("total", "y"),
				}),
				part("wrong", `{}`, settings{PartOf: "inside"}),
			},
			answers: map[string][]bson.D{"first": {order}, "within": {{{Key: "y", Value: 3}}}}, failing: "wrong",
			want: []string{
				`first {"a": {"$numberInt":"1"}}`, "into inside", "begin", `within {"t": {"$numberDouble":"12.5"}}`, "wrong",
				"again", `within {"t": {"$numberDouble":"12.5"}}`, "wrong", "end refused", "out of inside",
			},
			err: "refused",
		},
		"as a transaction": {
			whole: planv1.Operation{Request: planv1.Request{Kind: "Transaction"}},
			parts: []planv1.Operation{part("first", `{"a":1}`, settings{})},
			want:  []string{"begin", `first {"a": {"$numberInt":"1"}}`, "end <nil>"},
		},
		"a flow within it, repeated": {
			parts: []planv1.Operation{
				{Name: "inner", Request: planv1.Request{Kind: "Flow"}, FlowSettings: settings{
					Repeat: &repeat{Limit: 2, As: "i"},
				}},
				part("one", `{"i": {"$captured": "i"}}`, settings{PartOf: "inner"}),
			},
			want: []string{
				"into inner", `one {"i": {"$numberLong":"0"}}`, "out of inner",
				"into inner", `one {"i": {"$numberLong":"1"}}`, "out of inner",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := &answering{answers: tc.answers, failing: tc.failing, counts: tc.counts}
			told, errs := carriedOut(t, flowing(tc.whole, tc.parts...), server, 1)
			if diff := cmp.Diff(tc.want, told[0]); diff != "" {
				t.Errorf("what was asked (-want +got):\n%s", diff)
			}
			if err := errs[0]; (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("error %v, want %q", err, tc.err)
			}
		})
	}
}

func TestStateOutlastsAFlow(t *testing.T) {
	p := flowing(planv1.Operation{FlowSettings: settings{
		State: []benchv1alpha1.StateValue{{Name: "last", Value: `0`}},
	}}, part("read", `{"after": {"$captured": "last"}}`, settings{
		Captures: captures{{Name: "last", Path: "n"}, {Name: "passing", Path: "n"}},
		When:     "passing == null",
	}))
	told, _ := carriedOut(t, p, &answering{answers: map[string][]bson.D{"read": {{{Key: "n", Value: 7}}}}}, 2)
	want := [][]string{{`read {"after": {"$numberInt":"0"}}`}, {`read {"after": {"$numberInt":"7"}}`}}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTransitionsFollowTheirWeightsAndEnd(t *testing.T) {
	p := flowing(planv1.Operation{FlowSettings: settings{MaxRequests: 20}},
		part("a", `{}`, settings{Next: ways{{To: "b", Weight: 3}, {To: "a", Weight: 1}}}),
		part("b", `{}`, settings{Next: ways{{To: "a", Weight: 9}, {Weight: 1}}}),
		part("never", `{}`, settings{}))
	told, errs := carriedOut(t, p, &answering{}, 2000)
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	taken, longest := waysTaken(told, 20)
	share := func(of string, among ...string) float64 {
		all := 0
		for _, other := range among {
			all += taken[other]
		}
		return float64(taken[of]) / float64(all)
	}
	if got := share("ab", "aa", "ab"); got < 0.73 || got > 0.77 {
		t.Errorf("%.3f of the ways from a lead to b, want 0.75", got)
	}
	if got := share("bend", "ba", "bend"); got < 0.08 || got > 0.12 {
		t.Errorf("%.3f of the ways from b lead to the end, want 0.1", got)
	}
	if longest != 20 || taken["anever"]+taken["bnever"] > 0 {
		t.Errorf("the longest execution sent %d requests, want 20; ways %v", longest, taken)
	}
}

// waysTaken counts the ways from part to part, but for where an execution was at its limit, and the longest execution.
func waysTaken(told [][]string, limit int) (taken map[string]int, longest int) {
	taken = map[string]int{}
	for _, parts := range told {
		longest = max(longest, len(parts))
		for k, from := range append(parts, "end")[1:] {
			if k+1 < limit {
				taken[parts[k]+from]++
			}
		}
	}
	return taken, longest
}

// TestFlowsAreAFunctionOfTheirNumber carries flows out in another order, over several workers.
func TestFlowsAreAFunctionOfTheirNumber(t *testing.T) {
	age := planv1.Parameter{Name: "own", Value: planv1.Value{Type: benchv1alpha1.GeneratorInt, Seed: 9, Max: 1 << 30}}
	many := part("many", `{"a": {"$param": "own"}, "b": {"$param": "id"}}`, settings{
		Repeat: &repeat{Limit: 3},
		Next:   ways{{To: "many", Weight: 1}, {Weight: 1}},
	})
	many.Parameters = []planv1.Parameter{age}
	insert := planv1.Operation{
		Name: "insert", Request: planv1.Request{Kind: "InsertOne"},
		FlowSettings: settings{Captures: captured("new", "_id"), Repeat: &repeat{Limit: 2}},
	}
	found := part("found", `{"_id": {"$captured": "new"}}`, settings{})
	p := flowing(planv1.Operation{Parameters: []planv1.Parameter{person}}, insert, found, many)
	const times = 200
	inOrder, _ := carriedOut(t, p, &answering{}, times)

	_, m := compile(t, p, 0)
	for worker := range int64(4) {
		frame, server := m.NewFrame(), &answering{t: t, names: []string{"flow", "insert", "found", "many"}}
		var r workload.Request
		for number := times - 4 + worker; number >= 0; number -= 4 {
			m.Draw(number, &r)
			server.told = nil
			if err := m.Run(number, &r, frame, server); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(inOrder[number], server.told); diff != "" {
				t.Fatalf("flow %d (-in order +by %d):\n%s", number, worker, diff)
			}
			if id := strings.TrimPrefix(server.told[1], "insert "); !strings.Contains(server.told[2], strings.Trim(id, "{}")) {
				t.Errorf("found %s, inserted %s", server.told[2], id)
			}
		}
	}
	wantOnce(t, inOrder)
}

// wantOnce wants that no flow inserts or draws what another one did.
func wantOnce(t *testing.T, told [][]string) {
	t.Helper()
	seen := map[string]bool{}
	for number, parts := range told {
		for _, said := range parts {
			if name, _, _ := strings.Cut(said, " "); name != "found" && seen[said] {
				t.Errorf("flow %d: %s came before", number, said)
			}
			seen[said] = true
		}
	}
}

func TestFlowsThatCannotBe(t *testing.T) {
	of := func(kind benchv1alpha1.OperationKind, with settings) planv1.Operation {
		return planv1.Operation{
			Name: "x", Request: planv1.Request{Kind: kind, Filter: `{}`, Update: `{"$set": {"a": 1}}`}, FlowSettings: with,
		}
	}
	one := func(filter string, with settings) []planv1.Operation {
		return []planv1.Operation{part("x", filter, with)}
	}
	for name, tc := range map[string]struct {
		whole planv1.Operation
		parts []planv1.Operation
		want  string
	}{
		"without parts": {want: "it has no parts"},
		"of itself":     {parts: []planv1.Operation{of("Flow", settings{PartOf: "x"})}, want: "a part of itself"},
		"of what is no flow": {
			parts: append(one(`{}`, settings{}), part("y", `{}`, settings{PartOf: "x"})), want: "is no Flow",
		},
		"an unknown name":      {parts: one(`{}`, settings{When: "a > 1"}), want: `"a" is neither captured`},
		"an unknown value":     {parts: one(`{"a": {"$captured": "b"}}`, settings{}), want: `"b" is not captured`},
		"no condition":         {parts: one(`{}`, settings{When: "a >"}), want: "is no condition"},
		"a loop without limit": {parts: one(`{}`, settings{Repeat: &repeat{}}), want: "limit is 0"},
		"too many requests": {parts: []planv1.Operation{
			of("Flow", settings{Repeat: &repeat{Limit: 100}}),
			part("y", `{}`, settings{PartOf: "x", Repeat: &repeat{Limit: 11}}),
		}, want: "may send 1100 requests"},
		"a way to nowhere": {parts: one(`{}`, settings{Next: ways{{To: "y", Weight: 1}}}), want: `"y" is no part`},
		"a part too large": {
			whole: planv1.Operation{FlowSettings: settings{MaxRequests: 2}},
			parts: one(`{}`, settings{Repeat: &repeat{Limit: 3}, Next: ways{{To: "x", Weight: 1}}}),
			want:  "one of the parts may send 3",
		},
		"documents of an update": {
			parts: []planv1.Operation{of("UpdateOne", settings{Captures: captured("a", "b")})},
			want:  "not answered with documents",
		},
		"a change stream": {parts: []planv1.Operation{of("ChangeStream", settings{})}, want: "waits for news"},
		"two parameters of a name": {
			whole: planv1.Operation{Parameters: []planv1.Parameter{person}},
			parts: []planv1.Operation{{Name: "x", Parameters: []planv1.Parameter{person}}},
			want:  "the flow has one of this name",
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := workload.NewDataset(flowing(tc.whole, tc.parts...))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := workload.Compile(d, 0); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
}

// silent is a server of flows that costs nothing.
type silent struct{ answer bson.Raw }

func (s *silent) Send(r *workload.Request) (workload.Counts, error) {
	r.Taking.Document(s.answer)
	return workload.Counts{Documents: 1}, nil
}
func (*silent) Transact(_ *workload.Request, body func() error) error { return body() }
func (*silent) Enter(int)                                             {}
func (*silent) Leave(*workload.Request, error)                        {}
func (*silent) Check(int, int, bool)                                  {}

// twoCaptures is the flow whose cost is promised: two captures and a condition.
func twoCaptures() planv1.Plan {
	return flowing(planv1.Operation{Parameters: []planv1.Parameter{person}},
		part("first", `{"_id": {"$param": "id"}}`, settings{Captures: captures{
			{Name: "name", Path: "name"}, {Name: "age", Path: "age"},
		}}),
		part("second", `{"name": {"$captured": "name"}}`, settings{When: "age >= 0"}))
}

func TestAFlowAllocatesNothing(t *testing.T) {
	_, m := compile(t, twoCaptures(), 0)
	answer, err := bson.Marshal(bson.D{{Key: "name", Value: "somebody"}, {Key: "age", Value: int32(3)}})
	if err != nil {
		t.Fatal(err)
	}
	frame, server, number := m.NewFrame(), &silent{answer}, int64(0)
	var r workload.Request
	if allocations := testing.AllocsPerRun(200, func() {
		m.Draw(number, &r)
		if err := m.Run(number, &r, frame, server); err != nil {
			t.Fatal(err)
		}
		number++
	}); allocations > 0 {
		t.Errorf("%g allocations", allocations)
	}
}

// FuzzFlow compiles flows with whatever texts, and carries out those that are accepted, with whatever answer.
func FuzzFlow(f *testing.F) {
	f.Add(`{"a": {"$captured": "x"}}`, "x > 1", "a.0.b", `5`, []byte{5, 0, 0, 0, 0}, uint16(3))
	f.Add(`{"$captured": "x"}`, `has(x) || size(x) == 2`, "", `{"$json": "null"}`,
		[]byte{12, 0, 0, 0, 16, 'a', 0, 1, 0, 0, 0, 0}, uint16(0))
	f.Fuzz(func(t *testing.T, filter, condition, path, constant string, answer []byte, limit uint16) {
		p := flowing(planv1.Operation{FlowSettings: settings{
			State: []benchv1alpha1.StateValue{{Name: "s", Value: benchv1alpha1.Constant(constant)}},
		}}, part("first", filter, settings{
			When: condition, Repeat: &repeat{Limit: int32(limit), While: condition, Each: "all", As: "one"},
			Captures: captures{
				{Name: "x", Path: path, Otherwise: benchv1alpha1.Constant(constant)},
				{Name: "all", Of: benchv1alpha1.CaptureDocuments, Path: path},
			},
		}), part("second", filter, settings{When: condition, Captures: captured("all", path)}),
			part("third", filter, settings{Next: ways{{To: "first", Weight: 1}}}))
		d, err := workload.NewDataset(p)
		if err != nil {
			t.Fatal(err)
		}
		m, err := workload.Compile(d, 0)
		if err != nil {
			return
		}
		frame := m.NewFrame()
		var r workload.Request
		for number := range int64(2) {
			m.Draw(number, &r)
			_ = m.Run(number, &r, frame, &silent{slices.Clone(answer)})
		}
	})
}
