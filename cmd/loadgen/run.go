package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present/screen"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/version"
	"github.com/mongobench/mongobench-operator/loadgen/driver"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
	"github.com/mongobench/mongobench-operator/loadgen/files"
	"github.com/mongobench/mongobench-operator/loadgen/kube"
	"github.com/mongobench/mongobench-operator/loadgen/metrics"
	"github.com/mongobench/mongobench-operator/loadgen/observe"
	"github.com/mongobench/mongobench-operator/loadgen/output"
)

// closeTimeout bounds the goodbye to the database.
const closeTimeout = 2 * time.Second

// shortestObserveInterval leaves a busy server time to answer before it is asked again: it takes some milliseconds.
const shortestObserveInterval = 10 * time.Millisecond

// mostProcessors is what spec.loadGenerator.processors may be, too.
const mostProcessors = 256

// runFlags is the command line of loadgen run.
type runFlags struct {
	connection
	// baseline is the other side of a duet, and told is told what each step of one comes to meanwhile.
	baseline connection
	told     func(reportv1.DuetStep)
	declaration
	folder          string
	pod             podFlags
	resume          bool
	observe         bool
	observeInterval time.Duration
	processors      int
	allowExisting   bool
	runUID, runName string
	shareDatabase   bool
	scraped         scraped
	through         throughFlags
	// takesDown says that what was made in the database is to be gone afterwards.
	takesDown bool
	outlets   outletFlags
	// files that the plan names.
	files files.Files
}

func runCommand() *cobra.Command {
	flags := &runFlags{}
	command := newCommand("run", "Load the dataset, drive the workload, and report the result", flags.start)
	command.Example = "  loadgen run -f benchmarkrun.yaml --uri mongodb://127.0.0.1:27017 -o results\n" +
		"  loadgen run -f benchmarkrun.yaml --uri mongodb://db.example --credentials ./secret\n" +
		"  loadgen run --preset YCSB-A -p recordcount=100000 -p threadcount=16 --uri mongodb://127.0.0.1:27017\n" +
		"  loadgen run --preset queue -p scale=0.1 --uri mongodb://127.0.0.1:27017"
	flags.connection.register(command)
	set := command.Flags()
	set.StringVarP(&flags.folder, "output", "o", "",
		"folder for report.txt, .json and .csv, one .hgrm file per histogram, and a metrics.* file per server of its "+
			"diagnostic data (FTDC)")
	flags.pod.register(set)
	flags.registerObserving(set)
	set.IntVar(&flags.processors, "processors", 0, fmt.Sprintf("processors to use at a time (GOMAXPROCS), up to %d; "+
		"default: what the run says, or else as many as the machine and a CPU limit let Go use", mostProcessors))
	set.BoolVar(&flags.resume, "resume", false, "continue an interrupted load: drop nothing, write what is missing")
	set.StringVar(&flags.runUID, "run-uid", "",
		"identity of the run, by which it keeps others from its database; default: a new one")
	set.StringVar(&flags.runName, "run-name", "",
		"what another run that is kept from the database is told of this one; default: its name, the host and the process")
	set.BoolVar(&flags.shareDatabase, "share-database", false,
		"let others that share it measure in the database too, once it is loaded, as spec.concurrency.database: Shared")
	flags.baseline.registerBaseline(command)
	flags.scraped.register(command)
	flags.through.register(command)
	flags.declaration.register(command)
	flags.outlets.register(command)
	command.MarkFlagsOneRequired("filename", "plan", "preset")
	command.MarkFlagsMutuallyExclusive("plan", "filename")
	for _, flag := range []string{"preset", "parameter", "warmup-seconds"} {
		command.MarkFlagsMutuallyExclusive("plan", flag)
	}
	command.MarkFlagsMutuallyExclusive("plan", "output")
	command.MarkFlagsMutuallyExclusive("plan", "processors")
	command.MarkFlagsRequiredTogether(podFlagNames...)
	return command
}

// registerObserving adds the flags of a load generator that may be the first of its run: of what it reads, what it may
// replace, whom it observes, and as whom.
func (f *runFlags) registerObserving(set *pflag.FlagSet) {
	set.StringVar(&f.files.Folder, "files", "", "folder of the files that the run names, as configmap/NAME/KEY and "+
		"volume/CLAIM/PATH; a ConfigMap in the same file as the run need not be there")
	set.BoolVar(&f.observe, "observe", true, "sample every server of the deployment")
	set.DurationVar(&f.observeInterval, "observe-interval", observe.DefaultInterval,
		fmt.Sprintf("time between two samples of a server, %s or more; sizes and chunks are sampled every tenth time",
			shortestObserveInterval))
	set.BoolVar(&f.allowExisting, "allow-existing", false,
		"replace collections of the same names in a database that was not created by a load generator")
	set.StringVar(&f.ObserverCredentials, "observer-credentials", "",
		"folder with the files username and password of the user that samples the servers; default: the load's user")
	set.StringVar(&f.ActionCredentials, "action-credentials", "",
		"folder with the files username and password of the user that carries out actions; default: the load's user")
}

// checkObserving checks the flags of registerObserving.
func (f *runFlags) checkObserving() error {
	if f.observeInterval < shortestObserveInterval {
		return fmt.Errorf("--observe-interval is %s: give %s or more, or --observe=false", f.observeInterval,
			shortestObserveInterval)
	}
	return nil
}

// start drives a plan: that of a load pod, or the one that the run of a command line is compiled to.
func (f *runFlags) start(ctx context.Context, out io.Writer) error {
	if err := f.checkObserving(); err != nil {
		return err
	}
	switch {
	case f.processors < 0 || f.processors > mostProcessors:
		return fmt.Errorf("--processors is %d: give 1 to %d, or leave it out", f.processors, mostProcessors)
	case f.pod.plan != "":
		return f.inPod(ctx)
	default:
		return f.byHand(ctx, out)
	}
}

// byHand follows the run of the flags.
func (f *runFlags) byHand(ctx context.Context, out io.Writer) error {
	run, beside, err := f.declared(oneProcess{}) //nolint:contextcheck // Checking a file waits for nothing.
	if err != nil {
		return err
	}
	f.files.ConfigMaps = beside
	return f.follow(ctx, out, run)
}

// follow compiles a run as the operator would, follows it as its only pod, and writes the results.
func (f *runFlags) follow(ctx context.Context, out io.Writer, run *benchv1alpha1.BenchmarkRun) error {
	f.runName = cmp.Or(f.runName, nameByHand(run.Name))
	f.shareDatabase = f.shareDatabase || spec.SharesDatabase(run.Spec)
	plan := spec.Compile(run.Spec)
	plan.Pods, plan.Processors = 1, cmp.Or(f.processors, plan.Processors)
	encoded, err := f.ready(plan, f.folder)
	if err != nil {
		return err
	}
	progress := output.NewProgress(screen.New(os.Stderr), plan)
	follower := &engine.Engine{
		Plan: plan, PlanHash: planv1.Hash(encoded), Reporter: progress, Version: version.Number(),
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
	f.told = progress.Narrow
	report, err := f.drive(ctx, follower)
	if err != nil && report.Partial == nil {
		progress.Abandon()
		return err
	}
	// Of a run that was cut, what was measured until then is written as well, and says so.
	return errors.Join(err, output.Text(out, report), writeResults(f.folder, report), missed(report))
}

// errMissed is the end of a run that was measured, and missed an objective.
var errMissed = errors.New("an objective was missed")

// missed says which objectives were missed.
func missed(report reportv1.Report) error {
	summary, err := result.Summarise(report)
	if err != nil {
		return err
	}
	if _, said := result.Missed(summary); len(said) > 0 {
		return fmt.Errorf("%w: %s", errMissed, strings.Join(said, "; "))
	}
	return nil
}

// nameByHand tells where a run that was started by hand can be found.
func nameByHand(run string) string {
	host, err := os.Hostname()
	if err != nil {
		host = "an unknown host"
	}
	return fmt.Sprintf("%s by hand on %s, process %d", cmp.Or(run, "loadgen run"), host, os.Getpid())
}

// inPod follows a plan as one of the pods of a Job. The first of them collects what all have measured.
func (f *runFlags) inPod(ctx context.Context) error {
	in, err := f.pod.join()
	if err != nil {
		return err
	}
	pod, err := podIndex(in.plan.Pods)
	if err != nil {
		return err
	}
	reporter := &kube.Reporter{ConfigMaps: in.configMaps, Name: f.pod.podPrefix + strconv.Itoa(pod)}
	replaces, err := reporter.Last(ctx)
	if err != nil {
		return err
	}
	follower := &engine.Engine{
		Plan: in.plan, PlanHash: in.hash, Pod: pod, Operated: true, Version: version.Number(),
		Gate: in.gate, Reporter: reporter, Replaces: replaces, PodUID: os.Getenv(podUIDVariable), Log: in.log,
		Trials: &kube.Trials{ConfigMaps: in.configMaps, PodPrefix: f.pod.podPrefix, Pod: pod},
	}
	if pod == 0 {
		follower.Finish = in.collect
	}
	_, err = f.drive(ctx, follower)
	return err
}

// drive connects to the database and follows the engine's plan.
func (f *runFlags) drive(ctx context.Context, follower *engine.Engine) (reportv1.Report, error) {
	if err := f.checkBaseline(follower.Plan); err != nil {
		return reportv1.Report{}, err
	}
	// What cannot be listened at is said before anything is done to the database.
	stop, err := f.scraped.serve(ctx, follower)
	if err != nil {
		return reportv1.Report{}, err
	}
	defer stop()
	closeLogs, err := f.outlets.open(follower, &f.scraped)
	defer closeLogs()
	if err != nil {
		return reportv1.Report{}, err
	}
	f.Client = follower.Plan.Client
	target, err := f.open(ctx, engine.Connections(follower.Plan, follower.Pod))
	if err != nil {
		return reportv1.Report{}, err
	}
	defer closeTarget(ctx, target)
	if router, ok := target.(checker); ok {
		if err := router.Check(follower.Plan); err != nil {
			return reportv1.Report{}, err
		}
	}
	follower.Files = f.files
	if err := f.through.dial(ctx, follower, f.Config); err != nil {
		return reportv1.Report{}, err
	}
	follower.Target, follower.Resume, follower.AllowExisting = target, f.resume, f.allowExisting
	follower.RunUID, follower.RunName, follower.SharesDatabase = f.runUID, f.runName, f.shareDatabase
	if f.takesDown {
		defer takeDown(ctx, target, follower)
	}
	f.watchServers(target, follower)
	if observer, observed := follower.Observer.(*observe.Observer); observed {
		f.scraped.observe(observer)
	}
	if follower.Plan.Duet != nil {
		return f.inTurns(ctx, follower)
	}
	return follower.Run(ctx)
}

// checker is a target that may refuse a plan, and says so before anything is written.
type checker interface {
	Check(plan planv1.Plan) error
}

func closeTarget(ctx context.Context, target driver.Target) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	_ = target.Close(ctx)
}

// declaration is how a command line says what run it is about: by a file, or by a preset.
type declaration struct {
	run        string
	preset     string
	parameters map[string]string
	warmup     uint16
}

func (p *declaration) register(command *cobra.Command) {
	set := command.Flags()
	set.StringVarP(&p.run, "filename", "f", "", "file with a BenchmarkRun; - reads standard input")
	set.StringVar(&p.preset, "preset", "", "preset to use instead of a file: YCSB-A to YCSB-F, or a ready "+
		"workload such as social-graph")
	set.StringToStringVarP(&p.parameters, "parameter", "p", nil,
		"parameter of the preset, such as -p recordcount=100000 -p threadcount=16")
	set.Uint16Var(&p.warmup, "warmup-seconds", 0, "warm-up of the preset in seconds, 0 to 65535")
	for _, flag := range []string{"preset", "parameter", "warmup-seconds"} {
		command.MarkFlagsMutuallyExclusive("filename", flag)
	}
}

// scraped is how Prometheus is let see what goes on.
type scraped struct {
	// address to listen at; empty: do not listen.
	address string

	metrics *metrics.Metrics
	server  *metrics.Server
}

func (s *scraped) register(command *cobra.Command) {
	command.Flags().StringVar(&s.address, "metrics-bind-address", "", "address, such as 127.0.0.1:8080 or :8080, "+
		"at which GET "+metrics.Path+" shows Prometheus\nthe progress of the step, without authentication; "+
		"empty: do not listen")
}

// serve has the engine tell what it is at, and answers scrapes until the returned function is called.
func (s *scraped) serve(ctx context.Context, follower *engine.Engine) (stop func(), err error) {
	if s.address == "" {
		return func() {}, nil
	}
	if s.server, err = metrics.Listen(ctx, s.address, s.figures(follower)); err != nil {
		return nil, err
	}
	follower.Log.Info("Metrics are served", "address", s.server.Address())
	return func() { _ = s.server.Close() }, nil
}

// figures are those of what the engine is at.
func (s *scraped) figures(follower *engine.Engine) *metrics.Metrics {
	if s.metrics == nil {
		s.metrics = metrics.New()
		follower.Watcher = s.metrics
	}
	return s.metrics
}

// observe shows the servers too, as an observer sees them.
func (s *scraped) observe(observer *observe.Observer) {
	if s.metrics != nil {
		s.metrics.Observe(observer.Latest)
	}
}
