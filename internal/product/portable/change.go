package portable

import (
	"fmt"
	"slices"

	"github.com/mongobench/mongobench-operator/internal/operation"
)

const (
	updateField     = "update"
	projectionField = "projection"
)

// set takes the update of an UpdateOne.
func (b binding) set(statement *Statement) *Refusal {
	if !b.row.Takes(operation.Update) {
		return nil
	}
	update, err := members([]byte(b.operation.Update))
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
	given, err := members([]byte(b.operation.Projection))
	if err != nil {
		return &Refusal{projectionField, err.Error()}
	}
	shown := map[string]bool{}
	for _, one := range given {
		if _, refusal := b.column(one.name, projectionField); refusal != nil {
			return refusal
		}
		switch string(one.value) {
		case "1", "true":
			shown[one.name] = true
		case "0", "false":
			shown[one.name] = false
		default:
			return &Refusal{projectionField, fmt.Sprintf("must be 1 or 0 for column %q: a column is read or it is not",
				one.name)}
		}
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
