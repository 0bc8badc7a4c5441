package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/mongobench/mongobench-operator/hack/cluster/internal/assets"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/component"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/enter"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/machine"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/plan"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/teardown"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/up"
)

const usage = `usage: cluster COMMAND

  up [--nodes N]        make a cluster of N nodes (1 to 3), or find it healthy; with --replace one of another size, or
                        that is not healthy, is taken down first
  down                  end it and leave the machine as it was; also after a crash
  status                say whether it is healthy
  kubeconfig            print the path of its kubeconfig
  kubectl ARGS...       run its kubectl
  exec -- CMD ARGS...   run a program inside its network, with its DNS; --node NODE: as one of that node's own
  load-image TAR...     import image archives into every node
  mirror HOST URL       pull the images of a registry, such as docker.io, from a server inside: http://198.18.0.1:5000
  stop-node NODE        take the power from a node, but the first
  start-node NODE       bring it back
  pause PROCESS         make a process of the control plane, such as kube-apiserver, stand still
  resume PROCESS        let it go on
  build [--all]         compile Kubernetes and etcd into the cache (--all: and fetch the rest of what up needs)
  unpack FOLDER PKG...  get packages of the distribution, and what they need, into a folder of their own
  doctor                say what this machine lacks

Environment: MONGOBENCH_STATE (default /var/lib/mongobench), MONGOBENCH_CACHE (default ~/.cache/mongobench).
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := dispatch(ctx, os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "cluster: %v\n", err)
		stop()
		os.Exit(1) //nolint:gocritic // The deferred call was just made.
	}
}

// dispatch runs the command that is named first.
func dispatch(ctx context.Context, args []string) error {
	if len(args) == 0 {
		fmt.Fprint(os.Stderr, usage)
		return errors.New("a command is needed")
	}
	switch name, rest := args[0], args[1:]; name {
	// These two are for the cluster itself: the first process of a machine, and the host's way in.
	case "machine":
		return machine.Main(rest)
	case "forward":
		return component.Forward(ctx, rest)
	case "help", "-h", "--help":
		fmt.Print(usage)
		return nil
	default:
		command, known := commands[name]
		if !known {
			fmt.Fprint(os.Stderr, usage)
			return fmt.Errorf("%q is not a command", name)
		}
		settings, err := readSettings()
		if err != nil {
			return err
		}
		return command(ctx, settings, rest)
	}
}

// settings are what every command needs to know.
type settings struct {
	state, cache string
	// say writes what comes next: one line a step, with the seconds since the beginning.
	say assets.Say
}

func readSettings() (settings, error) {
	state, err := plan.StateFolder()
	if err != nil {
		return settings{}, err
	}
	cache, err := plan.CacheFolder()
	if err != nil {
		return settings{}, err
	}
	begin := time.Now()
	say := func(format string, args ...any) {
		fmt.Fprintf(os.Stderr, "[%6.1fs] %s\n", time.Since(begin).Seconds(), fmt.Sprintf(format, args...))
	}
	return settings{state: state, cache: cache, say: say}, nil
}

// commands are what people call; usage describes them.
var commands = map[string]func(ctx context.Context, s settings, args []string) error{
	"up":         runUp,
	"down":       runDown,
	"status":     onCluster(runStatus),
	"kubeconfig": onCluster(runKubeconfig),
	"kubectl":    onCluster(runKubectl),
	"exec":       onCluster(runExec),
	"load-image": onCluster(runLoadImage),
	"mirror":     onCluster(runMirror),
	"stop-node":  onCluster(onNode(runStopNode)),
	"start-node": onCluster(onNode(runStartNode)),
	"pause":      onCluster(onProcess(up.Pause)),
	"resume":     onCluster(onProcess(up.Resume)),
	"build":      runBuild,
	"unpack":     runUnpack,
	"doctor":     runDoctor,
}

// onCluster makes a command of what works on the cluster that is up.
func onCluster(
	run func(ctx context.Context, s settings, c plan.Cluster, args []string) error,
) func(ctx context.Context, s settings, args []string) error {
	return func(ctx context.Context, s settings, args []string) error {
		c, err := plan.Load(s.state)
		if err != nil {
			return err
		}
		return run(ctx, s, c, args)
	}
}

func runUp(ctx context.Context, s settings, args []string) error {
	flags := flag.NewFlagSet("up", flag.ContinueOnError)
	nodes := flags.Int("nodes", 1, "number of nodes")
	replace := flags.Bool("replace", false, "take down a cluster of another size, or that is not healthy")
	// Long enough to compile Kubernetes on a slow machine; every wait within has a shorter deadline of its own.
	timeout := flags.Duration("timeout", 60*time.Minute, "give up after this time")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *nodes < 1 || *nodes > plan.MaxNodes {
		return fmt.Errorf("--nodes %d: must be from 1 to %d", *nodes, plan.MaxNodes)
	}
	if os.Geteuid() != 0 {
		return errors.New("up needs root: run it with sudo -E, and see `cluster doctor`")
	}
	ctx, cancel := context.WithTimeout(ctx, *timeout)
	defer cancel()
	release, err := assets.Lock(ctx, plan.LockFile(s.cache, s.state))
	if err != nil {
		return err
	}
	defer release()
	err = up.Up(ctx, up.Options{
		State: s.state, Cache: s.cache, NodeCount: *nodes, Replace: *replace, Say: s.say,
	})
	if err != nil {
		return fmt.Errorf("%w\nwhat was started is still there, with its logs in %s; `cluster down` removes it", err, s.state)
	}
	return nil
}

func runDown(ctx context.Context, s settings, _ []string) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	release, err := assets.Lock(ctx, plan.LockFile(s.cache, s.state))
	if err != nil {
		return err
	}
	defer release()
	s.say("taking down the cluster in %s", s.state)
	if err := teardown.Down(ctx, s.state); err != nil {
		return err
	}
	s.say("down")
	return nil
}

func runStatus(ctx context.Context, s settings, c plan.Cluster, _ []string) error {
	if !c.Finished {
		return errors.New("the cluster is not up yet; if no `cluster up` is running, run `cluster down`")
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	if err := up.Health(ctx, c); err != nil {
		return err
	}
	s.say("healthy: %d nodes, API server at %s", c.NodeCount, c.HostURL())
	return nil
}

func runKubeconfig(_ context.Context, _ settings, c plan.Cluster, _ []string) error {
	fmt.Println(c.AdminKubeconfig())
	return nil
}

func runKubectl(_ context.Context, s settings, c plan.Cluster, args []string) error {
	environment := enter.Environment(c, assets.Binaries(s.cache), os.Environ())
	return enter.Replace(append([]string{"kubectl"}, args...), environment)
}

func runExec(_ context.Context, s settings, c plan.Cluster, args []string) error {
	flags := flag.NewFlagSet("exec", flag.ContinueOnError)
	name := flags.String("node", "", "the node to run it on, in its network and with its files")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return errors.New("exec needs a program to run: cluster exec -- CMD ARGS")
	}
	if *name == "" {
		return enter.Exec(c, flags.Args(), enter.Environment(c, assets.Binaries(s.cache), os.Environ()))
	}
	node, err := c.FindNode(*name)
	if err != nil {
		return err
	}
	return enter.ExecOn(c, node, flags.Args(), os.Environ())
}

func runUnpack(ctx context.Context, _ settings, args []string) error {
	flags := flag.NewFlagSet("unpack", flag.ContinueOnError)
	release := flags.String("of", "", "another release of Debian, such as testing, and without what the packages need")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() < 2 {
		return errors.New("unpack needs a folder and the names of packages")
	}
	folder, packages := flags.Arg(0), flags.Args()[1:]
	ctx, cancel := context.WithTimeout(ctx, 15*time.Minute)
	defer cancel()
	if *release != "" {
		return assets.UnpackOf(ctx, *release, folder, packages)
	}
	return assets.Unpack(ctx, folder, packages)
}

func runLoadImage(ctx context.Context, s settings, c plan.Cluster, args []string) error {
	if len(args) == 0 {
		return errors.New("load-image needs the paths of the archives to import")
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	if err := up.LoadImages(ctx, c, assets.FindTools(s.cache), args); err != nil {
		return err
	}
	s.say("loaded %d images into %d nodes", len(args), c.NodeCount)
	return nil
}

func runMirror(_ context.Context, s settings, c plan.Cluster, args []string) error {
	if len(args) != 2 {
		return errors.New("mirror needs the host of a registry and the URL of the server to pull from")
	}
	if err := up.Mirror(c, args[0], args[1]); err != nil {
		return err
	}
	s.say("images of %s are pulled from %s", args[0], args[1])
	return nil
}

func runBuild(ctx context.Context, s settings, args []string) error {
	flags := flag.NewFlagSet("build", flag.ContinueOnError)
	all := flags.Bool("all", false, "also fetch the node's tools and build the images that every cluster needs")
	if err := flags.Parse(args); err != nil {
		return err
	}
	source, err := assets.Source()
	if err != nil {
		return err
	}
	if err := assets.Build(ctx, source, s.cache, s.say); err != nil {
		return err
	}
	s.say("Kubernetes and etcd are in %s", assets.Binaries(s.cache))
	if !*all {
		return nil
	}
	if _, err := assets.FetchTools(ctx, s.cache, s.say); err != nil {
		return err
	}
	if _, err := assets.FetchImages(ctx, source, s.cache, s.say); err != nil {
		return err
	}
	s.say("all that `cluster up` needs is in %s", s.cache)
	return nil
}

func runDoctor(ctx context.Context, s settings, _ []string) error {
	if !report(os.Stdout, examine(ctx, s.state, s.cache)) {
		return errors.New("this machine lacks what is marked LACK above")
	}
	return nil
}
