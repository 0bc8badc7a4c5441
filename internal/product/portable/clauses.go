package portable

import (
	"fmt"
	"slices"
	"strconv"

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
	filter, err := members([]byte(b.operation.Filter))
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
