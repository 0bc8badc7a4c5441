package replay

import (
	"context"
	"fmt"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
)

// markDirty marks the datasets that the recording writes to, so that no run takes them for what it loaded. Databases
// without a mark are left as they are.
func (r *Replay) markDirty(ctx context.Context) error {
	keeper, able := r.Target.(loadgen.Keeper)
	if !able {
		return nil
	}
	looked := map[string]bool{}
	for i := range r.Recording.Operations {
		o := &r.Recording.Operations[i]
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
