package driversession

import (
	"errors"
	"fmt"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
)

// refuse says why a step cannot be done by prepared commands; nil if it can.
func refuse(step planv1.Step) error {
	switch step.Session {
	case benchv1alpha1.SessionCausal:
		return errors.New("prepared commands have no causally consistent session; set the client to Application")
	case benchv1alpha1.SessionSnapshot:
		return errors.New("prepared commands read from no snapshots; set the client to Application or Wire")
	case benchv1alpha1.SessionNone:
	}
	for i := range step.Operations {
		if operation.ToSeveral(&step.Operations[i]) {
			return fmt.Errorf("operation %q: prepared commands write to one collection each; set the client to Application",
				step.Operations[i].Name)
		}
	}
	return nil
}
