package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"time"

	"github.com/spf13/cobra"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present/screen"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/version"
	"github.com/mongobench/mongobench-operator/loadgen/link"
	"github.com/mongobench/mongobench-operator/loadgen/output"
)

// defaultListen is where machines join unless another address is given, and defaultJoinTimeout how long they are
// awaited.
const (
	defaultListen      = ":7433"
	defaultJoinTimeout = 10 * time.Minute
)

// serveFlags is the command line of loadgen serve.
type serveFlags struct {
	declaration
	pods      int32
	listen    string
	tokenFile string
	patience  time.Duration
	folder    string
}

func serveCommand() *cobra.Command {
	flags := &serveFlags{}
	command := newCommand("serve", "Have several machines share a run, without Kubernetes", flags.serve)
	command.Long = "Have several machines share a run, without Kubernetes. This process sends no load: it waits until\n" +
		"as many machines have joined (loadgen join) as the run has load pods, has them begin each step together, merges\n" +
		"what they measured, and prints the result as loadgen run does. If a machine fails or is lost, all stop, and what\n" +
		"was measured until then is the result.\n\n" +
		"Machines join over TLS. The token file holds a secret, and by what key they know this process; it is made anew\n" +
		"for each run. Give a copy of it to each machine, and to nobody else."
	command.Example = "  loadgen serve -f run.yaml --pods 3 --token-file join.token -o results"
	flags.register(command)
	set := command.Flags()
	set.Int32Var(&flags.pods, "pods", 0, "machines that are to join; default: spec.loadGenerator.pods")
	set.StringVar(&flags.listen, "listen", defaultListen, "address at which machines join")
	set.StringVar(&flags.tokenFile, "token-file", "", "file to write the token to that machines join by")
	set.DurationVar(&flags.patience, "join-timeout", defaultJoinTimeout, "how long to wait for the machines")
	set.StringVarP(&flags.folder, "output", "o", "", "folder for the result in every form, as of loadgen run")
	command.MarkFlagsOneRequired("filename", "preset")
	require(command, "token-file")
	return command
}

// machines is the placing of a load that comes from several machines, whose memory is not known here; 0 leaves their
// number to the run.
type machines int32

func (m machines) set(spec map[string]any) {
	if m == 0 {
		return
	}
	generator, declared := spec["loadGenerator"].(map[string]any)
	if !declared {
		generator = map[string]any{}
		spec["loadGenerator"] = generator
	}
	generator["pods"] = int64(m)
}

func (machines) check(run *benchv1alpha1.BenchmarkRun) error {
	if run.Spec.Duet != nil {
		return errors.New("spec.duet: one load generator measures both sides in turns, so that the machines' part of it is " +
			"the same for both: use loadgen run")
	}
	_, err := ample(run)
	return err
}

func (f *serveFlags) serve(ctx context.Context, out io.Writer) error {
	if f.pods < 0 {
		return fmt.Errorf("--pods is %d: give 1 or more, or leave it out", f.pods)
	}
	run, _, err := f.declared(machines(f.pods)) //nolint:contextcheck // Checking a file waits for nothing.
	if err != nil {
		return err
	}
	plan := spec.Compile(run.Spec)
	encoded, err := f.ready(plan, f.folder)
	if err != nil {
		return err
	}
	progress := output.NewProgress(screen.New(os.Stderr), plan)
	host := &link.Host{
		Plan: plan, Encoded: encoded, RunUID: rand.Text(), RunName: nameByHand(run.Name),
		SharesDatabase: spec.SharesDatabase(run.Spec), Version: version.Number(), Patience: f.patience,
		Progress: func(overall reportv1.Progress) { _ = progress.Progress(ctx, overall) },
		Log:      slog.New(slog.NewTextHandler(os.Stderr, nil)),
	}
	report, err := f.moderate(ctx, host)
	progress.Abandon()
	if err != nil && report.Partial == nil {
		return err
	}
	return errors.Join(err, output.Text(out, report), writeResults(f.folder, report))
}

// moderate lets machines join, and has them follow the plan.
func (f *serveFlags) moderate(ctx context.Context, host *link.Host) (reportv1.Report, error) {
	token, err := host.Listen(ctx, f.listen)
	if err != nil {
		return reportv1.Report{}, err
	}
	defer host.Close()
	if err := writeToken(f.tokenFile, token); err != nil {
		return reportv1.Report{}, err
	}
	defer func() { _ = os.Remove(f.tokenFile) }()
	fmt.Fprintf(os.Stderr, "waiting for %d machines; on each, with a copy of %[2]s and the database's address:\n"+
		"  loadgen join %[3]s --token-file %[2]s --uri mongodb://HOST:PORT\n", host.Plan.Pods, f.tokenFile, reachedAt(host))
	return host.Run(ctx)
}

// reachedAt is an address of the host for others.
func reachedAt(host *link.Host) string {
	listened, port, err := net.SplitHostPort(host.Address().String())
	if err != nil {
		return host.Address().String()
	}
	if ip := net.ParseIP(listened); ip == nil || ip.IsUnspecified() {
		if listened, err = os.Hostname(); err != nil {
			listened = "HOST"
		}
	}
	return net.JoinHostPort(listened, port)
}

// tokenMode keeps a token from other users.
const tokenMode = 0o600

// writeToken writes a token where there is none, or that of another run.
func writeToken(path string, token link.Token) error {
	found, err := os.ReadFile(path)
	if err == nil {
		if _, other := link.ParseToken(string(found)); other != nil {
			return fmt.Errorf("--token-file %s: there is a file that is no token; name one that is not there", path)
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("--token-file: %w", err)
	}
	// Under another name first, so that whoever waits for the file finds all of it, and only the user.
	fresh := path + ".new"
	_ = os.Remove(fresh)
	file, err := os.OpenFile(fresh, os.O_CREATE|os.O_EXCL|os.O_WRONLY, tokenMode)
	if err != nil {
		return fmt.Errorf("writing the token: %w", err)
	}
	_, err = fmt.Fprintln(file, token)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(fresh, path)
	}
	if err != nil {
		return fmt.Errorf("writing the token: %w", err)
	}
	return nil
}
