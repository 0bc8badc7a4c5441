package mongo

import (
	"context"
	"errors"
	"fmt"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
)

// Session opens a handle and makes sure that the server answers it. It sends by the wire client or by the driver, as
// the plan says: Auto takes the wire client unless the step, or the connection string, needs what only the driver
// knows.
func (t *Target) Session(ctx context.Context, use loadgen.Use) (loadgen.Session, error) {
	if use.Client != planv1.ClientDriver {
		needs := t.needsDriver(use.Step)
		if needs == nil {
			return t.wireSession(ctx, use)
		}
		if use.Client == planv1.ClientWire {
			return nil, fmt.Errorf("the wire client cannot be used: %w; set the client to Auto or Driver", needs)
		}
	}
	if err := t.client.Ping(ctx, t.terms.preference); err != nil {
		if errors.Is(err, context.Canceled) {
			return nil, err
		}
		return nil, fmt.Errorf("asking the server for an answer: %w", withoutSecrets(err))
	}
	return t.driverSession(ctx, use)
}
