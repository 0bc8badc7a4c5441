package document

import (
	"errors"
	"fmt"
	"strings"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
)

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
	leaf := &planv1.Field{Name: idName, Value: planv1.Value{Type: planv1.TypeObjectID}}
	root.children = append([]*branch{{name: idName, leaf: leaf}}, root.children...)
}
