package portable

import (
	"slices"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
)

const (
	// maxRowBytes is what the columns of a row may take that are not kept apart from it: the server's limit is 65,535,
	// with what it needs for itself.
	maxRowBytes = 60_000
	// keptApartBytes is what a row has of a column that is kept apart.
	keptApartBytes = 12
)

// keepApart has values lie apart from their rows: those of the longest columns without an index, of as many as it takes
// for a row to be no longer than the server allows.
func keepApart(columns []Column, indexed []string) {
	var longest []int
	var row int64
	for i, column := range columns {
		if column.Type != planv1.TypeString && column.Type != planv1.TypeBinary {
			continue
		}
		row += column.MaxLength
		if !slices.Contains(indexed, column.Name) {
			longest = append(longest, i)
		}
	}
	slices.SortStableFunc(longest, func(a, b int) int { return int(columns[b].MaxLength - columns[a].MaxLength) })
	for _, i := range longest {
		if row <= maxRowBytes {
			return
		}
		columns[i].KeptApart = true
		row -= columns[i].MaxLength - keptApartBytes
	}
}

// indexed are the columns that are part of an index, which a value that is kept apart cannot be as a whole.
func indexed(collection planv1.Collection) []string {
	names := []string{PrimaryKey}
	for _, index := range collection.Indexes {
		for _, key := range index.Keys {
			names = append(names, key.Field)
		}
	}
	return names
}
