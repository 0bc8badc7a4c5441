package wire

import (
	"bytes"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// everyType is a document with a value of every type.
func everyType() []byte {
	nested := bsoncore.NewDocumentBuilder().AppendInt32("a", 1).Build()
	start, d := bsoncore.AppendDocumentStart(nil)
	d = bsoncore.AppendDoubleElement(d, "double", 1.5)
	d = bsoncore.AppendStringElement(d, "string", "text")
	d = bsoncore.AppendDocumentElement(d, "document", nested)
	d = bsoncore.AppendArrayElement(d, "array", bsoncore.NewArrayBuilder().AppendInt32(1).AppendString("x").Build())
	d = bsoncore.AppendBinaryElement(d, "binary", 0, []byte{1, 2, 3})
	d = bsoncore.AppendBinaryElement(d, "old binary", 2, []byte{1, 2, 3})
	d = bsoncore.AppendUndefinedElement(d, "undefined")
	d = bsoncore.AppendObjectIDElement(d, "id", bson.ObjectID{1})
	d = bsoncore.AppendBooleanElement(d, "bool", true)
	d = bsoncore.AppendDateTimeElement(d, "date", 1)
	d = bsoncore.AppendNullElement(d, "null")
	d = bsoncore.AppendRegexElement(d, "regex", "a.b", "i")
	d = bsoncore.AppendDBPointerElement(d, "pointer", "ns", bson.ObjectID{2})
	d = bsoncore.AppendJavaScriptElement(d, "code", "x")
	d = bsoncore.AppendSymbolElement(d, "symbol", "s")
	d = bsoncore.AppendCodeWithScopeElement(d, "scope", "x", nested)
	d = bsoncore.AppendInt32Element(d, "int", 1)
	d = bsoncore.AppendTimestampElement(d, "timestamp", 1, 2)
	d = bsoncore.AppendInt64Element(d, "long", 1)
	d = bsoncore.AppendDecimal128Element(d, "decimal", 1, 2)
	d = bsoncore.AppendMinKeyElement(d, "min")
	d = bsoncore.AppendMaxKeyElement(d, "max")
	d, _ = bsoncore.AppendDocumentEnd(d, start)
	return d
}

// cursorReply is a reply as a find has it.
func cursorReply() []byte {
	batch := bsoncore.NewArrayBuilder().AppendDocument(everyType()).AppendDocument(everyType()).Build()
	cursor := bsoncore.NewDocumentBuilder().AppendArray("firstBatch", batch).AppendInt64("id", 42).
		AppendString("ns", "db.things").Build()
	return bsoncore.NewDocumentBuilder().AppendDocument("cursor", cursor).AppendDouble("ok", 1).
		AppendDocument("lastErrorObject", bsoncore.NewDocumentBuilder().AppendInt32("n", 3).Build()).Build()
}

func TestEveryTypeIsSteppedOver(t *testing.T) {
	document := everyType()
	elements, err := bsoncore.Document(document).Elements()
	if err != nil {
		t.Fatal(err)
	}
	if count, err := Count(document); err != nil || count != int64(len(elements)) {
		t.Errorf("%d elements, %v; want %d", count, err, len(elements))
	}
	reply, err := Parse(cursorReply())
	if err != nil || !reply.OK || reply.Cursor != 42 || reply.N != 3 {
		t.Errorf("reply %+v, %v", reply, err)
	}
	if count, err := Count(reply.Batch); err != nil || count != 2 {
		t.Errorf("%d documents, %v; want 2", count, err)
	}
}

func TestADocumentThatIsCutOffIsAnErrorWhereverItIs(t *testing.T) {
	document := everyType()
	for length := range document {
		cut := append([]byte(nil), document[:length]...)
		if length >= 4 {
			cut = bsoncore.UpdateLength(cut, 0, int32(length))
		}
		// Where an element ends a zero byte may end the document too, so that it is looked at without the last.
		if _, err := Count(cut); err == nil {
			if _, err := bsoncore.Document(cut).Elements(); err != nil {
				t.Errorf("%d of %d bytes count as a document", length, len(document))
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(everyType())
	f.Add(cursorReply())
	f.Add([]byte{5, 0, 0, 0, 0})
	f.Add([]byte{12, 0, 0, 0, byte(bsoncore.TypeRegex), 'a', 0, 'b', 'c', 0, 'd', 0})
	f.Add([]byte{13, 0, 0, 0, byte(bsoncore.TypeString), 'a', 0, 255, 255, 255, 255, 0, 0})
	f.Fuzz(func(t *testing.T, document []byte) {
		reply, err := Parse(document)
		if err != nil {
			return
		}
		if _, err := Count(document); err != nil {
			t.Errorf("it is a reply, but %v", err)
		}
		_, _ = Count(reply.Batch)
		_, _ = ReadHello(document, Hello{})
	})
}

func FuzzMessage(f *testing.F) {
	message := bytes.Join([][]byte{make([]byte, Lead), cursorReply()}, nil)
	putHeader(message, 7, 0)
	message[8] = 7
	f.Add(message)
	start, sequence := BeginSequence(append([]byte(nil), message...), "documents")
	EndSequence(sequence, start)
	f.Add(sequence)
	f.Add(append(append([]byte(nil), message...), 1, 2, 3, 4))
	f.Add(message[:20])
	f.Fuzz(func(t *testing.T, message []byte) {
		document, err := body(message, 7)
		if err != nil {
			return
		}
		if len(document) < smallestBody || len(document) > len(message) {
			t.Errorf("a document of %d bytes in a message of %d", len(document), len(message))
		}
		_, _ = Parse(document)
	})
}
