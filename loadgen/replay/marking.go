package replay

import (
	"context"
	"fmt"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
)

// markDirty marks the datasets that the recording writes to, so that no run takes them for what it loaded. Databases
// without a mark are left as they are.
func markDirty(ctx context.Context, target loadgen.Target, recorded []Operation) error {
	keeper, able := target.(loadgen.Keeper)
	if !able {
		return nil
	}
	looked := map[string]bool{}
	for i := range recorded {
		o := &recorded[i]
		if looked[o.Database] || !o.Writes {
			continue
		}
		looked[o.Database] = true
		mark, err := keeper.Mark(ctx, o.Database)
		if err == nil && mark != nil && mark.State == reportv1.DatasetClean {
			mark.State = reportv1.DatasetDirty
			err = keeper.SetMark(ctx, o.Database, *mark)
		}
		if err != nil {
			return fmt.Errorf("marking the dataset in database %q as %s: %w", o.Database, reportv1.DatasetDirty, err)
		}
	}
	return nil
}
