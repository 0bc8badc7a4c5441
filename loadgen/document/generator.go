package document

import (
	"errors"
	"fmt"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/records"
)

// idName is the name of the field that identifies a document.
const idName = "_id"

// maxDocumentBytes is the longest document that MongoDB takes.
const maxDocumentBytes = 16 << 20

// Generator makes the documents of one collection. It is read-only and serves any number of threads.
type Generator struct {
	name     string
	document *documentMaker
	fields   []maker
	indexes  map[string]int
	// read are the documents of a file, in place of those that fields make; nil where these do.
	read *fileDocuments
}

// Compile prepares the documents of a collection. Of files it has what was read of them; what was not is null.
func Compile(planSeed int64, c planv1.Collection, read ...*records.Table) (*Generator, error) {
	g := &Generator{name: c.Name, indexes: map[string]int{}}
	if c.DocumentsFrom != "" {
		var err error
		g.read, err = newFileDocuments(compiler{seed: planSeed, label: "collection\x00" + c.Name, tables: byName(read)}, c)
		return g, err
	}
	root, err := nest(c.Fields)
	if err != nil {
		return nil, fmt.Errorf("collection %q: %w", c.Name, err)
	}
	idFirst(root)
	g.document, err = compiler{seed: planSeed, label: "collection\x00" + c.Name, tables: byName(read)}.branch(root)
	if err != nil {
		return nil, fmt.Errorf("collection %q: %w", c.Name, err)
	}
	if most := g.document.most(); most > maxDocumentBytes {
		return nil, fmt.Errorf("collection %q: a document may get %d bytes long, and MongoDB takes no more than %d",
			c.Name, most, maxDocumentBytes)
	}
	g.document.fields[0].fixed = true
	g.index("", g.document)
	return g, nil
}

// index makes every field known by its name, nested ones by names with dots.
func (g *Generator) index(prefix string, document *documentMaker) {
	for i := range document.fields {
		f := &document.fields[i]
		g.indexes[prefix+f.name] = len(g.fields)
		g.fields = append(g.fields, f.maker)
		if nested, ok := f.maker.(*documentMaker); ok {
			g.index(prefix+f.name+".", nested)
		}
	}
}

// Name of the collection.
func (g *Generator) Name() string {
	return g.name
}

// Append appends the document with this record number to dst.
func (g *Generator) Append(dst []byte, record int64) []byte {
	if g.read != nil {
		return g.read.append(dst, record)
	}
	_, dst = g.document.make(dst, first(record))
	return dst
}

// AppendRevision appends another revision of the document with this record number: the same _id and the same values of
// type Sequence, other values everywhere else. Revision 0 is the document that Append makes. A document of a file has
// no other revision.
func (g *Generator) AppendRevision(dst []byte, record int64, revision uint64) []byte {
	if g.read != nil {
		return g.read.append(dst, record)
	}
	at := first(record)
	at.variant = revision
	// A Sequential distribution goes on by one value a revision.
	at.ordinal += int64(revision)
	_, dst = g.document.make(dst, at)
	return dst
}

// AppendValue appends the value of one field of the document with this record number, and returns its BSON type too.
// The field is an index that FieldIndex has given. One that the document is without is null, which matches it in a
// filter.
func (g *Generator) AppendValue(dst []byte, field int, record int64) (byte, []byte) {
	if g.read != nil {
		return g.read.appendValue(dst, field, record)
	}
	bsonType, dst := g.fields[field].make(dst, first(record))
	if bsonType == absent {
		bsonType = byte(bson.TypeNull)
	}
	return bsonType, dst
}

// FieldIndex finds a field by its name, a nested one by a name with dots. There is always a field _id.
func (g *Generator) FieldIndex(name string) (int, bool) {
	if g.read != nil {
		return g.read.table.FieldIndex(name)
	}
	index, ok := g.indexes[name]
	return index, ok
}

// branch is a name in the layout of a document: a field, or a document that names with dots have made.
type branch struct {
	name     string
	leaf     *planv1.Field
	children []*branch
}

// nest sorts fields into the documents that the dots in their names make, each where its first field stands.
func nest(fields []planv1.Field) (*branch, error) {
	root := &branch{}
	for i := range fields {
		if err := root.insert(&fields[i]); err != nil {
			return nil, fmt.Errorf("field %q: %w", fields[i].Name, err)
		}
	}
	return root, nil
}

func (b *branch) insert(leaf *planv1.Field) error {
	rest, more := leaf.Name, true
	for more {
		var name string
		name, rest, more = strings.Cut(rest, ".")
		if name == "" || strings.ContainsRune(name, 0) {
			return errors.New("a part of the name is empty or holds a zero byte")
		}
		child := b.child(name)
		switch {
		case child == nil:
			child = &branch{name: name}
			b.children = append(b.children, child)
		case !more || child.leaf != nil:
			return fmt.Errorf("%q is declared twice", name)
		}
		b = child
	}
	b.leaf = leaf
	return nil
}

func (b *branch) child(name string) *branch {
	for _, child := range b.children {
		if child.name == name {
			return child
		}
	}
	return nil
}

// idFirst puts the field _id first, where the servers keep it, and adds it as an ObjectID when it is missing.
func idFirst(root *branch) {
	for i, child := range root.children {
		if child.name == idName {
			copy(root.children[1:i+1], root.children[:i])
			root.children[0] = child
			return
		}
	}
	leaf := &planv1.Field{Name: idName, Value: planv1.Value{Type: benchv1alpha1.GeneratorObjectID}}
	root.children = append([]*branch{{name: idName, leaf: leaf}}, root.children...)
}
