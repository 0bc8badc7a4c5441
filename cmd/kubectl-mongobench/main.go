package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/cli-runtime/pkg/resource"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/show"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/present/screen"
)

// commands are all that the program can do.
var commands = []func(t *tool) *cobra.Command{
	(*tool).runCommand, (*tool).watchCommand, (*tool).waitCommand, (*tool).lsCommand, (*tool).describeCommand,
	(*tool).logsCommand, (*tool).reportCommand, (*tool).compareCommand, (*tool).exportCommand, (*tool).rmCommand,
	(*tool).newCommand, (*tool).doctorCommand, (*tool).estimateCommand, (*tool).uiCommand, (*tool).versionCommand,
}

func main() {
	// The client's own log is for controllers; what goes wrong is an error here.
	log.SetLogger(logr.Discard())
	streams := genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := newTool(streams).execute(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// execute runs a command line and returns the exit code.
func (t *tool) execute(ctx context.Context, arguments []string) int {
	begun := false
	root := &cobra.Command{
		Use:         "kubectl-mongobench",
		Annotations: map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl mongobench"},
		Short:       "Run MongoDB benchmarks in a cluster and inspect the results",
		// An error is written once, below, without the help text that would hide it.
		SilenceErrors:    true,
		SilenceUsage:     true,
		PersistentPreRun: func(*cobra.Command, []string) { begun = true },
	}
	root.SetIn(t.In)
	root.SetOut(t.Out)
	root.SetErr(t.ErrOut)
	root.SetArgs(arguments)
	t.flags.AddFlags(root.PersistentFlags())
	for _, command := range commands {
		root.AddCommand(command(t))
	}
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

const (
	// pollPeriod is how often the API server is asked for what is followed. The operator writes about as often.
	pollPeriod = time.Second
	// completionTime is how long a shell waits for names.
	completionTime = 5 * time.Second
)

// Exit codes besides 0, as docs/reference/kubectl-mongobench.md has them.
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
func told(ending show.Ending, regressionFails bool) error {
	switch {
	case ending == show.Refused:
		return fmt.Errorf("%w: %w", errTold, cluster.ErrRefused)
	case ending == show.Failed, ending == show.Regressed && regressionFails:
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
			connected.Note = t.note
			return do(command.Context(), connected, arguments)
		},
	}
	if kinds != nil {
		command.ValidArgsFunction = t.names(kinds)
	}
	return command
}

// note tells something that is no error, beside what a command writes.
func (t *tool) note(text string) { _, _ = fmt.Fprintln(t.ErrOut, "note:", text) }

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
		for _, object := range cluster.Items(list) {
			of[object.GetName()] = append(of[object.GetName()], kind)
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
	err := wait.PollUntilContextCancel(ctx, t.period, true, func(context.Context) (bool, error) { return look() })
	if wait.Interrupted(err) {
		return fmt.Errorf("%w; %s", errInterrupted, standing)
	}
	return err
}

// paint is colours on a terminal, unless NO_COLOR is set to anything (https://no-color.org) or the terminal has none.
func (t *tool) paint() present.Paint {
	return present.Paint(screen.Width(t.Out) > 0 && os.Getenv("NO_COLOR") == "")
}

// Forms that code names. Text is what is written unless another is asked for; md is what a pull request shows, and
// junit what pipelines show as tests.
const (
	formText  = "text"
	formHTML  = "html"
	formMD    = "md"
	formJUnit = "junit"
	formFTDC  = "ftdc"
	formSVG   = "svg"
	formPNG   = "png"
)

// sheet is what a form is written on.
type sheet struct {
	io.Writer
	present.Paint
}

// forms are those in which something can be written, by their names.
type forms[T any] map[string]func(to sheet, what T) error

func (f forms[T]) names() []string { return slices.Sorted(maps.Keys(f)) }

// asked is the form that is asked for, and the file for it; without one it is written to the output.
type asked struct{ form, file string }

// addForms adds the flag -o for the forms that there are.
func addForms[T any](command *cobra.Command, into *asked, forms forms[T], what string) {
	names := forms.names()
	command.Flags().StringVarP(&into.form, "output", "o", formText, what+" "+strings.Join(names, ", "))
	// It fails for a flag that is not there, only.
	_ = command.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
}

// addFile adds the flag that says where to write.
func addFile(command *cobra.Command, into *asked) {
	command.Flags().StringVar(&into.file, "out", "", "file to write to; default: standard output")
}

// write reads something and writes it in the form that is asked for. A form that there is none of is refused before
// anything is read.
func write[T any](t *tool, asked asked, forms forms[T], of string, read func() (T, error)) error {
	form, ok := forms[asked.form]
	if !ok {
		return fmt.Errorf("%w: -o %s: %s can be written as %s", cluster.ErrUsage, asked.form, of,
			strings.Join(forms.names(), ", "))
	}
	what, err := read()
	if err != nil {
		return err
	}
	if asked.file == "" {
		return form(sheet{t.Out, t.paint()}, what)
	}
	return writeFile(asked.file, func(to sheet) error { return form(to, what) })
}

func writeFile(path string, write func(to sheet) error) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(sheet{Writer: file}), file.Close())
}

// writeJSON is a form of everything.
func writeJSON[T any](to sheet, value T) error {
	encoder := json.NewEncoder(to)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
