package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
)

// usePlan adds to what a server said of itself what the plan makes of it.
func usePlan(plan planv1.Plan, server *reportv1.Server) error {
	isLSM := func(c planv1.Collection) bool { return c.Type == planv1.TypeLSM }
	if slices.ContainsFunc(plan.Collections, isLSM) {
		// The engine is the same, and nothing that it does is.
		server.StorageEngine += " LSM"
	}
	return useDurability(plan, server)
}

// useDurability replaces, in what a server said, the durability of a write that asks for nothing by that of the writes
// of the plan. A plan whose target is declared with another one is refused: its figures would stand beside the wrong
// word.
func useDurability(plan planv1.Plan, server *reportv1.Server) error {
	loads, writes := concerns(plan)
	for _, concern := range slices.Concat(loads, writes) {
		if err := declared(plan, concern, *server); err != nil {
			return err
		}
	}
	measured := make([]string, 0, len(writes))
	for _, concern := range writes {
		if known := durability(concern, *server); known != "" {
			measured = append(measured, known)
		}
	}
	if len(measured) > 0 {
		slices.Sort(measured)
		server.Durability = strings.Join(slices.Compact(measured), ", ")
	}
	return nil
}

// concerns are those of the loads of a plan, and of the writes that are measured; nil for one that has none.
func concerns(plan planv1.Plan) (loads, writes []*planv1.WriteConcern) {
	for _, step := range plan.Steps {
		if step.Kind == planv1.StepLoad {
			loads = append(loads, step.WriteConcern)
		}
		for _, declared := range step.Operations {
			if operation.Of(declared.Kind).Takes(operation.WriteConcern) {
				writes = append(writes, declared.WriteConcern)
			}
		}
	}
	return loads, writes
}

// durability is that of a write with this concern, or of one that has none.
func durability(concern *planv1.WriteConcern, server reportv1.Server) string {
	if concern == nil {
		return server.Durability
	}
	return loadgen.ConcernDurability(*concern, server)
}

// declared refuses a write that is to be as durable as the plan declares, and is not. An operation that has a concern
// of its own is what it is.
func declared(plan planv1.Plan, concern *planv1.WriteConcern, server reportv1.Server) error {
	asked := planv1.ConcernOf(plan.Durability)
	if plan.Durability == "" || concern != nil && (asked == nil || *concern != *asked) {
		return nil
	}
	if got := durability(concern, server); got != plan.Durability {
		return fmt.Errorf("the target is declared with durability %s, and the server's is %s; declare that one, or change "+
			"the server's settings", plan.Durability, cmp.Or(got, "not known"))
	}
	return nil
}
