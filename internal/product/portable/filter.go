package portable

import (
	"fmt"
	"slices"

	"github.com/mongobench/mongobench-operator/internal/operation"
)

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
