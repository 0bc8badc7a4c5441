package gitops

import (
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/ext"
)

// checks are the health expressions of a kind in a Kustomization of Flux.
type checks struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	InProgress string `json:"inProgress"`
	Failed     string `json:"failed"`
	Current    string `json:"current"`
}

// fluxChecks are those of the example, by their kind.
func fluxChecks(t *testing.T) map[string]checks {
	t.Helper()
	type kustomization struct {
		Kind string `json:"kind"`
		Spec struct {
			HealthCheckExprs []checks `json:"healthCheckExprs"`
		} `json:"spec"`
	}
	found := map[string]checks{}
	for _, document := range documents[kustomization](t, gitops+"/flux/benchmarks.yaml") {
		for _, check := range document.Spec.HealthCheckExprs {
			if check.APIVersion != "mongobench.dev/v1alpha1" || check.Current == "" {
				t.Errorf("a check of %s %s has the current expression %q", check.APIVersion, check.Kind, check.Current)
			}
			found[check.Kind] = check
		}
	}
	return found
}

func TestFluxHealth(t *testing.T) {
	all := fluxChecks(t)
	eachState(t, func(t *testing.T, k kind, s state) {
		t.Helper()
		if got := evaluate(t, all[k.name], s.object(t, k)); got != s.Flux {
			t.Errorf("status is %s, want %s", got, s.Flux)
		}
	})
}

// evaluate asks the expressions in the order of Flux: the first that is true is the status, and where none is, the
// object is in progress. An expression that cannot be evaluated leaves the status unknown, and Flux asks again.
func evaluate(t *testing.T, c checks, object map[string]any) string {
	t.Helper()
	for _, one := range []struct{ status, expression string }{
		{"InProgress", c.InProgress}, {"Failed", c.Failed}, {"Current", c.Current},
	} {
		if one.expression == "" {
			continue
		}
		value, _, err := program(t, one.expression).Eval(object)
		if err != nil {
			if !strings.Contains(err.Error(), "no such attribute(s): status") {
				t.Errorf("%s: %v", one.status, err)
			}
			return "Unknown"
		}
		if value == types.True {
			return one.status
		}
		if value != types.False {
			t.Errorf("%s is %v", one.status, value)
		}
	}
	return "InProgress"
}

// program parses an expression in the environment that Flux has, which declares no variables.
func program(t *testing.T, expression string) cel.Program {
	t.Helper()
	environment, err := cel.NewEnv(cel.HomogeneousAggregateLiterals(), cel.DefaultUTCTimeZone(true),
		cel.CrossTypeNumericComparisons(true), cel.OptionalTypes(), ext.Strings(), ext.Sets(), ext.Encoders())
	if err != nil {
		t.Fatal(err)
	}
	parsed, issues := environment.Parse(expression)
	if issues.Err() != nil {
		t.Fatal(issues.Err())
	}
	made, err := environment.Program(parsed, cel.EvalOptions(cel.OptOptimize))
	if err != nil {
		t.Fatal(err)
	}
	return made
}
