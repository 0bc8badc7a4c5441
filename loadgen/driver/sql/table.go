package sql

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
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
var columnTypes = map[benchv1alpha1.GeneratorType]column{
	benchv1alpha1.GeneratorObjectID: {comment: commentObjectID, sqlType: "BINARY(12)"},
	benchv1alpha1.GeneratorLong:     {comment: commentLong, sqlType: "BIGINT"},
	benchv1alpha1.GeneratorInt:      {comment: commentInt, sqlType: "INT"},
	benchv1alpha1.GeneratorDouble:   {comment: commentDouble, sqlType: "DOUBLE"},
	benchv1alpha1.GeneratorBool:     {comment: commentBool, sqlType: "BOOLEAN"},
	benchv1alpha1.GeneratorDate:     {comment: commentDate, sqlType: "DATETIME(3)"},
	benchv1alpha1.GeneratorUUID:     {comment: commentUUID, sqlType: "BINARY(16)"},
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
			if d.Type == benchv1alpha1.GeneratorBinary {
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

// quoted is a list of names.
func quoted(names []string) string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = quote(name)
	}
	return strings.Join(list, ", ")
}

// ColumnNames are those of the columns of a collection's table.
func ColumnNames(collection planv1.Collection) ([]string, error) {
	columns, err := columnsOf(collection)
	return names(columns), err
}

// names are those of columns.
func names(columns []column) []string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = c.name
	}
	return list
}

// qualified is the whole name of a table.
func qualified(database, table string) string {
	return quote(database) + "." + quote(table)
}

// indexDefinition is what makes an index, and the same for indexes that are the same.
func indexDefinition(unique bool, keys []planv1.IndexKey) string {
	parts := make([]string, len(keys))
	for i, key := range keys {
		parts[i] = quote(key.Field) + order(key.Order == "-1")
	}
	definition := "(" + strings.Join(parts, ", ") + ")"
	if unique {
		return "UNIQUE " + definition
	}
	return definition
}

// order is how a statement has the order of a key.
func order(descending bool) string {
	if descending {
		return " DESC"
	}
	return ""
}

// documentOf makes a document again from a row.
func documentOf(columns []column, row []any) (bson.Raw, error) {
	start, document := bsoncore.AppendDocumentStart(nil)
	for i, c := range columns {
		var err error
		if document, err = appendElement(document, c, row[i]); err != nil {
			return nil, fmt.Errorf("column %q: %w", c.name, err)
		}
	}
	document, err := bsoncore.AppendDocumentEnd(document, start)
	return bson.Raw(document), err
}

// appendElement appends what a column holds, as the type that its comment names.
func appendElement(document []byte, c column, held any) ([]byte, error) {
	switch held := held.(type) {
	case float64:
		if c.comment == commentDouble {
			return bsoncore.AppendDoubleElement(document, c.name, held), nil
		}
	case int64:
		switch c.comment {
		case commentLong:
			return bsoncore.AppendInt64Element(document, c.name, held), nil
		case commentInt:
			return bsoncore.AppendInt32Element(document, c.name, int32(held)), nil
		case commentBool:
			return bsoncore.AppendBooleanElement(document, c.name, held != 0), nil
		}
	case []byte:
		return appendBytesElement(document, c, held)
	}
	return nil, fmt.Errorf("it holds a %T, and was made of BSON values of type %s", held, c.comment)
}

func appendBytesElement(document []byte, c column, held []byte) ([]byte, error) {
	switch {
	case c.comment == commentString:
		return bsoncore.AppendStringElement(document, c.name, string(held)), nil
	case c.comment == commentBinary:
		return bsoncore.AppendBinaryElement(document, c.name, bson.TypeBinaryGeneric, held), nil
	case c.comment == commentUUID:
		return bsoncore.AppendBinaryElement(document, c.name, bson.TypeBinaryUUID, held), nil
	case c.comment == commentObjectID && len(held) == objectIDBytes:
		return bsoncore.AppendObjectIDElement(document, c.name, [objectIDBytes]byte(held)), nil
	case c.comment == commentDate:
		date, err := time.ParseInLocation(dateLayout, string(held), time.UTC)
		if err != nil {
			return nil, fmt.Errorf("it holds no date: %w", err)
		}
		return bsoncore.AppendDateTimeElement(document, c.name, date.UnixMilli()), nil
	default:
		return nil, fmt.Errorf("it holds %d bytes, and was made of BSON values of type %s", len(held), c.comment)
	}
}

// idArgument is an _id as an argument.
func idArgument(id bson.RawValue) (any, error) {
	// As an element of a document without a name.
	_, content, _, err := cut(append([]byte{byte(id.Type), 0}, id.Value...))
	if err != nil {
		return nil, err
	}
	argument, _ := Value{id.Type, content}.argument(nil)
	return argument, nil
}
