package portable

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Column is one column of a table. None is ever empty.
type Column struct {
	Name string
	// Type is Int, Long, Double, Bool, Date, String, Binary, UUID or ObjectID: that of the values themselves. A Sequence
	// is a Long, a Serial a String, and a Choice what its values are.
	Type benchv1alpha1.GeneratorType
	// MaxLength is how many bytes the longest value of a String or Binary has.
	MaxLength int64
	// KeptApart says that values lie apart from their rows, as those of a BLOB do: the rows would be too long otherwise.
	KeptApart bool
}

// maxKeyBytes is how many bytes the columns of an index may have together, with InnoDB as well as with MyRocks.
const maxKeyBytes = 3072

// Table are the columns of a collection in the order of its fields, the primary key first.
func Table(collection planv1.Collection) ([]Column, *Refusal) {
	if refusal := refuseCollection(collection); refusal != nil {
		return nil, refusal
	}
	columns := make([]Column, 0, len(collection.Fields))
	taken := map[string]string{}
	for _, field := range collection.Fields {
		column, refusal := columnOf(field)
		if refusal != nil {
			return nil, refusal
		}
		folded := strings.ToLower(field.Name)
		if other, ok := taken[folded]; ok {
			return nil, &Refusal{fieldPath(field, "name"), fmt.Sprintf("columns know no upper and lower case, and %q is there "+
				"already; rename one of the two", other)}
		}
		taken[folded] = field.Name
		columns = append(columns, column)
	}
	if refusal := checkKeys(collection, columns); refusal != nil {
		return nil, refusal
	}
	keepApart(columns, indexed(collection))
	return columns, nil
}

// refuseCollection refuses what tables do not have.
func refuseCollection(collection planv1.Collection) *Refusal {
	if !isName(collection.Name) {
		return &Refusal{"name", "must be " + nameRule + " for a table"}
	}
	const ofMongoDB = "is for MongoDB; leave it out"
	for _, one := range []struct {
		declared bool
		Refusal
	}{
		{collection.Sharding != nil, Refusal{"sharding", "a table lies on one server; leave it out"}},
		{collection.View != nil, Refusal{"view", ofMongoDB}},
		{collection.Copies > 0, Refusal{"copies", ofMongoDB}},
		{collection.DocumentsFrom != "", Refusal{"documents", "a table has columns; declare fields of type FromFile"}},
		{collection.CappedBytes > 0, Refusal{"options.capped", "a table has no such limit; leave it out"}},
		{collection.Clustered != nil, Refusal{
			"options.clustered", "a table lies in the order of its primary key anyway; leave it out",
		}},
		{collection.TimeSeries != nil, Refusal{"options.timeSeries", ofMongoDB}},
		{collection.Collation != nil, Refusal{
			"options.collation", "texts of a table are compared by their bytes; leave it out",
		}},
		{collection.Validator != nil, Refusal{"options.validator", ofMongoDB}},
		{collection.PreAndPostImages, Refusal{"options.changeStreamPreAndPostImages", ofMongoDB}},
		{collection.Compressor != "", Refusal{"options.compressor", "is for WiredTiger; leave it out"}},
		{collection.Type != "", Refusal{
			"options", "the target's engine.wiredTiger.type is for WiredTiger; leave it out",
		}},
	} {
		if one.declared {
			return &one.Refusal
		}
	}
	return nil
}

func fieldPath(field planv1.Field, child string) string {
	return fmt.Sprintf("fields[%s].%s", field.Name, child)
}

func columnOf(field planv1.Field) (Column, *Refusal) {
	if !isName(field.Name) {
		return Column{}, &Refusal{fieldPath(field, "name"), "must be " + nameRule + " for a column"}
	}
	found, err := valueKind(field.Value)
	if err != nil {
		return Column{}, &Refusal{fieldPath(field, "type"), err.Error()}
	}
	return Column{Name: field.Name, Type: found.of, MaxLength: found.maxLength}, nil
}

const nameRule = "at most 64 letters, digits, _ and -, and not begin with a digit or -,"

// isName says whether a name is one that every client of a table can write: HandlerSocket separates columns by commas,
// and takes a name that begins with a digit for a number.
var isName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`).MatchString

// checkKeys looks at the primary key and at the indexes.
func checkKeys(collection planv1.Collection, columns []Column) *Refusal {
	if len(columns) == 0 || columns[0].Name != PrimaryKey {
		return &Refusal{"fields", "must begin with _id"}
	}
	if bytes := keyBytes(columns[0]); bytes > maxKeyBytes {
		return &Refusal{fieldPath(collection.Fields[0], "bytes"), tooLong(bytes)}
	}
	taken := map[string]bool{"primary": true}
	for i, index := range collection.Indexes {
		path := fmt.Sprintf("indexes[%d]", i)
		if refusal := refuseIndex(index, path); refusal != nil {
			return refusal
		}
		name := strings.ToLower(index.ServerName())
		if !isName(name) || taken[name] {
			return &Refusal{path + ".name", fmt.Sprintf("%q must be %s for an index, and of two indexes not the same, whether "+
				"in upper or lower case; nor PRIMARY", name, nameRule)}
		}
		taken[name] = true
		if refusal := checkIndexKeys(index, columns, path); refusal != nil {
			return refusal
		}
	}
	return nil
}

// refuseIndex refuses what the indexes of tables are not.
func refuseIndex(index planv1.Index, path string) *Refusal {
	switch {
	case index.Sparse:
		return &Refusal{path + ".properties", "an index of a table is never Sparse: every row has every column"}
	case index.Hidden:
		return &Refusal{path + ".properties", "an index of a table is not Hidden; leave it out"}
	case index.PartialFilter != "":
		return &Refusal{path + ".partialFilter", "an index of a table is of all rows; leave it out"}
	case index.Collation != nil:
		return &Refusal{path + ".collation", "texts of a table are compared by their bytes; leave it out"}
	case index.ExpireAfterSeconds != nil:
		return &Refusal{path + ".expireAfterSeconds", "rows of a table do not expire; leave it out"}
	default:
		return nil
	}
}

func checkIndexKeys(index planv1.Index, columns []Column, path string) *Refusal {
	var bytes int64
	for k, key := range index.Keys {
		at := fmt.Sprintf("%s.keys[%d]", path, k)
		if key.Order != "1" && key.Order != "-1" {
			return &Refusal{at + ".type", "must be Ascending or Descending for a table"}
		}
		column, refusal := columnNamed(columns, key.Field, at+".field")
		if refusal != nil {
			return refusal
		}
		bytes += keyBytes(column)
	}
	if bytes > maxKeyBytes {
		return &Refusal{path + ".keys", tooLong(bytes)}
	}
	return nil
}

func tooLong(bytes int64) string {
	return fmt.Sprintf("an index of a table has at most %d bytes of its columns, and these may have %d; lower their "+
		"maxLength", maxKeyBytes, bytes)
}

// keyBytes is what a column takes in an index at most.
func keyBytes(column Column) int64 {
	switch column.Type {
	case benchv1alpha1.GeneratorString, benchv1alpha1.GeneratorBinary:
		return column.MaxLength
	case benchv1alpha1.GeneratorUUID:
		return 16
	case benchv1alpha1.GeneratorObjectID:
		return 12
	default:
		return 8
	}
}

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
		if column.Type != benchv1alpha1.GeneratorString && column.Type != benchv1alpha1.GeneratorBinary {
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
