package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/show"
)

// running is what run is asked for.
type running struct {
	*tool
	files    resource.FilenameOptions
	only     []string
	force    bool
	replace  bool
	oneByOne bool
	limits   limits
	save     string
}

func (t *tool) runCommand() *cobra.Command {
	r := &running{tool: t}
	command := t.inCluster("run -f FILE", "Apply runs and suites, and follow them to their end", cobra.NoArgs, nil,
		r.run)
	addFiles(command, &r.files, "apply")
	flags := command.Flags()
	flags.BoolVar(&r.force, "force-conflicts", false, "take ownership of fields managed by others")
	flags.StringSliceVar(&r.only, "only", nil, "names of the runs and suites to apply; without it, all")
	flags.BoolVar(&r.replace, "replace", false,
		"delete an earlier run or suite of the same name first, with its results")
	flags.BoolVar(&r.oneByOne, "one-by-one", false, "apply each run or suite only after the one before it has ended")
	flags.StringVar(&r.save, "save", "", "folder to write each result to, in every form, as FOLDER/NAME/report.*")
	addLimits(command, &r.limits, 0)
	return command
}

func (r *running) run(ctx context.Context, c *cluster.Cluster, _ []string) error {
	objects, err := c.Read(r.files)
	if err != nil {
		return err
	}
	measured, others, err := r.choose(objects)
	if err != nil {
		return err
	}
	if err := c.Apply(ctx, others, r.force); err != nil {
		return err
	}
	if r.replace {
		if err := r.removeEarlier(ctx, c, measured); err != nil {
			return err
		}
	}
	if !r.oneByOne {
		if err := c.Apply(ctx, measured, r.force); err != nil {
			return err
		}
	}
	return r.followAll(ctx, c, measured)
}

// choose separates the runs and suites that are asked for from what they need.
func (r *running) choose(objects []*unstructured.Unstructured) (measured, others []*unstructured.Unstructured,
	err error,
) {
	seen := map[string]bool{}
	for _, object := range objects {
		kind, yes := cluster.Measured(object)
		name := fmt.Sprintf("%s/%s", kind, object.GetName())
		switch {
		case !yes:
			others = append(others, object)
			continue
		case len(r.only) > 0 && !slices.Contains(r.only, object.GetName()):
			continue
		case seen[object.GetNamespace()+" "+name]:
			return nil, nil, fmt.Errorf("%w: %s is in the files more than once", cluster.ErrUsage, name)
		}
		seen[object.GetNamespace()+" "+name] = true
		measured = append(measured, object)
	}
	switch {
	case len(measured) > 0:
		return measured, others, nil
	case len(r.only) > 0:
		return nil, nil, fmt.Errorf("%w: there is no BenchmarkRun and no BenchmarkSuite named %s in it", cluster.ErrUsage,
			r.only)
	default:
		return nil, nil, fmt.Errorf("%w: there is no BenchmarkRun and no BenchmarkSuite in it", cluster.ErrUsage)
	}
}

// removeEarlier deletes runs and suites of the same names, and waits until they are gone. All of them are checked
// first, so that a mistake in a file costs no earlier result.
func (r *running) removeEarlier(ctx context.Context, c *cluster.Cluster, measured []*unstructured.Unstructured) error {
	var earlier []client.Object
	for _, object := range measured {
		if err := c.Check(ctx, object); err != nil {
			return err
		}
		found := cluster.KindOf(object).New()
		err := c.Client.Get(ctx, client.ObjectKeyFromObject(object), found)
		switch {
		case err == nil:
			earlier = append(earlier, found)
		case client.IgnoreNotFound(err) != nil:
			return fmt.Errorf("looking for an earlier %s %s: %w", object.GetKind(), object.GetName(), err)
		}
	}
	return (&removing{tool: r.tool, wait: true, timeout: usualRemoval}).removeAll(ctx, c, earlier)
}

// followAll follows runs and suites in turn. One that fails does not keep the others from being followed.
func (r *running) followAll(ctx context.Context, c *cluster.Cluster, measured []*unstructured.Unstructured) error {
	var runs []*benchv1alpha1.BenchmarkRun
	var failures error
	for _, object := range measured {
		shown := showing{tool: r.tool, cluster: c, limits: r.limits, applied: r.now(), save: r.save}
		if r.oneByOne {
			if err := c.Apply(ctx, []*unstructured.Unstructured{object}, r.force); err != nil {
				return errors.Join(failures, err)
			}
		}
		_, _ = fmt.Fprintf(r.Out, "%s/%s applied in namespace %s\n", cluster.KindOf(object), object.GetName(),
			object.GetNamespace())
		ended, err := shown.untilEnd(ctx, object)
		if err != nil && !errors.Is(err, errTold) {
			return errors.Join(failures, err)
		}
		failures = errors.Join(failures, err)
		if run, ok := ended.(*benchv1alpha1.BenchmarkRun); ok {
			runs = append(runs, run)
		}
	}
	if len(runs) > 1 {
		return errors.Join(failures, show.SideBySide(r.Out, r.paint(), runs))
	}
	return failures
}

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
