package portable

import (
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
)

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
