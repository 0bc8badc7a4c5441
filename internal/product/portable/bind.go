package portable

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
)

// kinds are those that Bind takes, as a list for people.
var kinds = func() string {
	var names []string
	for kind := range operation.Kinds() {
		if kind.Row().SentBy(operation.SQL) {
			names = append(names, kind.String())
		}
	}
	return strings.Join(names, ", ")
}()

// binding is an operation on its way to a statement.
type binding struct {
	operation planv1.Operation
	row       *operation.Row
	columns   []Column
}

// Bind makes the statement of an operation on a table.
func Bind(collection planv1.Collection, declared planv1.Operation) (Statement, *Refusal) {
	columns, refusal := Table(collection)
	if refusal != nil {
		return Statement{}, &Refusal{CollectionField, collection.Name + " is no table: " + refusal.String()}
	}
	if refusal := refuseOptions(declared); refusal != nil {
		return Statement{}, refusal
	}
	b := binding{operation: declared, row: operation.Of(declared.Kind), columns: columns}
	statement := Statement{
		Kind: declared.Kind, Table: collection.Name, Limit: declared.Limit, LimitParameter: declared.LimitParameter != "",
	}
	if b.row.Effect == operation.Inserts {
		return statement, nil
	}
	for _, part := range []func(*Statement) *Refusal{b.where, b.set, b.project, b.values, b.order} {
		if refusal := part(&statement); refusal != nil {
			return Statement{}, refusal
		}
	}
	return statement, nil
}

// refuseOptions refuses what no statement has.
func refuseOptions(declared planv1.Operation) *Refusal {
	for _, option := range []struct {
		given         bool
		field, detail string
	}{
		{!operation.Of(declared.Kind).SentBy(operation.SQL), "kind", "a table is read and written by " + kinds + " only"},
		{declared.ReadConcern != "", "readConcern", "a table has none; leave it out"},
		{declared.ReadPreference != "", "readPreference", "there is one server; leave it out"},
		{declared.WriteConcern != nil, "writeConcern", "a table has none; leave it out, and set durability of the target"},
		{
			declared.WhenMissing == benchv1alpha1.MissingInsert, "whenMissing",
			"must be Nothing: what an insert and an update are together is no one statement",
		},
		{declared.Skip != 0, "skip", "must be 0: rows that are read to be thrown away are found by a filter instead"},
		{
			declared.Fetch != "" && declared.Fetch != benchv1alpha1.FetchAll, "fetch", "must be All; set limit instead",
		},
		{declared.Hint != "", "hint", "a statement leaves the index to the server; leave it out"},
		{declared.ArrayFilters != "", "arrayFilters", "a table has no arrays; leave it out"},
		{declared.Collation != nil, "collation", "a column has its own; leave it out"},
		{declared.Let != "", "let", "a statement has no such variables; leave it out"},
		{declared.MaxTimeMillis != 0, "maxTimeMillis", "no server of these has a limit for a statement alone; leave it out"},
		{declared.Comment != "", "comment", "a statement is sent without one; leave it out"},
		{
			len(declared.Sort) > 0 && operation.Of(declared.Kind).Effect == operation.Updates, "sort",
			"a row is changed by its primary key; leave it out",
		},
		{declared.BatchSize != 0, "batchSize", "a table sends its rows without batches; leave it out"},
	} {
		if option.given {
			return &Refusal{option.field, option.detail}
		}
	}
	return nil
}

// column finds a column by its name, in a document that is written under a field of the operation.
func (b binding) column(name, field string) (Column, *Refusal) {
	if strings.HasPrefix(name, "$") {
		return Column{}, &Refusal{field, fmt.Sprintf("%q has no place in it; name the columns themselves", name)}
	}
	return columnNamed(b.columns, name, field)
}

// columnNamed finds a column, which the field of an operation or index names.
func columnNamed(columns []Column, name, field string) (Column, *Refusal) {
	at := slices.IndexFunc(columns, func(c Column) bool { return c.Name == name })
	if at < 0 {
		return Column{}, &Refusal{field, fmt.Sprintf("%q is no column of the collection; declare it among its fields", name)}
	}
	return columns[at], nil
}

// values takes the field of a Distinct.
func (b binding) values(statement *Statement) *Refusal {
	if !b.row.Takes(operation.Field) {
		return nil
	}
	column, refusal := b.column(b.operation.Field, string(operation.Field))
	statement.Columns = []string{column.Name}
	return refusal
}

// order takes the sort order of a Find.
func (b binding) order(statement *Statement) *Refusal {
	if len(b.operation.Sort) == 0 {
		return nil
	}
	if !b.row.Takes(operation.Limit) {
		return &Refusal{"sort", "applies only to Find"}
	}
	for _, key := range b.operation.Sort {
		if _, refusal := b.column(key.Field, "sort"); refusal != nil {
			return refusal
		}
	}
	statement.Order = slices.Clone(b.operation.Sort)
	return nil
}

// Statement is an operation that a table can do.
type Statement struct {
	// Kind is the operation's.
	Kind  benchv1alpha1.OperationKind
	Table string
	// Where are conditions that all hold. Their values are the leaves of a request's filter, in the same order, those of
	// nested documents at the places of these. FindOne has at least one, and UpdateOne and DeleteOne have one that
	// compares the primary key for equality.
	Where []Condition
	// Set are the columns that an UpdateOne changes. Their values are those of $set, in the same order.
	Set []string
	// Columns that are read, in the order of the table. None: all.
	Columns []string
	// Order of the rows of a Find.
	Order []benchv1alpha1.SortKey
	// Limit of a Find, 0 for none. With LimitParameter each request has a limit of its own.
	Limit          int64
	LimitParameter bool
}

// Row is what is known about the operation's kind.
func (s Statement) Row() *operation.Row {
	return operation.Of(s.Kind)
}

// Condition compares a column with a value of the filter.
type Condition struct {
	Column   string
	Operator Operator
	// KeptApart is the column's.
	KeptApart bool
}

// Operator compares; its text is that of SQL.
type Operator string

// The operators.
const (
	Equal          Operator = "="
	GreaterOrEqual Operator = ">="
	Greater        Operator = ">"
	LessOrEqual    Operator = "<="
	Less           Operator = "<"
)

// Refusal says why something has no place in a table.
type Refusal struct {
	// Field of the operation or collection, in the API's names, such as "filter" or "fields[address].type".
	Field string
	// Detail is the sentence that follows it: what is wrong, and what to do instead.
	Detail string
}

func (r *Refusal) String() string {
	return r.Field + ": " + r.Detail
}

// CollectionField is the field of a Refusal by Bind that is about the collection and not about the operation.
const CollectionField = "collection"

// PrimaryKey is the column that every table has as its primary key.
const PrimaryKey = "_id"

const (
	updateField     = "update"
	projectionField = "projection"
)

// set takes the update of an UpdateOne.
func (b binding) set(statement *Statement) *Refusal {
	if !b.row.Takes(operation.Update) {
		return nil
	}
	update, err := members([]byte(b.operation.Update.Text()))
	if err != nil || len(update) != 1 || update[0].name != "$set" {
		return &Refusal{updateField, `must be {"$set": {...}}: a statement gives columns new values, and does nothing else`}
	}
	values, err := members(update[0].value)
	if err != nil || len(values) == 0 {
		return &Refusal{updateField, "must set a column at least"}
	}
	for _, value := range values {
		column, refusal := b.column(value.name, updateField)
		if refusal == nil {
			refusal = b.takes(column, value.value, updateField)
		}
		switch {
		case refusal != nil:
			return refusal
		case column.Name == PrimaryKey:
			return &Refusal{updateField, "must leave _id as it is"}
		case slices.Contains(statement.Set, column.Name):
			return &Refusal{updateField, fmt.Sprintf("sets column %q twice", column.Name)}
		}
		statement.Set = append(statement.Set, column.Name)
	}
	return nil
}

// project takes the projection of what is read: columns that are shown, or columns that are not.
func (b binding) project(statement *Statement) *Refusal {
	if b.operation.Projection == "" {
		return nil
	}
	given, err := members([]byte(b.operation.Projection.Text()))
	if err != nil {
		return &Refusal{projectionField, err.Error()}
	}
	shown := map[string]bool{}
	for _, one := range given {
		if _, refusal := b.column(one.name, projectionField); refusal != nil {
			return refusal
		}
		show, err := strconv.ParseBool(string(one.value))
		if err != nil {
			return &Refusal{projectionField, fmt.Sprintf("must be 1 or 0 for column %q: a column is read or it is not",
				one.name)}
		}
		shown[one.name] = show
	}
	return b.show(statement, shown)
}

// show lists the columns that a projection shows. As with MongoDB, _id is shown unless it is said not to be, and it
// alone may be left out where others are named.
func (b binding) show(statement *Statement, shown map[string]bool) *Refusal {
	including, excluding := sides(shown)
	if including && excluding {
		return &Refusal{projectionField, "must either name the columns that are read or those that are not"}
	}
	// Where only _id is named, and it is shown, it is shown alone.
	others := !including && (excluding || !shown[PrimaryKey])
	for _, column := range b.columns {
		show, told := shown[column.Name]
		if !told {
			show = others || column.Name == PrimaryKey
		}
		if show {
			statement.Columns = append(statement.Columns, column.Name)
		}
	}
	if len(statement.Columns) == 0 {
		return &Refusal{projectionField, "must leave a column to be read"}
	}
	if len(statement.Columns) == len(b.columns) {
		statement.Columns = nil
	}
	return nil
}

// sides says whether a projection names columns that are read, and whether it names some that are not, besides _id.
func sides(shown map[string]bool) (including, excluding bool) {
	for name, show := range shown {
		if name != PrimaryKey {
			including, excluding = including || show, excluding || !show
		}
	}
	return including, excluding
}

// operators by their names in a filter.
var operators = map[string]Operator{
	"$eq": Equal, "$gte": GreaterOrEqual, "$gt": Greater, "$lte": LessOrEqual, "$lt": Less,
}

const filterField = "filter"

// where takes the filter.
func (b binding) where(statement *Statement) *Refusal {
	filter, err := members([]byte(b.operation.Filter.Text()))
	if err != nil {
		return &Refusal{filterField, err.Error()}
	}
	for _, condition := range filter {
		column, refusal := b.column(condition.name, filterField)
		if refusal != nil {
			return refusal
		}
		found, refusal := b.conditions(column, condition)
		if refusal != nil {
			return refusal
		}
		for _, one := range found {
			if slices.ContainsFunc(statement.Where, one.sameSide) {
				return &Refusal{filterField, fmt.Sprintf("column %q is compared twice in the same way", column.Name)}
			}
			statement.Where = append(statement.Where, one)
		}
	}
	return enough(statement)
}

// sameSide says whether two conditions bound the same column from the same side, so that one of them is idle.
func (c Condition) sameSide(other Condition) bool {
	return c.Column == other.Column && (c.Operator == Equal || other.Operator == Equal ||
		(c.Operator[0] == other.Operator[0]))
}

// conditions are those on one column: a value that it equals, or operators with a value each.
func (b binding) conditions(column Column, given member) ([]Condition, *Refusal) {
	compared, err := members(given.value)
	if err != nil || len(compared) == 0 || operators[compared[0].name] == "" {
		if refusal := b.takes(column, given.value, filterField); refusal != nil {
			return nil, refusal
		}
		return []Condition{{column.Name, Equal, column.KeptApart}}, nil
	}
	found := make([]Condition, 0, len(compared))
	for _, one := range compared {
		operator := operators[one.name]
		if operator == "" {
			return nil, &Refusal{filterField, fmt.Sprintf("%q cannot be asked of a table; use $eq, $gte, $gt, $lte or $lt",
				one.name)}
		}
		if refusal := b.takes(column, one.value, filterField); refusal != nil {
			return nil, refusal
		}
		found = append(found, Condition{column.Name, operator, column.KeptApart})
	}
	return found, nil
}

// enough wants the conditions that a kind cannot do without.
func enough(statement *Statement) *Refusal {
	key := func(c Condition) bool { return c.Column == PrimaryKey && c.Operator == Equal }
	row := statement.Row()
	switch {
	case row == operation.FindOne.Row() && len(statement.Where) == 0:
		return &Refusal{filterField, "must have a condition: any row at all is no question to a table"}
	case row.Effect != operation.Reads && !slices.ContainsFunc(statement.Where, key):
		return &Refusal{filterField, "must compare _id with a value: a statement changes all rows that it finds, and only " +
			"by its primary key is that one"}
	default:
		return nil
	}
}
