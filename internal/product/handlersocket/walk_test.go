package handlersocket_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product/handlersocket"
	"github.com/mongobench/mongobench-operator/internal/product/portable"
)

// people has an index on two fields, one that falls, and one whose name is given.
var people = planv1.Collection{
	Name: "people",
	Indexes: []planv1.Index{
		{Keys: keys("town", "1", "age", "1")},
		{Keys: keys("height", "-1")},
		{Name: "by_born", Keys: keys("born", "1")},
	},
}

func keys(pairs ...string) []planv1.IndexKey {
	var made []planv1.IndexKey
	for pair := range slices.Chunk(pairs, 2) {
		made = append(made, planv1.IndexKey{Field: pair[0], Order: pair[1]})
	}
	return made
}

const (
	rising  = benchv1alpha1.SortAscending
	falling = benchv1alpha1.SortDescending
)

// sorted is an order by fields that all go the same way.
func sorted(direction benchv1alpha1.SortDirection, fields ...string) []benchv1alpha1.SortKey {
	made := make([]benchv1alpha1.SortKey, 0, len(fields))
	for _, field := range fields {
		made = append(made, benchv1alpha1.SortKey{Field: field, Direction: direction})
	}
	return made
}

// where makes conditions of columns and operators.
func where(pairs ...string) []portable.Condition {
	var made []portable.Condition
	for pair := range slices.Chunk(pairs, 2) {
		made = append(made, portable.Condition{Column: pair[0], Operator: portable.Operator(pair[1])})
	}
	return made
}

func TestTheKeySaysAsMuchAsItCan(t *testing.T) {
	ends := func(condition int) handlersocket.Filter {
		return handlersocket.Filter{Ends: true, Condition: condition}
	}
	leaves := func(condition int) handlersocket.Filter { return handlersocket.Filter{Condition: condition} }
	const byTown = "town_1_age_1"
	tests := map[string]struct {
		where []portable.Condition
		order []benchv1alpha1.SortKey
		want  handlersocket.Walk
	}{
		"the primary key": {
			where: where("_id", "="),
			want:  handlersocket.Walk{Index: "PRIMARY", Operator: "=", Key: []int{0}},
		},
		"the primary key before all else, which is held against its row": {
			where: where("age", "=", "town", "=", "_id", "="),
			want: handlersocket.Walk{
				Index: "PRIMARY", Operator: "=", Key: []int{2}, Filters: []handlersocket.Filter{leaves(0), leaves(1)},
			},
		},
		"a range from both sides goes up from the lower bound": {
			where: where("_id", "<", "_id", ">="),
			want: handlersocket.Walk{
				Index: "PRIMARY", Operator: ">=", Key: []int{1}, Filters: []handlersocket.Filter{ends(0)},
			},
		},
		"a range that is asked for downwards begins at the upper bound": {
			where: where("_id", "<", "_id", ">="), order: sorted(falling, "_id"),
			want: handlersocket.Walk{
				Index: "PRIMARY", Operator: "<", Key: []int{0}, Filters: []handlersocket.Filter{ends(1)},
			},
		},
		"an upper bound alone goes down where no order is asked for": {
			where: where("born", "<="),
			want:  handlersocket.Walk{Index: "by_born", Operator: "<=", Key: []int{0}},
		},
		"both fields of an index, in its order and not the filter's": {
			where: where("age", "=", "town", "="),
			want:  handlersocket.Walk{Index: byTown, Operator: "=", Key: []int{1, 0}},
		},
		"the start of an index is equal, and the rest has a bound": {
			where: where("town", "=", "age", ">"),
			want: handlersocket.Walk{
				Index: byTown, Operator: ">", Key: []int{0, 1}, Filters: []handlersocket.Filter{ends(0)},
			},
		},
		"the start of an index is equal, and the rest goes down from its end": {
			where: where("town", "="), order: sorted(falling, "age"),
			want: handlersocket.Walk{
				Index: byTown, Operator: "<=", Key: []int{0}, Filters: []handlersocket.Filter{ends(0)},
			},
		},
		"the start of an index is equal, and the rest goes up to a bound": {
			where: where("town", "=", "age", "<"), order: append(sorted(falling, "town"), sorted(rising, "age")...),
			want: handlersocket.Walk{
				Index: byTown, Operator: ">=", Key: []int{0}, Filters: []handlersocket.Filter{ends(0), ends(1)},
			},
		},
		"what is in no index leaves rows out": {
			where: where("height", ">", "born", "="),
			want: handlersocket.Walk{
				Index: "by_born", Operator: "=", Key: []int{1}, Filters: []handlersocket.Filter{leaves(0)},
			},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, refusal := handlersocket.Find(people, portable.Statement{Kind: "Find", Where: tc.where, Order: tc.order})
			if refusal != nil || !cmp.Equal(got, tc.want) {
				t.Errorf("refusal %v, walk: %s", refusal, cmp.Diff(tc.want, got))
			}
		})
	}
}

func TestWhatHasNowhereToBeginIsRefused(t *testing.T) {
	tests := map[string]struct {
		kind      benchv1alpha1.OperationKind
		where     []portable.Condition
		order     []benchv1alpha1.SortKey
		wantField string
	}{
		"everything":                          {kind: "Find", wantField: "filter"},
		"a field without an index":            {kind: "Find", where: where("name", "="), wantField: "filter"},
		"a field that is second in its index": {kind: "FindOne", where: where("age", "="), wantField: "filter"},
		"a field whose index falls":           {kind: "Find", where: where("height", ">="), wantField: "filter"},
		"an order that no index has": {
			kind: "Find", where: where("_id", ">="), order: sorted(rising, "age"), wantField: "sort",
		},
		"an order that begins at the bound that there is not": {
			kind: "Find", where: where("_id", ">="), order: sorted(falling, "_id"), wantField: "sort",
		},
		"an order of two directions": {
			kind: "Find", where: where("town", ">="), wantField: "sort",
			order: append(sorted(rising, "town"), sorted(falling, "age")...),
		},
		"a condition on a column that is kept apart": {
			kind: "Find", where: append(where("_id", "="), portable.Condition{Column: "x", Operator: "=", KeptApart: true}),
			wantField: "filter",
		},
		"an insert has nothing to find": {kind: "InsertOne"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, refusal := handlersocket.Find(people, portable.Statement{Kind: tc.kind, Where: tc.where, Order: tc.order})
			field := ""
			if refusal != nil {
				field = refusal.Field
			}
			if field != tc.wantField {
				t.Errorf("refused %v, want field %q", refusal, tc.wantField)
			}
		})
	}
}
