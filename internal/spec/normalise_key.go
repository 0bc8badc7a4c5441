package spec

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/document"
	"github.com/mongobench/mongobench-operator/internal/operation"
)

// expandKeys declares a parameter of type Key for each field that a {$key: field} of an operation stands for, and
// writes {$param: name} in its place. All of them are fields of one record.
//
//	filter: {_id: {$key: _id}}    filter: {_id: {$param: id}}
//	                           →  parameters: [{name: id, type: Key, key: {field: _id}}]
//
// A {$key: field} whose parameter's name is taken by another stays, and so does a record that nothing is of: validation
// refuses them.
func expandKeys(declared *benchv1alpha1.Operation) {
	replaceKeyed(declared)
	documents := operationDocuments(declared)
	fields := make([]string, 0, len(documents))
	for _, written := range documents {
		fields = append(fields, keyFields(*written)...)
	}
	if len(fields) == 0 {
		return
	}
	keys := keys{operation: declared}
	keys.root = keys.declaredRoot(fields)
	names := map[string]string{}
	for _, name := range fields {
		if _, known := names[name]; known {
			continue
		}
		if parameter, ok := keys.parameter(name); ok {
			names[name] = parameter
		}
	}
	for _, written := range documents {
		*written = withParameters(*written, names)
	}
}

// replaceKeyed has a ReplaceOne without a filter and a parameter of type Key replace the record that is drawn.
func replaceKeyed(declared *benchv1alpha1.Operation) {
	if slices.ContainsFunc(declared.Parameters, isKey) {
		return
	}
	for _, request := range requests(declared) {
		if operation.Of(request.Kind).Takes(operation.ReplaceKey) && request.Filter == "" && request.ReplaceKey == "" {
			request.Filter = `{"_id":{"$key":"_id"}}`
		}
	}
}

func isKey(parameter benchv1alpha1.Parameter) bool {
	return parameter.Type == benchv1alpha1.ParameterKey
}

// requests are an operation's own and those of its parts.
func requests(declared *benchv1alpha1.Operation) []*benchv1alpha1.Request {
	all := make([]*benchv1alpha1.Request, 0, 1+len(declared.Operations))
	all = append(all, &declared.Request)
	for i := range declared.Operations {
		all = append(all, &declared.Operations[i])
	}
	return all
}

// operationDocuments are all documents of an operation, in the order of the API.
func operationDocuments(declared *benchv1alpha1.Operation) []*benchv1alpha1.Document {
	all := []*benchv1alpha1.Document{}
	for _, request := range requests(declared) {
		all = append(all, &request.Filter, &request.Projection, &request.Update, &request.Pipeline,
			&request.ArrayFilters, &request.Let)
	}
	if declared.Recall != nil {
		all = append(all, &declared.Recall.Exact)
	}
	return append(all, &declared.Command)
}

// keyFields are the fields that the {$key: field} of a document stand for. One that cannot be read has none.
func keyFields(written benchv1alpha1.Document) []string {
	if !strings.Contains(string(written), document.KeyField) {
		return nil
	}
	value, err := document.Read(written)
	if err != nil {
		return nil
	}
	var fields []string
	value.Replaced(func(v document.Value) (document.Value, bool) {
		name, found, _ := v.Placeholder(document.KeyField)
		if found && name != "" {
			fields = append(fields, name)
		}
		return v, false
	})
	return fields
}

// withParameters is a document with parameters in place of the fields that have one.
func withParameters(written benchv1alpha1.Document, names map[string]string) benchv1alpha1.Document {
	if len(keyFields(written)) == 0 {
		return written
	}
	value, _ := document.Read(written) // keyFields has read it.
	return value.Replaced(func(v document.Value) (document.Value, bool) {
		name, _, _ := v.Placeholder(document.KeyField)
		parameter, ok := names[name]
		return document.Object(document.Member{Key: document.KeyParameter, Value: document.String(parameter)}), ok
	}).Document()
}

// keys are the parameters that stand for the {$key: field} of an operation.
type keys struct {
	operation *benchv1alpha1.Operation
	// root draws the record; the others take their fields of the same. Empty before there is one.
	root string
}

// KeyParameterName is the name of the parameter that {$key: field} stands for: the field's, without what a name cannot
// have.
func KeyParameterName(field string) string {
	name := strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, strings.TrimLeft(field, "_"))
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "_" + name
	}
	return name
}

// declaredRoot is the parameter that draws the record, where one of the fields has a declared parameter.
func (k keys) declaredRoot(fields []string) string {
	for _, name := range fields {
		if declared := k.declared(name); declared != nil && isKeyOf(declared, name) {
			return recordOf(declared)
		}
	}
	return ""
}

func (k keys) declared(field string) *benchv1alpha1.Parameter {
	name := KeyParameterName(field)
	at := slices.IndexFunc(k.operation.Parameters, func(p benchv1alpha1.Parameter) bool { return p.Name == name })
	if at < 0 {
		return nil
	}
	return &k.operation.Parameters[at]
}

func isKeyOf(declared *benchv1alpha1.Parameter, field string) bool {
	normal := declared.DeepCopy()
	parameter(normal)
	return isKey(*normal) && *normal.Key.Field == field
}

// recordOf is the parameter that draws the record of another, which may be that one.
func recordOf(parameter *benchv1alpha1.Parameter) string {
	return cmp.Or(ptr.Deref(parameter.SameRecordAs, ""), parameter.Name)
}

// parameter is the name of the parameter for a field, which is declared where it is not yet.
func (k *keys) parameter(name string) (string, bool) {
	if declared := k.declared(name); declared != nil {
		return declared.Name, isKeyOf(declared, name) && recordOf(declared) == k.root
	}
	made := benchv1alpha1.Parameter{
		Name: KeyParameterName(name), Type: benchv1alpha1.ParameterKey, Key: &benchv1alpha1.KeySettings{Field: &name},
	}
	if k.root != "" {
		made.SameRecordAs = new(k.root)
	} else {
		k.root = made.Name
		if record := k.operation.Record; record != nil {
			made.Distribution, made.Key.RangePercent = record.Distribution, record.RangePercent
			k.operation.Record = nil
		}
	}
	k.operation.Parameters = append(k.operation.Parameters, made)
	return made.Name, true
}
