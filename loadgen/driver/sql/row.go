package sql

import (
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

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
	case int64:
		return appendInteger(document, c, held)
	case float64:
		if c.comment == commentDouble {
			return bsoncore.AppendDoubleElement(document, c.name, held), nil
		}
	case bool:
		if c.comment == commentBool {
			return bsoncore.AppendBooleanElement(document, c.name, held), nil
		}
	case []byte:
		return appendBytesElement(document, c, held)
	}
	return nil, fmt.Errorf("it holds a %T, and was made of BSON values of type %s", held, c.comment)
}

func appendInteger(document []byte, c column, held int64) ([]byte, error) {
	switch c.comment {
	case commentLong:
		return bsoncore.AppendInt64Element(document, c.name, held), nil
	case commentInt:
		return bsoncore.AppendInt32Element(document, c.name, int32(held)), nil
	case commentBool:
		return bsoncore.AppendBooleanElement(document, c.name, held != 0), nil
	default:
		return nil, fmt.Errorf("it holds an integer, and was made of BSON values of type %s", c.comment)
	}
}

func appendBytesElement(document []byte, c column, held []byte) ([]byte, error) {
	switch c.comment {
	case commentString:
		return bsoncore.AppendStringElement(document, c.name, string(held)), nil
	case commentBinary:
		return bsoncore.AppendBinaryElement(document, c.name, bson.TypeBinaryGeneric, held), nil
	case commentUUID:
		return bsoncore.AppendBinaryElement(document, c.name, bson.TypeBinaryUUID, held), nil
	case commentObjectID:
		if len(held) != objectIDBytes {
			return nil, fmt.Errorf("it holds %d bytes, and an ObjectId has %d", len(held), objectIDBytes)
		}
		return bsoncore.AppendObjectIDElement(document, c.name, [objectIDBytes]byte(held)), nil
	case commentDate:
		date, err := time.ParseInLocation(dateLayout, string(held), time.UTC)
		if err != nil {
			return nil, fmt.Errorf("it holds no date: %w", err)
		}
		return bsoncore.AppendDateTimeElement(document, c.name, date.UnixMilli()), nil
	default:
		return nil, fmt.Errorf("it holds bytes, and was made of BSON values of type %s", c.comment)
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
