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
		given  bool
		field  string
		detail string
	}{
		{
			!operation.Of(declared.Kind).SentBy(operation.SQL), "kind",
			"a table is asked by " + kinds + " only",
		},
		{
			declared.ReadConcern != "", "readConcern", "a table has none; leave it out",
		},
		{
			declared.ReadPreference != "", "readPreference", "there is one server; leave it out",
		},
		{
			declared.WriteConcern != nil, "writeConcern",
			"a table has none; leave it out, and set durability of the target",
		},
		{
			declared.WhenMissing == benchv1alpha1.MissingInsert, "whenMissing",
			"must be Nothing: what an insert and an update are together is no one statement",
		},
		{
			declared.Skip != 0, "skip", "must be 0: rows that are read to be thrown away are found by a filter instead",
		},
		{
			declared.Fetch != "" && declared.Fetch != benchv1alpha1.FetchAll, "fetch", "must be All; set limit instead",
		},
		{
			declared.BatchSize != 0, "batchSize", "a table sends its rows without batches; leave it out",
		},
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
	at := slices.IndexFunc(b.columns, func(c Column) bool { return c.Name == name })
	if at < 0 {
		return Column{}, &Refusal{field, fmt.Sprintf("%q is no column of the collection; declare it among its fields", name)}
	}
	return b.columns[at], nil
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
