package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/follow"
	"github.com/mongobench/mongobench-operator/internal/present"
)

const (
	// pollPeriod is how often the API server is asked for what is followed. The operator writes about as often.
	pollPeriod = time.Second
	// usualWidth is that of a terminal that does not tell its own.
	usualWidth = 80
)

// tool is one call of the program.
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

// execute runs a command line and returns the exit code.
func (t *tool) execute(ctx context.Context, arguments []string) int {
	begun := false
	root := t.rootCommand() //nolint:contextcheck // Cobra hands the context to its commands itself.
	root.PersistentPreRun = func(*cobra.Command, []string) { begun = true }
	root.SetArgs(arguments)
	err := root.ExecuteContext(ctx)
	if err != nil && !begun {
		// What cobra finds wrong by itself is the command line.
		err = fmt.Errorf("%w: %w", cluster.ErrUsage, err)
	}
	if err != nil && !errors.Is(err, errTold) {
		_, _ = fmt.Fprintln(t.ErrOut, "error:", err)
	}
	return exitCode(err)
}

func (t *tool) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:         "kubectl-mongobench",
		Annotations: map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl mongobench"},
		Short:       "Run MongoDB benchmarks in a cluster and inspect the results",
		// An error is written once, by the caller, without the help text that would hide it.
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetIn(t.In)
	root.SetOut(t.Out)
	root.SetErr(t.ErrOut)
	t.flags.AddFlags(root.PersistentFlags())
	root.AddCommand(t.runCommand(), t.watchCommand(), t.waitCommand(), t.lsCommand(), t.describeCommand(), t.logsCommand(),
		t.reportCommand(), t.compareCommand(), t.exportCommand(), t.rmCommand(), t.newCommand(), t.doctorCommand(),
		t.estimateCommand(), t.uiCommand())
	return root
}

// action is what a command does in a cluster.
type action func(ctx context.Context, c *cluster.Cluster, arguments []string) error

// inCluster makes a command that connects first.
func (t *tool) inCluster(use, short string, args cobra.PositionalArgs, do action) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: args,
		RunE: func(command *cobra.Command, arguments []string) error {
			connected, err := cluster.Connect(t.flags)
			if err != nil {
				return err
			}
			return do(command.Context(), connected, arguments)
		},
	}
}

// terminal is the width of the terminal that is written to, 0 when it is none.
func (t *tool) terminal() int {
	file, ok := t.Out.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return 0
	}
	if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 0 {
		return width
	}
	return usualWidth
}

// controlled says whether what is written to is a terminal that knows more than lines.
func (t *tool) controlled() bool { return t.terminal() > 0 && os.Getenv("TERM") != "dumb" }

func (t *tool) screen() *follow.Screen {
	return &follow.Screen{To: t.Out, Terminal: t.controlled(), Width: t.terminal}
}

// paint is colours on a terminal, unless NO_COLOR is set to anything (https://no-color.org) or the terminal has none.
func (t *tool) paint() present.Paint {
	return present.Paint(t.controlled() && os.Getenv("NO_COLOR") == "")
}
