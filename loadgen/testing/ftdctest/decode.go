package ftdctest

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// Document is a document of a file.
type Document struct {
	ID   bson.DateTime `bson:"_id"`
	Type int32         `bson:"type"`
	Doc  bson.Raw      `bson:"doc"`
	Data []byte        `bson:"data"`
}

// Documents reads a file.
func Documents(t *testing.T, file []byte) (documents []Document) {
	t.Helper()
	for len(file) > 0 {
		length := binary.LittleEndian.Uint32(file)
		var one Document
		if err := bson.Unmarshal(file[:length], &one); err != nil {
			t.Fatal(err)
		}
		documents, file = append(documents, one), file[length:]
	}
	return documents
}

// Decode reads a chunk by the description of the format: the first sample, and the metrics of all.
func Decode(t *testing.T, data []byte) (reference bson.Raw, samples [][]int64) {
	t.Helper()
	plain := unzipped(t, data)
	reference = bson.Raw(plain[:binary.LittleEndian.Uint32(plain)])
	rest := plain[len(reference):]
	metrics, deltas := int(binary.LittleEndian.Uint32(rest)), int(binary.LittleEndian.Uint32(rest[4:]))
	first := Numbers(t, reference)
	if len(first) != metrics {
		t.Fatalf("%d metrics in the first sample of %d", len(first), metrics)
	}
	samples = append(samples, first)
	for range deltas {
		samples = append(samples, make([]int64, metrics))
	}
	read := bytes.NewReader(rest[8:])
	next := func() uint64 {
		number, err := binary.ReadUvarint(read)
		if err != nil {
			t.Fatal(err)
		}
		return number
	}
	zeros := uint64(0)
	grown := func() uint64 {
		if zeros > 0 {
			zeros--
			return 0
		}
		delta := next()
		if delta == 0 {
			zeros = next()
		}
		return delta
	}
	for metric := range metrics {
		for sample := 1; sample <= deltas; sample++ {
			samples[sample][metric] = int64(uint64(samples[sample-1][metric]) + grown())
		}
	}
	if read.Len() > 0 || zeros > 0 {
		t.Errorf("%d bytes and %d zeros are left", read.Len(), zeros)
	}
	return reference, samples
}

// unzipped is what a chunk holds.
func unzipped(t *testing.T, data []byte) []byte {
	t.Helper()
	reader, err := zlib.NewReader(bytes.NewReader(data[4:]))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(reader)
	if err != nil || len(plain) != int(binary.LittleEndian.Uint32(data)) {
		t.Fatalf("%d bytes (%v), want %d", len(plain), err, binary.LittleEndian.Uint32(data))
	}
	return plain
}

// Numbers are the metrics of a sample.
func Numbers(t *testing.T, sample bson.Raw) (found []int64) {
	t.Helper()
	values, err := sample.Values()
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range values {
		switch value.Type {
		case bson.TypeEmbeddedDocument, bson.TypeArray:
			found = append(found, Numbers(t, bson.Raw(value.Value))...)
		case bson.TypeTimestamp:
			seconds, ordinal := value.Timestamp()
			found = append(found, int64(seconds), int64(ordinal))
		case bson.TypeDateTime:
			found = append(found, value.DateTime())
		case bson.TypeBoolean:
			number := int64(0)
			if value.Boolean() {
				number = 1
			}
			found = append(found, number)
		case bson.TypeDouble:
			found = append(found, int64(value.Double()))
		case bson.TypeInt32:
			found = append(found, int64(value.Int32()))
		case bson.TypeInt64:
			found = append(found, value.Int64())
		default:
			// It is no metric.
		}
	}
	return found
}
