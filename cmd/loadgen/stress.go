package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"sigs.k8s.io/yaml"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec/stress"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
	"github.com/mongobench/mongobench-operator/loadgen/observe"
	"github.com/mongobench/mongobench-operator/loadgen/topology/local"
)

// stressFlags is the command line of loadgen stress.
type stressFlags struct {
	runFlags
	load        stress.Load
	local       bool
	server      local.Config
	keep, print bool
}

// shareFlags are those of the mix, of which a line that gives none has the default.
var shareFlags = []struct {
	name string
	of   func(*stress.Shares) *int32
	what string
}{
	{"inserts", func(s *stress.Shares) *int32 { return &s.Inserts }, "insert one document"},
	{"reads", func(s *stress.Shares) *int32 { return &s.Reads }, "read one document by its _id"},
	{"updates", func(s *stress.Shares) *int32 { return &s.Updates }, "set a field of one document"},
	{"deletes", func(s *stress.Shares) *int32 { return &s.Deletes }, "delete one document"},
	{"scans", func(s *stress.Shares) *int32 { return &s.Scans }, "read a page of documents in the order of their _id"},
	{"aggregates", func(s *stress.Shares) *int32 { return &s.Aggregations }, "count some hundred documents by a field"},
}

func stressCommand() *cobra.Command {
	flags := &stressFlags{}
	command := &cobra.Command{
		Use: "stress [URI]", Short: "Load a database by one line, with a mix of operations, and report the result",
		Args: cobra.MaximumNArgs(1),
		RunE: func(command *cobra.Command, arguments []string) error {
			flags.uris, flags.typed = arguments, true
			if err := flags.chooseShares(command.Flags()); err != nil {
				return err
			}
			return flags.stress(command.Context(), command.OutOrStdout())
		},
	}
	command.Long = "Load a database by one line, with a mix of operations, and report the result.\n\n" +
		"It makes a collection in a database of its own, fills it, sends the mix for half a minute, prints what loadgen\n" +
		"run prints, and drops the collection. What a line does, --print shows as a BenchmarkRun.\n" +
		"A password in the connection string can be read by other users of this machine: --uri-file keeps it from them."
	command.Example = "  loadgen stress mongodb://127.0.0.1:27017\n" +
		"  loadgen stress mongodb://127.0.0.1:27017 --inserts 60 --reads 40 --threads 32\n" +
		"  loadgen stress --local --scans 1 --reads 9\n" +
		"  loadgen stress mongodb://127.0.0.1:27017 --database shop --existing orders --reads 9 --scans 1\n" +
		"  loadgen stress --uri-file ./uri --rate 500 --duration 1m -o results\n" +
		"  loadgen stress mongodb://127.0.0.1:27017 --inserts 1 --reads 20 --print > run.yaml"
	flags.registerMeans(command)
	flags.registerLoad(command.Flags())
	flags.registerResult(command.Flags())
	command.Flags().BoolVar(&flags.local, "local", false, "start a mongod of this machine for it, as loadgen local does")
	registerLocal(command.Flags(), &flags.server)
	return command
}

func (f *stressFlags) registerLoad(set *pflag.FlagSet) {
	for _, flag := range shareFlags {
		set.Int32Var(flag.of(&f.load.Shares), flag.name, *flag.of(&stress.DefaultShares),
			"share of the operations that "+flag.what+"; the defaults are those of a line without any share")
	}
	set.Int32Var(&f.load.Threads, "threads", stress.DefaultThreads, "operations that are under way at a time")
	set.Int64Var(&f.load.Rate, "rate", 0, "operations per second that are due by the clock, whatever became of earlier "+
		"ones;\ndefault: each thread sends its next operation after the reply")
	set.DurationVar(&f.load.Duration, "duration", stress.DefaultDuration, "how long to measure, in whole seconds")
	set.DurationVar(&f.load.WarmUp, "warmup", stress.DefaultWarmUp, "how long to send before that, in whole seconds")
	set.Int64Var(&f.load.Records, "records", stress.DefaultRecords, "documents to load before")
	set.Int32Var(&f.load.DocumentBytes, "document-bytes", stress.DefaultDocumentBytes, "size of a document")
	set.Int32Var(&f.load.Fields, "fields", stress.DefaultFields, "texts in a document")
	set.StringVar(&f.load.Database, "database", stress.Database, "database to make the collection in; one that holds "+
		"collections that no load generator made is refused")
	set.StringVar(&f.load.Existing, "existing", "", "collection of --database that is there already: it is read as\n"+
		"it is, by --reads and --scans, and nothing is loaded, written or dropped")
	set.BoolVar(&f.keep, "keep", false, "leave the collection there; the next line of the same documents need not load it")
	set.BoolVar(&f.print, "print", false, "print the BenchmarkRun that does the same in a cluster, and do nothing")
}

// registerResult adds the flags of loadgen run that such a line may want.
func (f *stressFlags) registerResult(set *pflag.FlagSet) {
	set.StringVarP(&f.folder, "output", "o", "", "folder for the result in every form, as of loadgen run")
	f.observe, f.observeInterval = true, observe.DefaultInterval
}

// chooseShares leaves the defaults of the mix out once a line has a share of its own, and chooses those of a collection
// that is there already.
func (f *stressFlags) chooseShares(set *pflag.FlagSet) error {
	given := false
	for _, flag := range shareFlags {
		given = given || set.Changed(flag.name)
	}
	for _, flag := range shareFlags {
		if given && !set.Changed(flag.name) {
			*flag.of(&f.load.Shares) = 0
		}
	}
	if f.load.Existing == "" {
		return nil
	}
	if !given {
		f.load.Shares = stress.DefaultExistingShares
	}
	for _, name := range []string{"records", "fields", "document-bytes", "keep", "local"} {
		if set.Changed(name) {
			return fmt.Errorf("--%s is for a collection that is made for the line: leave it or --existing out", name)
		}
	}
	if !set.Changed("database") {
		return errors.New("--existing: say by --database which database the collection is in")
	}
	f.keep = true
	return nil
}

// stress does what a line asks for.
func (f *stressFlags) stress(ctx context.Context, out io.Writer) error {
	declared, err := f.load.Run()
	if err != nil {
		return err
	}
	object, err := benchv1alpha1.ToUnstructured(declared)
	if err != nil {
		return err
	}
	delete(object, "status")
	run, err := checked(object, "loadgen stress", oneProcess{}) //nolint:contextcheck // Checking waits for nothing.
	if err != nil {
		return err
	}
	if f.print {
		return printRun(out, object)
	}
	if err := f.checkServer(); err != nil {
		return err
	}
	if f.local {
		server, err := startLocal(ctx, f.server)
		if err != nil {
			return err
		}
		defer server.Stop()
		f.uris = []string{server.URI}
	}
	f.takesDown = !f.keep && !f.local
	return f.follow(ctx, out, run)
}

// checkServer wants one server to be named.
func (f *stressFlags) checkServer() error {
	named := 0
	for _, given := range []bool{len(f.uris) > 0, f.uriFile != "", f.local} {
		if given {
			named++
		}
	}
	if named != 1 {
		return errors.New("say what to load, by one of: a connection string, such as mongodb://127.0.0.1:27017, " +
			"--uri-file, and --local")
	}
	return nil
}

// printRun writes a run as a file to apply, and what it needs.
func printRun(to io.Writer, run map[string]any) error {
	content, err := yaml.Marshal(run)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(to, `# By hand: loadgen run -f FILE --uri mongodb://HOST:PORT
# In a cluster, with the connection string in a Secret that the operator may read:
#   kubectl create secret generic %[1]s --from-file=uri=FILE
#   kubectl label secret %[1]s mongobench.dev/connection=true
%[2]s`, stress.Name, content)
	return err
}

// takingDown is how long it may take to take down what a line has made.
const takingDown = 30 * time.Second

// takeDown drops what an engine has made in its database, where nobody else is at work by now. A context that has ended
// is no reason to leave it.
func takeDown(ctx context.Context, target driver.Target, of *engine.Engine) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), takingDown)
	defer cancel()
	removed, err := remove(ctx, target, of)
	switch {
	case err != nil:
		of.Log.Warn("What was made was not dropped", "database", of.Plan.Database, "error", err)
	case removed:
		fmt.Fprintf(os.Stderr, "dropped what was made in database %q\n", of.Plan.Database)
	}
}

// remove is false where there is nothing of the engine's to drop.
func remove(ctx context.Context, target driver.Target, of *engine.Engine) (bool, error) {
	database := of.Plan.Database
	keeper, keeps := target.(loadgen.Keeper)
	remover, able := target.(loadgen.Remover)
	if !keeps || !able {
		return false, fmt.Errorf("by %s this cannot be done", target.Driver())
	}
	mark, err := keeper.Mark(ctx, database)
	if err != nil || mark == nil || mark.Fingerprint != of.Plan.Dataset {
		return false, err
	}
	// Whoever has the database by now has it with the dataset that lies there.
	claimed, err := keeper.SetClaim(ctx, database, nil, &loadgen.Claim{Holder: of.RunUID, Name: of.RunName, Beat: 1})
	if err != nil || !claimed {
		return false, err
	}
	names := make([]string, 0, len(of.Plan.Collections))
	for _, collection := range of.Plan.Collections {
		names = append(names, collection.Name)
	}
	return true, remover.Remove(ctx, database, names...)
}
