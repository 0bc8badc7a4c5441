package schema

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/config/crd"
)

// definition is what one kind is checked with.
type definition struct {
	kind       string
	structural *structuralschema.Structural
	schema     validation.SchemaValidator
	rules      *cel.Validator
}

// definitions are those of all kinds, by their names. Each is read when the first object of its kind is checked, for
// its rules take some tenths of a second to compile.
var definitions = unread()

func unread() map[string]func() (definition, error) {
	all := map[string]func() (definition, error){}
	for _, name := range crd.Names() {
		all[name] = sync.OnceValues(func() (definition, error) {
			known, err := read(name)
			if err != nil {
				err = fmt.Errorf("reading the definition %s: %w", name, err)
			}
			return known, err
		})
	}
	return all
}

// Forget gives back the memory that checks have taken, some 20 MB: for a program that goes on to measure something. It
// must not be called while an object is checked; the next check reads its definition again.
func Forget() {
	definitions = unread()
	debug.FreeOSMemory()
}

func read(name string) (definition, error) {
	var declared apiextensionsv1.CustomResourceDefinition
	content, _ := crd.Read(name)
	if err := yaml.Unmarshal(content, &declared); err != nil {
		return definition{}, err
	}
	var properties apiextensions.JSONSchemaProps
	err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(
		declared.Spec.Versions[0].Schema.OpenAPIV3Schema, &properties, nil)
	if err != nil {
		return definition{}, err
	}
	structural, err := structuralschema.NewStructural(&properties)
	if err != nil {
		return definition{}, err
	}
	schema, _, err := validation.NewSchemaValidator(&properties)
	rules := cel.NewValidator(structural, true, celconfig.PerCallLimit)
	return definition{declared.Spec.Names.Kind, structural, schema, rules}, err
}

// Validate finds what is wrong with an object as it was read from a file, with whole numbers as int64. That the object
// is not one of mongobench's kinds is an error of its apiVersion or kind.
func Validate(object map[string]any) (field.ErrorList, error) {
	if version, want := object["apiVersion"], benchv1alpha1.GroupVersion.String(); version != want {
		return field.ErrorList{field.NotSupported(field.NewPath("apiVersion"), version, []string{want})}, nil
	}
	kind, _ := object["kind"].(string)
	none := field.ErrorList{field.Invalid(field.NewPath("kind"), kind, "is no kind of mongobench")}
	read, found := definitions[strings.ToLower(kind)+"s."+benchv1alpha1.GroupVersion.Group]
	if !found {
		return none, nil
	}
	known, err := read()
	if err != nil || known.kind != kind {
		return none, err
	}
	return known.validate(named(object)), nil
}

// Check is Validate with one error for all that is wrong.
func Check(object map[string]any) error {
	problems, err := Validate(object)
	if err != nil {
		return err
	}
	return problems.ToAggregate()
}

// named is the object with a name: rules ask for it, and a file may leave it out, or have generateName.
func named(object map[string]any) map[string]any {
	copied := unstructured.Unstructured{Object: runtime.DeepCopyJSON(object)}
	if copied.GetName() == "" {
		copied.SetName("unnamed")
	}
	return copied.Object
}

// validate goes on to the rules once the rest is as it should be, as the API server does.
func (d definition) validate(object map[string]any) field.ErrorList {
	errs := append(d.unknown(object), name(object)...)
	errs = append(errs, validation.ValidateCustomResource(nil, object, d.schema)...)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, d.structural, object)...)
	// The schema's errors come in the random order of a map.
	slices.SortStableFunc(errs, func(a, b *field.Error) int { return strings.Compare(a.Field, b.Field) })
	if len(errs) > 0 {
		return errs
	}
	errs, _ = d.rules.Validate(context.Background(), nil, d.structural, object, nil, celconfig.RuntimeCELCostBudget)
	return errs
}

// name is what the API server says of any object's name. The rules of a name build on it.
func name(object map[string]any) field.ErrorList {
	declared := (&unstructured.Unstructured{Object: object}).GetName()
	problems := apivalidation.NameIsDNSSubdomain(declared, false)
	errs := make(field.ErrorList, 0, len(problems))
	for _, problem := range problems {
		errs = append(errs, field.Invalid(field.NewPath("metadata", "name"), declared, problem))
	}
	return errs
}

// unknown are the fields that the API server would drop.
func (d definition) unknown(object map[string]any) field.ErrorList {
	paths := pruning.PruneWithOptions(runtime.DeepCopyJSON(object), d.structural, true,
		structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	errs := make(field.ErrorList, 0, len(paths))
	for _, path := range paths {
		errs = append(errs, field.Forbidden(field.NewPath(path), "is not known"))
	}
	return errs
}
