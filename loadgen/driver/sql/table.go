package sql

import (
	"fmt"
	"strconv"
	"strings"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product/portable"
)

// The types of BSON values, as a column's comment has them: a table tells by itself what documents it was made of.
const (
	commentPrefix   = "BSON "
	commentObjectID = "objectId"
	commentInt      = "int"
	commentLong     = "long"
	commentDouble   = "double"
	commentBool     = "bool"
	commentDate     = "date"
	commentString   = "string"
	commentBinary   = "binData"
	commentUUID     = "uuid"
)

// column is a column of a table.
type column struct {
	name, comment, sqlType string
}

// columnTypes are the types of the columns whose values are all of one length.
var columnTypes = map[planv1.ValueType]column{
	planv1.TypeObjectID: {comment: commentObjectID, sqlType: "BINARY(12)"},
	planv1.TypeLong:     {comment: commentLong, sqlType: "BIGINT"},
	planv1.TypeInt:      {comment: commentInt, sqlType: "INT"},
	planv1.TypeDouble:   {comment: commentDouble, sqlType: "DOUBLE"},
	planv1.TypeBool:     {comment: commentBool, sqlType: "BOOLEAN"},
	planv1.TypeDate:     {comment: commentDate, sqlType: "DATETIME(3)"},
	planv1.TypeUUID:     {comment: commentUUID, sqlType: "BINARY(16)"},
}

// columnsOf are the columns of a collection's table. Texts are VARBINARY as well: MongoDB compares them by their bytes,
// and so does that type, with every engine.
func columnsOf(collection planv1.Collection) ([]column, error) {
	declared, refusal := portable.Table(collection)
	if refusal != nil {
		return nil, fmt.Errorf("collection %q: %s", collection.Name, refusal)
	}
	columns := make([]column, 0, len(declared))
	for _, d := range declared {
		c, fixed := columnTypes[d.Type]
		if !fixed {
			c = column{comment: commentString, sqlType: varying(d)}
			if d.Type == planv1.TypeBinary {
				c.comment = commentBinary
			}
		}
		c.name = d.Name
		columns = append(columns, c)
	}
	return columns, nil
}

// varying is the type of a column whose values have different lengths.
func varying(c portable.Column) string {
	if c.KeptApart {
		return blob(c.MaxLength)
	}
	return "VARBINARY(" + strconv.FormatInt(max(1, c.MaxLength), 10) + ")"
}

// blob is the smallest type that holds this many bytes.
func blob(length int64) string {
	switch {
	case length < 1<<16:
		return "BLOB"
	case length < 1<<24:
		return "MEDIUMBLOB"
	default:
		return "LONGBLOB"
	}
}

// createTable is the statement that makes a collection's table, with the engine that is the server's default.
func createTable(database string, collection planv1.Collection, columns []column) string {
	definitions := make([]string, 0, len(columns)+1)
	for _, c := range columns {
		definitions = append(definitions, quote(c.name)+" "+c.sqlType+" NOT NULL COMMENT '"+commentPrefix+c.comment+"'")
	}
	definitions = append(definitions, "PRIMARY KEY ("+quote(portable.PrimaryKey)+")")
	return "CREATE TABLE IF NOT EXISTS " + qualified(database, collection.Name) + " (" +
		strings.Join(definitions, ", ") + ")"
}

// quote makes any text a name.
func quote(name string) string {
	return "`" + strings.ReplaceAll(name, "`", "``") + "`"
}

// qualified is the whole name of a table.
func qualified(database, table string) string {
	return quote(database) + "." + quote(table)
}

// indexDefinition is what makes an index, and the same for indexes that are the same.
func indexDefinition(unique bool, keys []planv1.IndexKey) string {
	parts := make([]string, len(keys))
	for i, key := range keys {
		parts[i] = quote(key.Field) + order(key)
	}
	definition := "(" + strings.Join(parts, ", ") + ")"
	if unique {
		return "UNIQUE " + definition
	}
	return definition
}

// order is how a statement has the order of a key.
func order(key planv1.IndexKey) string {
	if strings.HasPrefix(key.Order, "-") {
		return " DESC"
	}
	return ""
}
