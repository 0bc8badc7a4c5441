package up

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"text/template"

	"github.com/mongobench/mongobench-operator/hack/cluster/internal/assets"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/cgroup"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/component"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/enter"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/machine"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/network"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/pki"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/plan"
	"github.com/mongobench/mongobench-operator/hack/cluster/internal/teardown"
)

// Options say what is wanted and where things are.
type Options struct {
	State, Cache string
	NodeCount    int
	// Replace says that a cluster which is there and is not what is wanted is taken down, and not an error.
	Replace bool
	// Say tells people what comes next.
	Say assets.Say
}

// bringUp is a cluster on its way up.
type bringUp struct {
	Options

	cluster  plan.Cluster
	tools    assets.Tools
	images   assets.Images
	facts    component.Facts
	listener *os.File
	machines map[string]*machine.Machine
	server   *server
}

// Up makes the cluster, or finds it healthy.
func Up(ctx context.Context, options Options) error {
	done, err := settleWithPast(ctx, options)
	if err != nil || done {
		return err
	}
	b := &bringUp{Options: options, machines: map[string]*machine.Machine{}}
	defer b.release()
	steps := []func(context.Context) error{
		b.gather, b.prepare, b.startMachines, b.startControlPlane, b.startNodes, b.startAddons, b.awaitAll,
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	b.cluster.Finished = true
	if err := b.cluster.Save(); err != nil {
		return err
	}
	b.Say("up: export KUBECONFIG=%s", b.cluster.AdminKubeconfig())
	return nil
}

// settleWithPast looks at what is in the state folder: done when that is the cluster that is wanted. What an `up`
// left that was killed is taken down: it was never in use.
func settleWithPast(ctx context.Context, options Options) (bool, error) {
	c, err := plan.Load(options.State)
	switch {
	case errors.Is(err, plan.ErrNoCluster):
		return false, teardown.Down(ctx, options.State)
	case err != nil:
		return false, err
	case !c.Finished:
		options.Say("taking down what an unfinished `up` left")
		return false, teardown.Down(ctx, options.State)
	}
	why := unfit(ctx, c, options.NodeCount)
	switch {
	case why != nil && options.Replace:
		options.Say("taking down what is up: %v", why)
		return false, teardown.Down(ctx, options.State)
	case why != nil:
		return false, fmt.Errorf("%w\nrun `cluster down`, then `cluster up`, or `cluster up --replace`", why)
	}
	options.Say("already up and healthy: export KUBECONFIG=%s", c.AdminKubeconfig())
	return true, nil
}

// unfit is why a cluster is not the one that is wanted; nil when it is.
func unfit(ctx context.Context, c plan.Cluster, nodeCount int) error {
	if c.NodeCount != nodeCount {
		return fmt.Errorf("a cluster of %d nodes is up, not of %d", c.NodeCount, nodeCount)
	}
	if err := Health(ctx, c); err != nil {
		return fmt.Errorf("the cluster is up but not healthy: %w", err)
	}
	return nil
}

// gather gets everything into the cache.
func (b *bringUp) gather(ctx context.Context) error {
	source, err := assets.Source()
	if err != nil {
		return err
	}
	if err := assets.Build(ctx, source, b.Cache, b.Say); err != nil {
		return err
	}
	if b.tools, err = assets.FetchTools(ctx, b.Cache, b.Say); err != nil {
		return err
	}
	b.images, err = assets.FetchImages(ctx, source, b.Cache, b.Say)
	return err
}

// prepare writes everything that the processes read.
func (b *bringUp) prepare(ctx context.Context) error {
	b.Say("writing keys and configuration to %s", b.State)
	port, err := b.listen(ctx)
	if err != nil {
		return err
	}
	b.cluster = plan.Cluster{State: b.State, NodeCount: b.NodeCount, Port: port}
	if err := os.MkdirAll(b.State, 0o755); err != nil {
		return fmt.Errorf("making the state folder: %w", err)
	}
	for _, write := range []func(plan.Cluster) error{
		plan.Cluster.Save, makeFolders, copyProgram, pki.Write, enter.Configure,
	} {
		if err := write(b.cluster); err != nil {
			return err
		}
	}
	if b.server, err = connect(b.cluster); err != nil {
		return err
	}
	return b.configureNodes()
}

// listen opens the socket on the host that leads to the API server.
func (b *bringUp) listen(ctx context.Context) (int, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp4", "127.0.0.1:"+strconv.Itoa(plan.DefaultPort))
	if err != nil {
		// That port is taken; any other will do, since the kubeconfig names it.
		listener, err = config.Listen(ctx, "tcp4", "127.0.0.1:0")
	}
	if err != nil {
		return 0, fmt.Errorf("listening on 127.0.0.1: %w", err)
	}
	defer func() { _ = listener.Close() }()
	tcp, isTCP := listener.(*net.TCPListener)
	address, named := listener.Addr().(*net.TCPAddr)
	if !isTCP || !named {
		return 0, fmt.Errorf("listening on 127.0.0.1: got a %T", listener)
	}
	if b.listener, err = tcp.File(); err != nil {
		return 0, fmt.Errorf("listening on 127.0.0.1: %w", err)
	}
	return address.Port, nil
}

func (b *bringUp) configureNodes() error {
	containerd, err := b.tools.Program("containerd")
	if err != nil {
		return err
	}
	b.facts = component.Facts{
		Kubernetes:       assets.Binaries(b.Cache),
		Containerd:       containerd,
		CNIPlugins:       b.tools.CNIPlugins,
		PauseImage:       b.images.Pause,
		RestrictOOMScore: !mayLowerOOMScore(),
	}
	for _, n := range b.cluster.Nodes() {
		if err := cgroup.Make(component.Cgroup(b.cluster, n)); err != nil {
			return err
		}
		if err := component.Configure(b.cluster, n, b.facts); err != nil {
			return err
		}
	}
	return nil
}

// startMachines makes the namespaces and joins them.
func (b *bringUp) startMachines(ctx context.Context) error {
	b.Say("starting machines %s", strings.Join(b.cluster.Machines(), ", "))
	pids := map[string]int{}
	for _, name := range b.cluster.Machines() {
		var inherited *os.File
		if name == plan.ControlPlane {
			inherited = b.listener
		}
		if err := b.startMachine(ctx, name, inherited); err != nil {
			return err
		}
		pids[name] = b.machines[name].PID
	}
	if err := network.Join(b.cluster, pids); err != nil {
		return b.explain(err)
	}
	return nil
}

// startMachine makes one machine's namespaces; nobody is in them but its init.
func (b *bringUp) startMachine(ctx context.Context, name string, inherited *os.File) error {
	started, err := machine.Start(ctx, machine.Options{
		Name: name, Folder: b.cluster.Machine(name), Program: b.cluster.Program(),
		State: b.State, Keep: b.Cache, Path: b.tools.Path, Inherited: inherited,
	})
	if err != nil {
		return err
	}
	b.machines[name] = started
	return nil
}

// startControlPlane starts what stores and serves objects, and the nodes' containerd, which needs neither.
func (b *bringUp) startControlPlane(ctx context.Context) error {
	b.Say("starting etcd, kube-apiserver, containerd")
	binaries := assets.Binaries(b.Cache)
	err := b.run(plan.ControlPlane,
		component.Etcd(b.cluster, binaries),
		component.APIServer(b.cluster, binaries),
		component.Forwarder(b.cluster))
	if err != nil {
		return err
	}
	for _, n := range b.cluster.Nodes() {
		if err := b.run(n.Name(), component.Containerd(b.cluster, n, b.facts)); err != nil {
			return err
		}
	}
	if err := b.await(ctx, "containerd", b.containerdAnswers); err != nil {
		return err
	}
	if err := LoadImages(ctx, b.cluster, b.tools, b.images.Archives); err != nil {
		return b.explain(err)
	}
	if err := b.await(ctx, "kube-apiserver", b.server.ready); err != nil {
		return err
	}
	b.Say("starting kube-controller-manager, kube-scheduler, provisioner")
	return b.run(plan.ControlPlane,
		component.ControllerManager(b.cluster, binaries),
		component.Scheduler(b.cluster, binaries),
		component.Provisioner(b.cluster, binaries))
}

// startNodes starts the nodes' agents.
func (b *bringUp) startNodes(context.Context) error {
	b.Say("starting kubelet, kube-proxy")
	for _, n := range b.cluster.Nodes() {
		if err := b.run(n.Name(), component.Agents(b.cluster, n, b.facts)...); err != nil {
			return err
		}
	}
	return nil
}

// startAddons applies what is put into the cluster by way of its API.
func (b *bringUp) startAddons(ctx context.Context) error {
	b.Say("applying access rules, storage class, coredns")
	manifests, err := renderAddons(b.images.CoreDNS)
	if err != nil {
		return err
	}
	command := exec.CommandContext(ctx, filepath.Join(assets.Binaries(b.Cache), "kubectl"),
		"--kubeconfig", b.cluster.AdminKubeconfig(), "apply", "--server-side", "--filename", "-")
	command.Stdin = strings.NewReader(string(manifests))
	if output, err := command.CombinedOutput(); err != nil {
		return b.explain(fmt.Errorf("applying addons: %w\n%s", err, output))
	}
	return nil
}

// awaitAll waits for what was started without waiting.
func (b *bringUp) awaitAll(ctx context.Context) error {
	b.Say("waiting for the nodes")
	err := b.await(ctx, "nodes", func(ctx context.Context) error {
		return b.server.nodesReady(ctx, b.NodeCount)
	})
	if err != nil {
		return err
	}
	b.Say("waiting for coredns")
	return b.await(ctx, "coredns", b.server.dnsAvailable)
}

// run starts processes in a machine.
func (b *bringUp) run(name string, commands ...machine.Command) error {
	for _, command := range commands {
		if err := b.machines[name].Run(command); err != nil {
			return b.explain(err)
		}
	}
	return nil
}

// release lets go of what outlives us.
func (b *bringUp) release() {
	for _, m := range b.machines {
		m.Release()
	}
	if b.listener != nil {
		_ = b.listener.Close()
	}
}

// makeFolders makes those that no step makes that writes into them.
func makeFolders(c plan.Cluster) error {
	err := errors.Join(os.MkdirAll(c.Volumes(), 0o755), os.MkdirAll(filepath.Dir(c.Program()), 0o755))
	if err != nil {
		return fmt.Errorf("making the state folder: %w", err)
	}
	return nil
}

// copyProgram copies this very program, open as it is, since its path may not last.
func copyProgram(c plan.Cluster) error {
	content, err := os.ReadFile("/proc/self/exe")
	if err == nil {
		err = os.WriteFile(c.Program(), content, 0o700)
	}
	if err != nil {
		return fmt.Errorf("copying this program: %w", err)
	}
	return nil
}

// LoadImages imports archives (docker-archive or OCI) into the containerd of every node, all at the same time. There is
// no registry to pull them from.
func LoadImages(ctx context.Context, c plan.Cluster, tools assets.Tools, archives []string) error {
	ctr, err := tools.Program("ctr")
	if err != nil {
		return err
	}
	for _, archive := range archives {
		if _, err := os.Stat(archive); err != nil {
			return fmt.Errorf("loading image: %w", err)
		}
	}
	failures := make([]error, c.NodeCount)
	var group sync.WaitGroup
	for index, node := range c.Nodes() {
		group.Go(func() {
			// The namespace is the one that the kubelet's containers are in.
			arguments := []string{"--address", c.ContainerdSocket(node), "--namespace", "k8s.io", "images", "import"}
			for _, archive := range archives {
				output, err := exec.CommandContext(ctx, ctr, append(arguments, archive)...).CombinedOutput()
				if err != nil {
					failures[index] = fmt.Errorf("loading %s into %s: %w\n%s",
						filepath.Base(archive), node.Name(), err, bytes.TrimSpace(output))
					return
				}
			}
		})
	}
	group.Wait()
	return errors.Join(failures...)
}

//go:embed manifests
var manifests embed.FS

// renderAddons makes one YAML stream of what is put into a fresh cluster by way of its API: a few rules of access, the
// default StorageClass, and CoreDNS.
func renderAddons(coreDNSImage string) ([]byte, error) {
	parsed, err := template.New("").Option("missingkey=error").ParseFS(manifests, "manifests/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("parsing manifests: %w", err)
	}
	var rendered bytes.Buffer
	for _, name := range []string{"access.yaml", "storage.yaml", "coredns.yaml"} {
		rendered.WriteString("---\n")
		err := parsed.ExecuteTemplate(&rendered, name, map[string]string{
			"CoreDNSImage": coreDNSImage, "DNSAddress": plan.DNSAddress, "Domain": plan.Domain,
			"FirstNode": plan.Node{Index: 1}.Name(),
		})
		if err != nil {
			return nil, fmt.Errorf("rendering %s: %w", name, err)
		}
	}
	return rendered.Bytes(), nil
}
