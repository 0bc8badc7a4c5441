package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// apiFolder holds the types that users write; its conventions are those of Kubernetes' own API, as far as they can be
// read off the source without its types.
const apiFolder = "api/v1alpha1"

// apiField is one field of an API struct, with what the rules look at.
type apiField struct {
	place   string
	name    string // As in YAML.
	tag     []string
	comment string
	markers []string
	kind    string // The type as written.
}

// apiRule returns what is wrong with a field, "" when nothing is.
type apiRule func(apiField) string

var apiRules = []apiRule{
	ruleName, ruleComment, rulePresence, ruleDefault, ruleOmitted,
	ruleKind, ruleList, ruleMap, ruleConditions, ruleMarkers,
}

// checkAPI applies the conventions to every field of the API's structs.
func checkAPI(tree fs.FS, files []string) ([]finding, error) {
	var findings []finding
	for _, file := range goFiles(files) {
		if path.Dir(file) != apiFolder || strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := fs.ReadFile(tree, file)
		if err != nil {
			return nil, fmt.Errorf("reading the API: %w", err)
		}
		fields, err := apiFields(file, source)
		if err != nil {
			return nil, err
		}
		for _, field := range fields {
			findings = append(findings, judge(field)...)
		}
	}
	return findings, nil
}

func judge(field apiField) []finding {
	var findings []finding
	for _, rule := range apiRules {
		if wrong := rule(field); wrong != "" {
			findings = append(findings, finding{field.place, field.name + ": " + wrong})
		}
	}
	return findings
}

// apiFields reads the named fields of every exported struct but lists, whose form Kubernetes prescribes.
func apiFields(file string, source []byte) ([]apiField, error) {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, source, parser.ParseComments)
	if err != nil {
		return nil, fmt.Errorf("reading the API: %w", err)
	}
	var fields []apiField
	ast.Inspect(parsed, func(node ast.Node) bool {
		spec, ok := node.(*ast.TypeSpec)
		if !ok || !spec.Name.IsExported() || strings.HasSuffix(spec.Name.Name, "List") {
			return true
		}
		if body, ok := spec.Type.(*ast.StructType); ok {
			for _, field := range body.Fields.List {
				if len(field.Names) > 0 {
					place := fmt.Sprintf("%s:%d", file, set.Position(field.Pos()).Line)
					fields = append(fields, describe(field, place, source, set))
				}
			}
		}
		return true
	})
	return fields, nil
}

func describe(field *ast.Field, place string, source []byte, set *token.FileSet) apiField {
	described := apiField{
		place: place,
		name:  field.Names[0].Name,
		kind:  string(source[set.Position(field.Type.Pos()).Offset:set.Position(field.Type.End()).Offset]),
	}
	if field.Tag != nil {
		// The parser has accepted the literal, so that it can be unquoted.
		literal, _ := strconv.Unquote(field.Tag.Value)
		described.tag = strings.Split(reflect.StructTag(literal).Get("json"), ",")
		described.name = described.tag[0]
	}
	if field.Doc == nil {
		return described
	}
	var prose []string
	for _, line := range field.Doc.List {
		text := strings.TrimSpace(strings.TrimPrefix(line.Text, "//"))
		if marker, ok := strings.CutPrefix(text, "+"); ok {
			described.markers = append(described.markers, marker)
		} else {
			prose = append(prose, text)
		}
	}
	described.comment = strings.TrimSpace(strings.Join(prose, " "))
	return described
}

func (f apiField) has(marker string) bool { return slices.Contains(f.markers, marker) }

// value returns the marker that begins so, "" when there is none.
func (f apiField) value(prefix string) string {
	for _, marker := range f.markers {
		if rest, ok := strings.CutPrefix(marker, prefix); ok {
			return rest
		}
	}
	return ""
}

func ruleName(f apiField) string {
	lower := strings.ToLower(f.name)
	switch {
	case len(f.tag) == 0 || f.name == "":
		return "needs a json tag with a name"
	case f.name[0] < 'a' || f.name[0] > 'z' || strings.ContainsAny(f.name, "_-"):
		return "the json name is lowerCamelCase"
	case strings.Contains(lower, "phase"):
		return "a phase cannot be extended; say it with conditions"
	case strings.Contains(lower, "timestamp"):
		return "a point in time is called ...Time"
	case !strings.HasSuffix(lower, "preference") &&
		(strings.HasSuffix(lower, "reference") || strings.HasSuffix(lower, "references")):
		return "a reference is called ...Ref or ...Refs"
	}
	return ""
}

func ruleComment(f apiField) string {
	first, _, _ := strings.Cut(f.comment, " ")
	if strings.TrimRight(first, ":,.") != f.name {
		return "the comment opens with the name as in YAML, because users read it in kubectl explain"
	}
	return ""
}

func rulePresence(f apiField) string {
	if f.has("optional") == f.has("required") {
		return "needs exactly one of +optional and +required"
	}
	return ""
}

func ruleDefault(f apiField) string {
	if f.has("required") && f.value("kubebuilder:default") != "" {
		return "a required field cannot have a default"
	}
	return ""
}

func ruleOmitted(f apiField) string {
	if !slices.Contains(f.tag, "omitempty") && !slices.Contains(f.tag, "omitzero") {
		return "needs omitempty or omitzero, else a Go client sends a zero that the user never wrote"
	}
	return ""
}

func ruleKind(f apiField) string {
	kind := strings.TrimLeft(f.kind, "*[]")
	switch {
	case kind == "float32" || kind == "float64":
		return "no floating point: use an integer with the unit in the name"
	case kind == "int" || kind == "int8" || kind == "int16" || strings.HasPrefix(kind, "uint"):
		return "integers are int32 or int64; bound them with Minimum and Maximum"
	case strings.HasSuffix(kind, ".Duration"):
		return "no duration type: use an integer with the unit in the name"
	}
	return ""
}

func ruleList(f apiField) string {
	if !strings.HasPrefix(strings.TrimPrefix(f.kind, "*"), "[]") {
		return ""
	}
	switch f.value("listType=") {
	case "":
		return "a list needs +listType, else server-side apply replaces it as a whole"
	case "map":
		if f.value("listMapKey=") == "" {
			return "a list of type map needs +listMapKey"
		}
	}
	if f.value("kubebuilder:validation:MaxItems=") == "" {
		return "a list needs MaxItems, else the cost of its CEL rules is unbounded"
	}
	return ""
}

func ruleMap(f apiField) string {
	if strings.HasPrefix(f.kind, "map[") && f.kind != "map[string]string" {
		return "use a list of objects with +listType=map in place of a map"
	}
	return ""
}

func ruleConditions(f apiField) string {
	if f.name != "conditions" {
		return ""
	}
	if f.kind != "[]metav1.Condition" || !f.has("listType=map") || !f.has("listMapKey=type") {
		return "conditions are []metav1.Condition with +listType=map and +listMapKey=type"
	}
	return ""
}

func ruleMarkers(f apiField) string {
	for i, marker := range f.markers {
		if slices.Contains(f.markers[:i], marker) {
			return "+" + marker + " stands there twice"
		}
	}
	return ""
}
