package document

import (
	"encoding/binary"
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/records"
)

// Tables are what was read of files, by their names.
type Tables map[string]*records.Table

func byName(read []*records.Table) Tables {
	tables := make(Tables, len(read))
	for _, table := range read {
		tables[table.Name()] = table
	}
	return tables
}

// of is what was read of a file: nothing where it was not read yet.
func (t Tables) of(file string, fields ...string) *records.Table {
	if table, read := t[file]; read {
		return table
	}
	return records.NewTable(file, fields)
}

// fromFileMaker takes the values of a field of a file's documents.
type fromFileMaker struct {
	source source
	table  *records.Table
	column int
}

func (c compiler) fromFile(v planv1.Value) (maker, error) {
	if v.FromFile == nil {
		return nil, errors.New("a FromFile needs a file")
	}
	table := c.tables.of(v.FromFile.File, v.FromFile.Field)
	column, ok := table.FieldIndex(v.FromFile.Field)
	if !ok {
		return nil, fmt.Errorf("field %q of file %q was not read", v.FromFile.Field, v.FromFile.File)
	}
	src, err := c.source(v, uint64(max(table.Documents(), 1)))
	return &fromFileMaker{source: src, table: table, column: column}, err
}

func (m *fromFileMaker) make(dst []byte, at place) (byte, []byte) {
	return m.table.AppendValue(dst, m.column, int64(m.source.draw(at)))
}

func (m *fromFileMaker) most() int64 { return m.table.Longest(m.column) }

// fileDocuments are the documents of a file: as they are, but for _id, which comes first, in the first round. A record
// of a later one has an ObjectID of its own, as has what operations insert.
type fileDocuments struct {
	table     *records.Table
	whole, id int
	ids       maker
	// rows are the documents of the file, at least one.
	rows int64
}

func newFileDocuments(c compiler, of planv1.Collection) (*fileDocuments, error) {
	table := c.tables.of(of.DocumentsFrom, records.Whole, idName)
	f := &fileDocuments{table: table, rows: max(table.Documents(), 1)}
	var found, identified bool
	f.whole, found = table.FieldIndex(records.Whole)
	f.id, identified = table.FieldIndex(idName)
	if !found || !identified {
		return nil, fmt.Errorf("collection %q: the documents of file %q were not read", of.Name, of.DocumentsFrom)
	}
	var err error
	f.ids, err = c.objectID(planv1.Value{})
	return f, err
}

// idOf appends the _id of a record.
func (f *fileDocuments) idOf(dst []byte, record int64) (byte, []byte) {
	if record < f.rows {
		if kind, value := f.table.AppendValue(dst, f.id, record); bson.Type(kind) != bson.TypeNull {
			return kind, value
		}
	}
	return f.ids.make(dst, first(record))
}

func (f *fileDocuments) append(dst []byte, record int64) []byte {
	start := len(dst)
	dst = append(append(append(dst, 0, 0, 0, 0, 0), idName...), 0)
	kind, dst := f.idOf(dst, record)
	dst[start+4] = kind
	rest := f.table.Value(f.whole, record%f.rows)
	for rest = rest[min(len(rest), 4):]; len(rest) > 1; {
		element, after, ok := bsoncore.ReadElement(rest)
		if !ok {
			break // What is not BSON was refused when it was read.
		}
		if string(element.KeyBytes()) != idName {
			dst = append(dst, element...)
		}
		rest = after
	}
	dst = append(dst, 0)
	binary.LittleEndian.PutUint32(dst[start:], uint32(len(dst)-start))
	return dst
}

// appendValue appends the value of a column, as documents of the collection have it.
func (f *fileDocuments) appendValue(dst []byte, column int, record int64) (byte, []byte) {
	if column == f.id {
		return f.idOf(dst, record)
	}
	return f.table.AppendValue(dst, column, record%f.rows)
}
