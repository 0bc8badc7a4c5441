package handlersocket_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/handlersocket"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// walked are the fields of a table that is asked all sorts of questions.
var walked = []string{"_id", "a", "b", "c"}

func walkedCollection() planv1.Collection {
	collection := planv1.Collection{Name: "walked", Indexes: []planv1.Index{
		{Keys: key("a", "1", "b", "1")}, {Keys: key("c", "1")}, {Name: "falling", Keys: key("b", "-1")},
	}}
	for _, name := range walked {
		collection.Fields = append(collection.Fields, field(name, planv1.Value{Type: benchv1alpha1.GeneratorInt}))
	}
	return collection
}

// condition is one of a question, on the field with this place.
type condition struct {
	field    int
	operator string
	value    int
}

func (c condition) holds(row []int) bool {
	switch got := row[c.field]; c.operator {
	case "$gt":
		return got > c.value
	case "$gte":
		return got >= c.value
	case "$lt":
		return got < c.value
	case "$lte":
		return got <= c.value
	default:
		return got == c.value
	}
}

// question is one about the table.
type question struct {
	conditions []condition
	sort       []benchv1alpha1.SortKey
	limit      int64
}

// filter is the question's in Extended JSON, with the conditions on a field together.
func (q question) filter() string {
	var fields []string
	for place, name := range walked {
		var operators []string
		for _, c := range q.conditions {
			if c.field == place {
				operators = append(operators, fmt.Sprintf("%q: %d", c.operator, c.value))
			}
		}
		if len(operators) > 0 {
			fields = append(fields, fmt.Sprintf("%q: {%s}", name, strings.Join(operators, ", ")))
		}
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

// answer are the rows that meet all conditions, in the order that is asked for.
func (q question) answer(rows [][]int) [][]int {
	var found [][]int
	for _, row := range rows {
		if !slices.ContainsFunc(q.conditions, func(c condition) bool { return !c.holds(row) }) {
			found = append(found, row)
		}
	}
	slices.SortStableFunc(found, q.compare)
	return found
}

func (q question) compare(x, y []int) int {
	for _, k := range q.sort {
		place := slices.Index(walked, k.Field)
		if difference := x[place] - y[place]; difference != 0 {
			if k.Direction == benchv1alpha1.SortDescending {
				return -difference
			}
			return difference
		}
	}
	return 0
}

// ask draws a question.
func ask(random *rand.Rand) question {
	var q question
	for place := range walked {
		span := 4
		if place == 0 {
			span = 60
		}
		switch random.IntN(7) {
		case 0, 1:
			q.conditions = append(q.conditions, condition{place, "$eq", random.IntN(span)})
		case 2:
			lower := []string{"$gt", "$gte"}[random.IntN(2)]
			q.conditions = append(q.conditions, condition{place, lower, random.IntN(span) - 1})
		case 3:
			upper := []string{"$lt", "$lte"}[random.IntN(2)]
			q.conditions = append(q.conditions, condition{place, upper, random.IntN(span) + 1})
		case 4:
			q.conditions = append(q.conditions, condition{place, "$gte", 0}, condition{place, "$lt", random.IntN(span)})
		}
	}
	order := []benchv1alpha1.SortDirection{benchv1alpha1.SortAscending, benchv1alpha1.SortDescending}[random.IntN(2)]
	q.sort = [][]benchv1alpha1.SortKey{
		nil, nil, sortBy("_id", order), sortBy("a", order), append(sortBy("a", order), sortBy("b", order)...),
		sortBy("c", order), sortBy("b", order),
	}[random.IntN(7)]
	q.limit = []int64{0, 1, 5}[random.IntN(3)]
	return q
}

// TestWalksFindWhatIsAskedFor: hundreds of questions, those that are not refused answered as looking at every row does.
func TestWalksFindWhatIsAskedFor(t *testing.T) {
	s := sharedServer(t)
	db := look(t, s, "walks")
	target := open(t, s.config())
	collections := []planv1.Collection{walkedCollection()}
	if err := target.Prepare(t.Context(), "walks", collections[0]); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	const many = 60
	rows, values := make([][]int, 0, many), make([]string, 0, many)
	for id := range many {
		row := []int{id, random.IntN(4), random.IntN(4), random.IntN(4)}
		rows = append(rows, row)
		values = append(values, fmt.Sprintf("(%d, %d, %d, %d)", row[0], row[1], row[2], row[3]))
	}
	must(t, db, "INSERT INTO walks.walked (_id, a, b, c) VALUES "+strings.Join(values, ", "))
	if err := target.Index(t.Context(), "walks", collections[0]); err != nil {
		t.Fatal(err)
	}
	answered, refused := 0, 0
	for range 1500 {
		q := ask(random)
		declared := planv1.Operation{
			Name: "q",
			Request: planv1.Request{
				Kind: "Find", Collection: "walked", Filter: planv1.Document(q.filter()), Sort: q.sort, Limit: q.limit,
				Projection: `{"_id": 1}`,
			},
		}
		plan := planv1.Plan{
			Database: "walks", Collections: collections, Steps: []planv1.Step{{Operations: []planv1.Operation{declared}}},
		}
		if err := target.Check(plan); err != nil {
			if !strings.Contains(err.Error(), "HandlerSocket") {
				t.Fatal(err)
			}
			refused++
			continue
		}
		answered++
		checkAnswer(t, q, rows, ids(t, target, plan, q))
	}
	t.Logf("%d questions were answered, %d refused", answered, refused)
	if answered < 200 || refused < 200 {
		t.Error("the questions are all of one sort")
	}
}

// checkAnswer holds an answer against all rows.
func checkAnswer(t *testing.T, q question, rows [][]int, got []int) {
	t.Helper()
	want := q.answer(rows)
	most := len(want)
	if q.limit > 0 {
		most = min(most, int(q.limit))
	}
	found := make([][]int, len(got))
	for i, id := range got {
		found[i] = rows[id]
	}
	right := len(got) == most && slices.IsSortedFunc(found, q.compare)
	for i, row := range found {
		// Rows that the order does not tell apart may come in any order.
		right = right && !slices.ContainsFunc(q.conditions, func(c condition) bool { return !c.holds(row) }) &&
			q.compare(row, want[min(i, len(want)-1)]) == 0
	}
	slices.Sort(got)
	if !right || len(slices.Compact(got)) != most {
		t.Errorf("%s sorted by %v, limit %d: got %v, want %v", q.filter(), q.sort, q.limit, found, want)
	}
}

// ids are the values of _id that the plan's one operation finds.
func ids(t *testing.T, target *handlersocket.Target, plan planv1.Plan, q question) []int {
	t.Helper()
	found, err := handlersocket.Found(t.Context(), target, loadgen.Use{
		Database: plan.Database, Collections: plan.Collections, Step: plan.Steps[0],
	}, &workload.Request{Filter: raw(t, q.filter()), Limit: q.limit})
	if err != nil {
		t.Fatalf("%s: %v", q.filter(), err)
	}
	numbers := make([]int, len(found))
	for i, text := range found {
		if numbers[i], err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	return numbers
}
