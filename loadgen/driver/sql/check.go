package sql

import (
	"errors"
	"fmt"
	"slices"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product/portable"
	"github.com/mongobench/mongobench-operator/loadgen"
)

// errRetry refuses what would be a second write.
var errRetry = errors.New("a statement that was lost on its way cannot be told from one that was done; leave out the " +
	"step's retry")

// Check says whether a plan can be followed on this server, before anything in it is touched.
func (t *Target) Check(plan planv1.Plan) error {
	if err := checkClient(plan.Client); err != nil {
		return err
	}
	return t.CheckPlan(plan)
}

// CheckPlan is Check for whatever client.
func (t *Target) CheckPlan(plan planv1.Plan) error {
	for _, collection := range plan.Collections {
		if _, err := columnsOf(collection); err != nil {
			return err
		}
		if err := (tables{t}).checkIndexes(collection); err != nil {
			return err
		}
	}
	for _, step := range plan.Steps {
		if err := checkStep(plan, step); err != nil {
			return fmt.Errorf("step %q: %w", step.Name, err)
		}
	}
	return nil
}

// checkIndexes says whether the engine has indexes of the kinds that a collection has.
func (t tables) checkIndexes(collection planv1.Collection) error {
	if t.settings.engine() != engineMyRocks {
		return nil
	}
	for _, index := range collection.Indexes {
		if slices.ContainsFunc(index.Keys, func(key planv1.IndexKey) bool { return key.Order == "-1" }) {
			return fmt.Errorf("collection %q: index %q: MyRocks has no descending indexes, and reads ascending ones backwards; "+
				"make its keys Ascending", collection.Name, index.ServerName())
		}
	}
	return nil
}

func checkStep(plan planv1.Plan, step planv1.Step) error {
	if step.Retry {
		return errRetry
	}
	use := loadgen.Use{Collections: plan.Collections}
	for _, operation := range step.Operations {
		collection, err := use.Collection(operation.Collection)
		if err != nil {
			return fmt.Errorf("operation %q: %w", operation.Name, err)
		}
		if _, refusal := portable.Bind(collection, operation); refusal != nil {
			return fmt.Errorf("operation %q: %s", operation.Name, refusal)
		}
	}
	return nil
}

// checkClient says whether a client sends SQL.
func checkClient(client planv1.Client) error {
	switch client {
	case "", planv1.ClientAuto, planv1.ClientPrepared, planv1.ClientText:
		return nil
	default:
		return fmt.Errorf("the client %s does not send SQL; set it to Auto, Prepared or Text", client)
	}
}
