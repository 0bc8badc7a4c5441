package handlersocket

import (
	"fmt"
	"math"
	"slices"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/internal/product/portable"
)

// Primary is the name of the index on the primary key.
const Primary = "PRIMARY"

// Everything is the limit of a walk without one: the largest number that the protocol has.
const Everything = math.MaxUint32

// Walk is how a statement other than an insert is done.
type Walk struct {
	// Index is the name of the index that is walked along.
	Index string
	// Operator is where the walk begins and which way it goes: =, >= and > upwards, <= and < downwards.
	Operator portable.Operator
	// Key are the conditions, by their places in the statement, whose values make the key.
	Key []int
	// Filters are the conditions that every row is held against.
	Filters []Filter
}

// Filter is a condition that the walk's key does not imply.
type Filter struct {
	// Ends says that the walk ends with the first row that does not meet it. Else such a row is left out.
	Ends bool
	// Condition by its place in the statement; it has its operator, which the protocol writes in the same way.
	Condition int
}

// Find chooses the walk of a statement: the one whose key says most; an insert has none. It refuses what HandlerSocket
// cannot do.
func Find(collection planv1.Collection, statement portable.Statement) (Walk, *portable.Refusal) {
	switch row := statement.Row(); {
	case !row.SentBy(operation.HandlerSocket):
		return Walk{}, refuse("kind", "HandlerSocket has nothing that does what a %s does; use another client, Prepared or "+
			"Text", statement.Kind)
	case row.Effect == operation.Inserts:
		return Walk{}, nil
	case len(statement.Where) == 0:
		return Walk{}, refuse("filter", "HandlerSocket begins at a key of an index, so that the filter needs a condition on "+
			"_id or on the first field of an index")
	}
	return choose(collection, statement)
}

// choose is Find for a statement with conditions.
func choose(collection planv1.Collection, statement portable.Statement) (Walk, *portable.Refusal) {
	for _, condition := range statement.Where {
		if condition.KeptApart {
			return Walk{}, refuse("filter", "HandlerSocket compares no column that is kept apart from its row as a BLOB, as "+
				"%q is because the longest row would not fit without; lower the maxLength of the long fields, or leave this "+
				"condition out", condition.Column)
		}
	}
	best, most := Walk{}, 0
	orderMissed := false
	for _, index := range indexes(collection) {
		walk, keys, ordered := along(index, statement)
		switch {
		case ordered && keys > most:
			best, most = walk, keys
		case !ordered && keys > 0:
			orderMissed = true
		}
	}
	switch {
	case most > 0:
		return best, nil
	case orderMissed:
		return Walk{}, refuse("sort", "HandlerSocket returns rows in the order of the index that it walks along, from the "+
			"bound of the filter on: sort by the fields of the index that follow those that the filter holds equal, all in one "+
			"direction, upwards from a lower bound or downwards from an upper one")
	default:
		return Walk{}, refuse("filter", "HandlerSocket begins at a key of an index, and no index of collection %q begins "+
			"with a field of this filter; descending indexes do not count", collection.Name)
	}
}

func refuse(field, format string, arguments ...any) *portable.Refusal {
	return &portable.Refusal{Field: field, Detail: fmt.Sprintf(format, arguments...)}
}

// index is one that can be walked along.
type index struct {
	name   string
	fields []string
}

// indexes that rise: of those that fall the server knows no key to begin at.
func indexes(collection planv1.Collection) []index {
	found := []index{{name: Primary, fields: []string{"_id"}}}
	for _, declared := range collection.Indexes {
		one := index{name: declared.ServerName()}
		for _, key := range declared.Keys {
			if key.Order != ascending {
				break
			}
			one.fields = append(one.fields, key.Field)
		}
		if len(one.fields) == len(declared.Keys) {
			found = append(found, one)
		}
	}
	return found
}

// ascending is how the plan writes the order of a key.
const ascending = "1"

// along makes the walk of a statement along an index. The number of keys is 0 where the index does not begin with a
// field of the filter, and more where the key says more; ordered says that the walk gives the order that is asked for.
func along(index index, statement portable.Statement) (walk Walk, keys int, ordered bool) {
	w := walker{index: index, statement: statement, equal: map[string]int{}, lower: -1, upper: -1}
	w.read()
	down, ordered := w.direction()
	if !w.begin(down) {
		if w.lower >= 0 || w.upper >= 0 {
			keys = 1
		}
		return Walk{}, keys, false
	}
	keys = 2*len(w.equals) + len(w.walk.Key)
	if index.name == Primary && len(w.equals) > 0 {
		// There is one row at most, which is in any order.
		keys, ordered = math.MaxInt, true
	}
	w.filter()
	return w.walk, keys, ordered
}

// walker makes one walk.
type walker struct {
	index     index
	statement portable.Statement
	// equal are the conditions that hold a column equal.
	equal map[string]int
	// equals are those of the columns that the index begins with, lower and upper those of the column after them; -1 for
	// none.
	equals       []int
	lower, upper int
	walk         Walk
}

// read finds the conditions that the index is about.
func (w *walker) read() {
	for place, condition := range w.statement.Where {
		if condition.Operator == portable.Equal {
			w.equal[condition.Column] = place
		}
	}
	for _, field := range w.index.fields {
		place, held := w.equal[field]
		if !held {
			break
		}
		w.equals = append(w.equals, place)
	}
	if len(w.equals) == len(w.index.fields) {
		return
	}
	for place, condition := range w.statement.Where {
		if condition.Column != w.index.fields[len(w.equals)] {
			continue
		}
		switch condition.Operator {
		case portable.GreaterOrEqual, portable.Greater:
			w.lower = place
		case portable.LessOrEqual, portable.Less:
			w.upper = place
		default:
		}
	}
}

// direction is which way the walk has to go, and whether the index can give the order that is asked for.
func (w *walker) direction() (down, ordered bool) {
	rest := w.index.fields[len(w.equals):]
	first := true
	for _, key := range w.statement.Order {
		if _, held := w.equal[key.Field]; held {
			continue
		}
		falls := key.Direction == benchv1alpha1.SortDescending
		if len(rest) == 0 || rest[0] != key.Field || !first && falls != down {
			return false, false
		}
		down, first, rest = falls, false, rest[1:]
	}
	if first {
		// Any order will do: from the bound that there is.
		down = w.lower < 0 && w.upper >= 0
	}
	return down, true
}

// begin chooses the key. It is false when there is none to begin at.
func (w *walker) begin(down bool) bool {
	near, far := w.lower, w.upper
	if down {
		near, far = w.upper, w.lower
	}
	w.walk.Index, w.walk.Key = w.index.name, slices.Clone(w.equals)
	switch {
	case near >= 0:
		w.walk.Key = append(w.walk.Key, near)
		w.walk.Operator = w.statement.Where[near].Operator
	case len(w.equals) == 0:
		return false
	case down:
		w.walk.Operator = portable.LessOrEqual
	case far >= 0:
		w.walk.Operator = portable.GreaterOrEqual
	default:
		w.walk.Operator = portable.Equal
	}
	if w.walk.Operator == portable.Equal {
		return true
	}
	for _, place := range w.equals {
		w.end(place)
	}
	if far >= 0 {
		w.end(far)
	}
	return true
}

// end adds a condition that ends the walk.
func (w *walker) end(place int) {
	w.walk.Filters = append(w.walk.Filters, Filter{Ends: true, Condition: place})
}

// filter adds the conditions that nothing else has taken care of.
func (w *walker) filter() {
	ending := w.walk.Filters
	for place := range w.statement.Where {
		ends := slices.ContainsFunc(ending, func(f Filter) bool { return f.Condition == place })
		if !ends && !slices.Contains(w.walk.Key, place) {
			w.walk.Filters = append(w.walk.Filters, Filter{Condition: place})
		}
	}
}
