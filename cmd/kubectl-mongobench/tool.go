package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/cli-runtime/pkg/resource"

	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/follow"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/present/screen"
)

const (
	// pollPeriod is how often the API server is asked for what is followed. The operator writes about as often.
	pollPeriod = time.Second
	// completionTime is how long a shell waits for names.
	completionTime = 5 * time.Second
)

// Exit codes besides 0, as docs/kubectl-mongobench.md has them.
const (
	exitFailed      = 1
	exitUsage       = 2
	exitTimedOut    = 3
	exitRefused     = 4
	exitInterrupted = 130
)

var (
	errTimedOut = errors.New("timed out")
	// errInterrupted is a signal of the user, which ends this program and nothing in the cluster.
	errInterrupted = errors.New("interrupted")
	// errTold is an ending of which everything was printed already.
	errTold = errors.New("it ended badly")
)

// exitCode of several errors that were joined is that of the gravest, in the order of the cases.
func exitCode(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, cluster.ErrUsage):
		return exitUsage
	case errors.Is(err, cluster.ErrRefused):
		return exitRefused
	case errors.Is(err, errTimedOut):
		return exitTimedOut
	case errors.Is(err, errInterrupted), errors.Is(err, context.Canceled):
		return exitInterrupted
	default:
		return exitFailed
	}
}

// told is the error of an ending that was printed: nil when it is a good one.
func told(ending follow.Ending, regressionFails bool) error {
	switch {
	case ending == follow.Refused:
		return fmt.Errorf("%w: %w", errTold, cluster.ErrRefused)
	case ending == follow.Failed, ending == follow.Regressed && regressionFails:
		return errTold
	default:
		return nil
	}
}

// tool is one call of the program: what every command has.
type tool struct {
	genericiooptions.IOStreams
	flags  *genericclioptions.ConfigFlags
	period time.Duration
	now    func() time.Time
}

func newTool(streams genericiooptions.IOStreams) *tool {
	return &tool{
		IOStreams: streams, flags: genericclioptions.NewConfigFlags(true), period: pollPeriod, now: time.Now,
	}
}

// runsAndSuites are the kinds that have an end and a result.
var runsAndSuites = []cluster.Kind{cluster.Run, cluster.Suite}

// action is what a command does in a cluster.
type action func(ctx context.Context, c *cluster.Cluster, arguments []string) error

// inCluster makes a command that connects first. A shell completes its arguments with the names of objects of these
// kinds.
func (t *tool) inCluster(
	use, short string, args cobra.PositionalArgs, kinds []cluster.Kind, do action,
) *cobra.Command {
	command := &cobra.Command{
		Use: use, Short: short, Args: args,
		RunE: func(command *cobra.Command, arguments []string) error {
			connected, err := cluster.Connect(t.flags)
			if err != nil {
				return err
			}
			return do(command.Context(), connected, arguments)
		},
	}
	if kinds != nil {
		command.ValidArgsFunction = t.names(kinds)
	}
	return command
}

// names completes the names of objects of some kinds that were not given yet.
func (t *tool) names(kinds []cluster.Kind) cobra.CompletionFunc {
	return func(command *cobra.Command, given []string, _ string) ([]string, cobra.ShellCompDirective) {
		connected, err := cluster.Connect(t.flags)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		ctx, cancel := context.WithTimeout(command.Context(), completionTime)
		defer cancel()
		found, err := namesOf(ctx, connected, kinds)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		left := slices.DeleteFunc(found, func(name string) bool { return slices.Contains(given, name) })
		return left, cobra.ShellCompDirectiveNoFileComp
	}
}

// namesOf are the names in the namespace; one that two kinds have comes with its kind before it.
func namesOf(ctx context.Context, c *cluster.Cluster, kinds []cluster.Kind) ([]string, error) {
	of := map[string][]cluster.Kind{}
	for _, kind := range kinds {
		list := kind.List()
		if err := c.List(ctx, list, c.Namespace); err != nil {
			return nil, err
		}
		err := apimeta.EachListItem(list, func(item runtime.Object) error {
			object, err := apimeta.Accessor(item)
			if err == nil {
				of[object.GetName()] = append(of[object.GetName()], kind)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	var names []string
	for name, kinds := range of {
		for _, kind := range kinds {
			if len(kinds) > 1 {
				names = append(names, string(kind)+"/"+name)
			} else {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names, nil
}

// addFiles adds kubectl's flags for files, and says what is done to them.
func addFiles(command *cobra.Command, into *resource.FilenameOptions, do string) {
	flags := command.Flags()
	flags.StringSliceVarP(&into.Filenames, "filename", "f", nil,
		"files, folders or URLs to "+do+"; - for standard input")
	flags.StringVarP(&into.Kustomize, "kustomize", "k", "", "kustomization folder to "+do)
	flags.BoolVarP(&into.Recursive, "recursive", "R", false, "also read the subfolders of a folder")
}

// poll looks every period until that is enough or fails. An interrupt is told with how things stand.
func (t *tool) poll(ctx context.Context, look func() (enough bool, err error), standing string) error {
	ticker := time.NewTicker(t.period)
	defer ticker.Stop()
	for {
		if enough, err := look(); enough || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w; %s", errInterrupted, standing)
		case <-ticker.C:
		}
	}
}

// paint is colours on a terminal, unless NO_COLOR is set to anything (https://no-color.org) or the terminal has none.
func (t *tool) paint() present.Paint {
	return present.Paint(screen.Width(t.Out) > 0 && os.Getenv("NO_COLOR") == "")
}
