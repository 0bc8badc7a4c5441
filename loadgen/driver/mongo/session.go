package mongo

import (
	"context"
	"errors"
	"fmt"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
)

// Session opens a handle and makes sure that the server answers it. It sends by the wire client or by the driver, as
// the plan says: Auto takes the wire client unless the step, or the connection string, needs what only the driver
// knows.
func (t *Target) Session(ctx context.Context, use loadgen.Use) (loadgen.Session, error) {
	if use.Client != planv1.ClientDriver {
		needs := t.byWire.NeedsDriver(use.Step)
		if needs == nil {
			return t.byWire.Session(ctx, use)
		}
		if use.Client == planv1.ClientWire {
			return nil, fmt.Errorf("the wire client cannot be used: %w; set the client to Auto or Driver", needs)
		}
	}
	if err := t.client.Ping(ctx, t.terms.Preference); err != nil {
		if errors.Is(err, context.Canceled) {
			return nil, err
		}
		return nil, fmt.Errorf("asking the server for an answer: %w", errorclass.WithoutSecrets(err))
	}
	return t.byDriver.Session(ctx, use)
}
