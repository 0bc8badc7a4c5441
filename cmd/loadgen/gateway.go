package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"

	"github.com/spf13/cobra"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/loadgen/driver"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
	"github.com/mongobench/mongobench-operator/loadgen/gateway"
)

// defaultGatewayListen is where a gateway listens.
const defaultGatewayListen = "127.0.0.1:7080"

// gatewayFlags is the command line of loadgen gateway.
type gatewayFlags struct {
	connection
	run, plan string
	listen    string
	secret    string
	anybody   bool
}

func gatewayCommand() *cobra.Command {
	flags := &gatewayFlags{}
	command := newCommand("gateway", "Be the service that a load goes through on its way to the database", flags.serve)
	command.Long = "Be a small HTTP service between loadgen run and the database, as an application has one, until a\n" +
		"signal. It follows the same run as the load generator, and carries out the operations that this names over\n" +
		"sessions of its own. Nobody can ask it for anything but the operations of the run."
	command.Example = "  loadgen gateway -f run.yaml --uri mongodb://127.0.0.1:27017\n" +
		"  loadgen run -f run.yaml --uri mongodb://127.0.0.1:27017 --gateway http://127.0.0.1:7080"
	flags.register(command)
	set := command.Flags()
	set.StringVarP(&flags.run, "filename", "f", "", "file with the BenchmarkRun; - reads standard input")
	set.StringVar(&flags.plan, "plan", "", "file with a compiled plan, in a pod")
	set.StringVar(&flags.listen, "listen", defaultGatewayListen, "address to listen at")
	set.StringVar(&flags.secret, "secret-file", "", "file with a secret that load generators have to know;\n"+
		"needed to listen at another address than this machine's own")
	set.BoolVar(&flags.anybody, "allow-anybody", false,
		"listen at any address without a secret, as where the database has no users either")
	command.MarkFlagsOneRequired("filename", "plan")
	command.MarkFlagsMutuallyExclusive("filename", "plan")
	command.MarkFlagsMutuallyExclusive("secret-file", "allow-anybody")
	return command
}

func (f *gatewayFlags) serve(ctx context.Context, out io.Writer) error {
	secret, err := readSecret("--secret-file", f.secret)
	if err != nil {
		return err
	}
	if secret == "" && !f.anybody && !onlyHere(f.listen) {
		return fmt.Errorf("--listen %s: others can reach it there, so give --secret-file, or listen at 127.0.0.1", f.listen)
	}
	plan, err := f.followed() //nolint:contextcheck // Checking a file waits for nothing.
	if err != nil {
		return err
	}
	if plan.Gateway == nil {
		return gateway.ErrDirect
	}
	f.Client = plan.Client
	target, err := f.openMongoDB(ctx, plan.Gateway.PoolSize)
	if err != nil {
		return err
	}
	defer closeTarget(ctx, target)
	if router, able := target.(checker); able {
		if err := router.Check(plan); err != nil {
			return err
		}
	}
	patience, _ := f.Timeouts()
	server, err := gateway.Listen(ctx, f.listen, gateway.Config{
		Plan: plan, Target: target, Secret: secret, Patience: patience,
	})
	if err != nil {
		return err
	}
	defer func() { _ = server.Close() }()
	if _, err := fmt.Fprintf(out, "http://%s\n", server.Address()); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

// followed is the plan of the flags.
func (f *gatewayFlags) followed() (planv1.Plan, error) {
	if f.plan != "" {
		encoded, err := os.ReadFile(f.plan)
		if err != nil {
			return planv1.Plan{}, fmt.Errorf("reading the plan: %w", err)
		}
		plan, err := planv1.Decode(encoded)
		if err != nil {
			return planv1.Plan{}, skewError{err}
		}
		return plan, nil
	}
	run, _, err := readRun(f.run)
	if err != nil {
		return planv1.Plan{}, err
	}
	return spec.Compile(run.Spec), nil
}

// onlyHere says whether an address can only be reached from this machine.
func onlyHere(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// readSecret reads the file of a flag with a secret; none for no file.
func readSecret(flag, file string) (string, error) {
	if file == "" {
		return "", nil
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("%s: %w", flag, err)
	}
	secret := strings.TrimSpace(string(content))
	if secret == "" {
		return "", fmt.Errorf("%s %s: it is empty", flag, file)
	}
	return secret, nil
}

// throughFlags say which gateways a load goes through.
type throughFlags struct {
	gateways []string
	secret   string
}

func (f *throughFlags) register(command *cobra.Command) {
	set := command.Flags()
	set.StringArrayVar(&f.gateways, "gateway", nil, "address of a loadgen gateway, such as http://127.0.0.1:7080, for a "+
		"run with\nloadGenerator.through: Gateway; may be repeated")
	set.StringVar(&f.secret, "gateway-secret-file", "", "file with the secret of the gateways")
}

// errNoGateway is for a run that does not go straight to its target.
var errNoGateway = errors.New("this run goes through a gateway: start one (loadgen gateway), and name it by --gateway")

// dial has an engine go through the gateways of the flags, if there are any.
func (f *throughFlags) dial(ctx context.Context, follower *engine.Engine, connect driver.Config) error {
	switch {
	case len(f.gateways) == 0 && follower.Plan.Gateway == nil:
		return nil
	case len(f.gateways) == 0:
		return errNoGateway
	}
	secret, err := readSecret("--gateway-secret-file", f.secret)
	if err != nil {
		return err
	}
	timeout, _ := connect.Timeouts()
	through, err := gateway.Dial(ctx, follower.Plan, gateway.Options{
		Gateways: f.gateways, Secret: secret, OperationTimeout: timeout, Offset: follower.Pod,
	})
	if err != nil {
		return err
	}
	follower.Through = through
	return nil
}
