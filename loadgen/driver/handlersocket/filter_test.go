package handlersocket_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/handlersocket"
	"github.com/mongobench/mongobench-operator/loadgen/driver/sql"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// ordered are columns of every type, with three values each that rise, in Extended JSON.
var ordered = map[string]struct {
	value  planv1.Value
	values [3]string
}{
	"int": {planv1.Value{Type: benchv1alpha1.GeneratorInt}, [3]string{"-2147483648", "-1", "2147483647"}},
	"long": {
		planv1.Value{Type: benchv1alpha1.GeneratorLong}, [3]string{
			"-9223372036854775808", "9007199254740992",
			"9007199254740993",
		},
	},
	"double": {
		planv1.Value{Type: benchv1alpha1.GeneratorDouble}, [3]string{
			`{"$numberDouble": "-1e-300"}`, "0.1",
			"0.10000000000000002",
		},
	},
	"date": {
		planv1.Value{Type: benchv1alpha1.GeneratorDate},
		[3]string{
			`{"$date": "1000-01-01T00:00:00Z"}`, `{"$date": "2026-01-01T00:00:00.001Z"}`,
			`{"$date": "9999-12-31T23:59:59.999Z"}`,
		},
	},
	"text": {planv1.Value{Type: benchv1alpha1.GeneratorString, Max: 300}, [3]string{`"a"`, `"a\u0000"`, `"ä"`}},
	"binary": {
		planv1.Value{Type: benchv1alpha1.GeneratorBinary, Max: 20},
		[3]string{
			`{"$binary": {"base64": "", "subType": "00"}}`, `{"$binary": {"base64": "AAk=", "subType": "00"}}`,
			`{"$binary": {"base64": "/w==", "subType": "00"}}`,
		},
	},
	"uuid": {
		planv1.Value{Type: benchv1alpha1.GeneratorUUID},
		[3]string{
			`{"$uuid": "00000000-0000-0000-0000-000000000001"}`, `{"$uuid": "00112233-4455-6677-8899-aabbccddeeff"}`,
			`{"$uuid": "ff112233-4455-6677-8899-aabbccddeeff"}`,
		},
	},
	"object": {
		planv1.Value{Type: benchv1alpha1.GeneratorObjectID},
		[3]string{
			`{"$oid": "000000000000000000000000"}`, `{"$oid": "0123456789abcdef01234567"}`,
			`{"$oid": "ff23456789abcdef01234567"}`,
		},
	},
}

// orderedUse is a collection of these columns, and an operation on it.
func orderedUse(name string, operation planv1.Operation) loadgen.Use {
	collection := planv1.Collection{
		Name: "ordered", Fields: []planv1.Field{field("_id", planv1.Value{Type: benchv1alpha1.GeneratorInt})},
	}
	for column, declared := range ordered {
		collection.Fields = append(collection.Fields, field(column, declared.value))
	}
	slices.SortFunc(collection.Fields, func(a, b planv1.Field) int { return strings.Compare(a.Name, b.Name) })
	operation.Collection = collection.Name
	return loadgen.Use{
		Database: name, Collections: []planv1.Collection{collection}, Client: benchv1alpha1.ClientHandlerSocket,
		Step: planv1.Step{Kind: planv1.StepMeasure, Operations: []planv1.Operation{operation}},
	}
}

// TestFiltersCompareEveryType: what the key does not say already the server holds rows against, each type in its own
// order.
func TestFiltersCompareEveryType(t *testing.T) {
	s := sharedServer(t)
	look(t, s, "compared")
	target := open(t, s.config())
	use := orderedUse("compared", planv1.Operation{Request: planv1.Request{Kind: "InsertMany", BatchDocuments: 3}})
	if err := target.Prepare(t.Context(), "compared", use.Collections[0]); err != nil {
		t.Fatal(err)
	}
	session, err := target.Session(t.Context(), use)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	rows := &workload.Request{Collection: "ordered"}
	for id := range 3 {
		row := fmt.Appendf(nil, `{"_id": %d`, id)
		for _, column := range use.Collections[0].Fields[1:] {
			row = fmt.Appendf(row, ", %q: %s", column.Name, ordered[column.Name].values[id])
		}
		rows.Documents = append(rows.Documents, raw(t, string(row)+"}"))
	}
	if inserted := execute(t, session, rows); inserted != 3 {
		t.Fatalf("%d rows were inserted", inserted)
	}
	for column, declared := range ordered {
		for operator, want := range map[string][]string{
			"$eq": {"1"}, "$gt": {"2"}, "$gte": {"1", "2"}, "$lt": {"0"}, "$lte": {"0", "1"},
		} {
			filter := fmt.Sprintf(`{"_id": {"$gte": 0}, %q: {%q: %s}}`, column, operator, declared.values[1])
			asked := orderedUse("compared", planv1.Operation{
				Request: planv1.Request{Kind: "Find", Filter: planv1.Document(filter), Projection: `{"_id": 1}`},
			})
			got, err := handlersocket.Found(t.Context(), target, asked, &workload.Request{Filter: raw(t, filter)})
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: rows %v (%v), want %v", filter, got, err, want)
			}
		}
	}
}

// longUse is a collection with a column that is too long for its row, and an operation on it.
func longUse(name string, operation planv1.Operation) loadgen.Use {
	operation.Collection = "long"
	return loadgen.Use{
		Database: name, Client: benchv1alpha1.ClientHandlerSocket,
		Collections: []planv1.Collection{{Name: "long", Fields: []planv1.Field{
			field("_id", planv1.Value{Type: benchv1alpha1.GeneratorInt}), field("short",
				planv1.Value{Type: benchv1alpha1.GeneratorString, Max: 50}),
			field("essay", planv1.Value{Type: benchv1alpha1.GeneratorString, Max: 70_000}),
		}}},
		Step: planv1.Step{Kind: planv1.StepMeasure, Operations: []planv1.Operation{operation}},
	}
}

// TestWhatIsKeptApartIsReadAndWritten: an update that is held against another column too.
func TestWhatIsKeptApartIsReadAndWritten(t *testing.T) {
	s := sharedServer(t)
	db := look(t, s, "written")
	target := open(t, s.config())
	use := longUse("written", planv1.Operation{
		Request: planv1.Request{
			Kind: "UpdateOne", Filter: `{"_id": 1, "short": "a"}`, Update: `{"$set": {"essay": "new"}}`,
		},
	})
	if err := target.Prepare(t.Context(), "written", use.Collections[0]); err != nil {
		t.Fatal(err)
	}
	must(t, db, "INSERT INTO written.long VALUES (1, 'a', REPEAT('x', 66000))")
	session, err := target.Session(t.Context(), use)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	essay := strings.Repeat("é\t", 20_000)
	changed := execute(t, session, &workload.Request{
		Collection: "long", Filter: raw(t, `{"_id": 1, "short": "a"}`),
		Update: raw(t, fmt.Sprintf(`{"$set": {"essay": %q}}`, essay)),
	})
	if got := text(t, db, "essay FROM written.long WHERE _id = 1"); changed != 1 || got != essay {
		t.Errorf("%d rows were changed, to %d bytes, want %d", changed, len(got), len(essay))
	}
}

// TestWhatIsKeptApartIsNotCompared: the server says so of each operation, when it is asked, and the client before
// anything is done.
func TestWhatIsKeptApartIsNotCompared(t *testing.T) {
	s := sharedServer(t)
	look(t, s, "apart")
	target := open(t, s.config())
	use := longUse("apart", planv1.Operation{
		Name: "o", Request: planv1.Request{Kind: "Find", Filter: `{"_id": {"$gte": 1}, "essay": "y"}`},
	})
	if err := target.Prepare(t.Context(), "apart", use.Collections[0]); err != nil {
		t.Fatal(err)
	}
	err := target.Check(planv1.Plan{
		Database: "apart", Collections: use.Collections, Steps: []planv1.Step{use.Step},
	})
	if err == nil || !strings.Contains(err.Error(), `operation "o": filter: HandlerSocket compares no column`) {
		t.Errorf("the error is %v", err)
	}
	conn, err := handlersocket.Dial(t.Context(), s.address(), secret, time.Minute, &sql.Traffic{})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for filtered, want := range map[string]string{"short": "", "essay": "filterblob"} {
		if _, err := conn.Call([]byte("P\t1\tapart\tlong\tPRIMARY\t_id\t" + filtered + "\n")); err != nil {
			t.Errorf("opening the index, to compare %s: %v", filtered, err)
		}
		_, err := conn.Call([]byte("1\t>=\t1\t1\t10\t0\tF\t=\t0\tb\n"))
		var refused *handlersocket.ServerError
		if said := errors.As(err, &refused); said != (want != "") || said && refused.Text != want {
			t.Errorf("comparing %s: the server says %v, want %q", filtered, err, want)
		}
	}
}
