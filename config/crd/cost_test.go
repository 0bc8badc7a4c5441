package crd_test

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// The API server's limits of its estimates, per rule and for all rules of a definition: StaticEstimatedCostLimit and
// StaticEstimatedCRDCostLimit of the validation of k8s.io/apiextensions-apiserver, a package that imports too much for
// two numbers.
const (
	ruleLimit = 10_000_000
	limit     = 100_000_000
)

// budgetShare is the part of the API server's budgets that our rules may take at most. What is left is room for fields
// to come, and for servers that estimate differently.
const budgetShare = 8

// rule is a CEL rule with what the API server estimates it to cost at most in one object.
type rule struct {
	path, text string
	cost       uint64
}

// TestCost has the API server's own estimates within an eighth of what it allows: per rule and per definition.
func TestCost(t *testing.T) {
	for _, v := range versions(t) {
		t.Run(v.name, func(t *testing.T) {
			structural, err := structuralschema.NewStructural(v.schema)
			if err != nil {
				t.Fatal(err)
			}
			rules := costs(t, "", structural, 1)
			slices.SortStableFunc(rules, func(a, b rule) int { return cmp.Compare(b.cost, a.cost) })
			total := uint64(0)
			for _, r := range rules {
				total += r.cost
				if r.cost > ruleLimit/budgetShare {
					t.Errorf("%s: costs %d, at most %d is wanted: %s", r.path, r.cost, ruleLimit/budgetShare, r.text)
				}
			}
			t.Logf("%d rules cost %d, %.1f%% of the budget; the most expensive:\n%s",
				len(rules), total, 100*float64(total)/limit, table(rules[:min(12, len(rules))]))
			if total > limit/budgetShare {
				t.Errorf("the rules cost %d, at most %d is wanted: the log has the most expensive; make them cheaper, or "+
					"limit the lists they are in", total, limit/budgetShare)
			}
		})
	}
}

func table(rules []rule) string {
	var text strings.Builder
	for _, r := range rules {
		fmt.Fprintf(&text, "%10d  %s: %s\n", r.cost, r.path, r.text)
	}
	return text.String()
}

// costs are the rules of a schema, and of all below it, of which an object holds as many as times.
func costs(t *testing.T, path string, schema *structuralschema.Structural, times uint64) []rule {
	t.Helper()
	rules := costsHere(t, path, schema, times)
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		property := schema.Properties[name]
		rules = append(rules, costs(t, path+"."+name, &property, times)...)
	}
	if schema.Items != nil {
		rules = append(rules, costs(t, path+"[]", schema.Items, product(times, maxItems(schema)))...)
	}
	if values := schema.AdditionalProperties; values != nil && values.Structural != nil {
		rules = append(rules, costs(t, path+"{}", values.Structural, product(times, maxProperties(schema)))...)
	}
	return rules
}

func costsHere(t *testing.T, path string, schema *structuralschema.Structural, times uint64) []rule {
	t.Helper()
	if len(schema.XValidations) == 0 {
		return nil
	}
	isRoot := path == "" || schema.XEmbeddedResource
	compiled, err := cel.Compile(schema, model.SchemaDeclType(schema, isRoot), celconfig.PerCallLimit,
		environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()), cel.NewExpressionsEnvLoader())
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	rules := make([]rule, 0, len(compiled))
	for i, result := range compiled {
		if result.Error != nil {
			t.Errorf("%s: %v", path, result.Error)
		}
		rules = append(rules, rule{
			path: strings.TrimPrefix(path, "."),
			text: schema.XValidations[i].Rule,
			cost: product(result.MaxCost+result.MessageExpressionMaxCost, times),
		})
	}
	return rules
}

func maxItems(schema *structuralschema.Structural) uint64 {
	if schema.ValueValidation == nil {
		return most(nil)
	}
	return most(schema.ValueValidation.MaxItems)
}

func maxProperties(schema *structuralschema.Structural) uint64 {
	if schema.ValueValidation == nil {
		return most(nil)
	}
	return most(schema.ValueValidation.MaxProperties)
}

// most is a limit, or the largest number where there is none.
func most(limit *int64) uint64 {
	if limit == nil {
		return math.MaxUint64
	}
	return uint64(*limit)
}

// product of two numbers, or the largest number there is.
func product(a, b uint64) uint64 {
	if b != 0 && a > math.MaxUint64/b {
		return math.MaxUint64
	}
	return a * b
}
