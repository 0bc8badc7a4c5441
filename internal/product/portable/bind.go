package portable

import (
	"fmt"
	"slices"
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
		{!operation.Of(declared.Kind).SentBy(operation.SQL), "kind", "a table is asked by " + kinds + " only"},
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
