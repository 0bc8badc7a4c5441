package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
)

// usualRemoval is how long rm --wait waits unless told otherwise.
const usualRemoval = 5 * time.Minute

// everything is what can be removed.
var everything = []cluster.Kind{cluster.Run, cluster.Suite, cluster.Target}

// removing is what rm is asked for.
type removing struct {
	*tool
	wait    bool
	timeout time.Duration
}

func (t *tool) rmCommand() *cobra.Command {
	r := &removing{tool: t}
	command := t.inCluster("rm RUN|SUITE|TARGET...", "Delete runs, suites and targets and everything they own",
		cobra.MinimumNArgs(1), everything, r.remove)
	command.Long = `Delete runs, suites and targets and everything they own: pods, runs of a suite, and stored results.`
	command.Flags().BoolVar(&r.wait, "wait", false, "wait until everything has been deleted")
	command.Flags().DurationVar(&r.timeout, "timeout", usualRemoval, "how long to wait; 0: no limit")
	return command
}

// remove finds everything before it deletes anything, so that a name that is wrong costs nothing.
func (r *removing) remove(ctx context.Context, c *cluster.Cluster, names []string) error {
	objects := make([]client.Object, 0, len(names))
	for _, name := range names {
		found, err := c.Find(ctx, name, everything...)
		if err != nil {
			return err
		}
		objects = append(objects, found)
	}
	return r.removeAll(ctx, c, objects)
}

func (r *removing) removeAll(ctx context.Context, c *cluster.Cluster, objects []client.Object) error {
	for _, object := range objects {
		// In the foreground the object goes last, so that its absence says that all is gone.
		err := c.Client.Delete(ctx, object, client.PropagationPolicy("Foreground"))
		if client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("deleting %s %s: %w", cluster.KindOf(object), object.GetName(), err)
		}
		_, _ = fmt.Fprintf(r.Out, "%s/%s is being deleted\n", cluster.KindOf(object), object.GetName())
	}
	if !r.wait {
		return nil
	}
	var failures error
	for _, object := range objects {
		failures = errors.Join(failures, r.untilGone(ctx, c, object))
	}
	return failures
}

func (r *removing) untilGone(ctx context.Context, c *cluster.Cluster, object client.Object) error {
	name := string(cluster.KindOf(object)) + "/" + object.GetName()
	began, uid := r.now(), object.GetUID()
	return r.poll(ctx, func() (bool, error) {
		err := c.Client.Get(ctx, client.ObjectKeyFromObject(object), object)
		// One of the same name that was made meanwhile is another.
		if apierrors.IsNotFound(err) || err == nil && object.GetUID() != uid {
			_, _ = fmt.Fprintf(r.Out, "%s is gone\n", name)
			return true, nil
		}
		if r.timeout > 0 && r.now().Sub(began) >= r.timeout {
			return false, fmt.Errorf("%w: after %s %s is still there; see its metadata.finalizers", errTimedOut, r.timeout, name)
		}
		return false, nil
	}, name+" is being deleted")
}
