package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver"
	"github.com/mongobench/mongobench-operator/loadgen/duet"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
	"github.com/mongobench/mongobench-operator/loadgen/exchange"
	"github.com/mongobench/mongobench-operator/loadgen/observe"
)

// registerBaseline adds the flags of the other side of a duet, which are those of the run's own target with a prefix.
func (c *connection) registerBaseline(command *cobra.Command) {
	set := command.Flags()
	c.prefix = "baseline-"
	set.StringArrayVar(&c.uris, "baseline-uri", nil, "connection string of the baseline, for a run with spec.duet")
	set.StringVar(&c.uriFile, "baseline-uri-file", "", "file with the connection string of the baseline")
	set.StringVar(&c.Credentials, "baseline-credentials", "",
		"folder with the files username and password, for --baseline-uri")
	set.StringVar(&c.ObserverCredentials, "baseline-observer-credentials", "",
		"folder of the same form, of the user that samples the servers of the baseline; default: the load's user")
	set.StringVar(&c.CAFile, "baseline-tls-ca-file", "",
		"file with the certificate authorities of the baseline's servers, in PEM; turns on TLS")
	set.StringVar(&c.ClientCertificate, "baseline-tls-client-certificate", "",
		"folder with the files tls.crt and tls.key, in PEM, to show to the baseline's servers; turns on TLS")
	command.MarkFlagsMutuallyExclusive("baseline-uri", "baseline-uri-file")
}

// named says whether the command line names the baseline.
func (c *connection) named() bool { return len(c.uris) > 0 || c.uriFile != "" }

// checkBaseline wants a baseline for a duet, and none without one.
func (f *runFlags) checkBaseline(plan planv1.Plan) error {
	switch {
	case plan.Duet != nil && !f.baseline.named():
		return errors.New("the run has spec.duet: give --baseline-uri, the connection string of the side that it is " +
			"compared with")
	case plan.Duet == nil && f.baseline.named():
		return errors.New("--baseline-uri is for a run with spec.duet, and this one has none")
	default:
		return nil
	}
}

// inTurns connects to the baseline too, and has both sides measured in turns.
func (f *runFlags) inTurns(ctx context.Context, follower *engine.Engine) (reportv1.Report, error) {
	plan := follower.Plan.Duet.Baseline
	other := &f.baseline
	other.OperationTimeout, other.SelectionTimeout = f.OperationTimeout, f.SelectionTimeout
	other.Client, other.wireVersion = plan.Client, f.wireVersion
	target, err := other.open(ctx, engine.Connections(plan, 0))
	if err != nil {
		return reportv1.Report{}, fmt.Errorf("connecting to the baseline: %w", err)
	}
	defer closeTarget(ctx, target)
	if router, ok := target.(checker); ok {
		if err := router.Check(plan); err != nil {
			return reportv1.Report{}, fmt.Errorf("the baseline: %w", err)
		}
	}
	baseline := &engine.Engine{
		Plan: plan, Target: target, Resume: follower.Resume, AllowExisting: follower.AllowExisting,
		SharesDatabase: follower.SharesDatabase, Log: follower.Log,
	}
	f.watchServers(target, baseline)
	both := &duet.Duet{Candidate: follower, Baseline: baseline, Told: f.told}
	for side, of := range []loadgen.Target{target, follower.Target} {
		sampler := f.sampler(ctx, of, follower.Log)
		if sampler == nil {
			continue
		}
		defer sampler.Close()
		both.Resting[side] = sampler
	}
	return both.Run(ctx)
}

// samplerTime bounds the search for the servers that are to rest.
const samplerTime = 10 * time.Second

// sampler looks at the servers of a side; nil when they are not observed, or cannot be found.
func (f *runFlags) sampler(ctx context.Context, target loadgen.Target, log *slog.Logger) *observe.Sampler {
	watched, ok := target.(observe.Target)
	if !ok || !f.observe {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, samplerTime)
	defer cancel()
	servers, err := watched.Servers(ctx)
	if err != nil {
		log.Warn("It is not known whether servers rest while the other side is measured", "error", err)
		return nil
	}
	return observe.NewSampler(servers)
}

// diagnosticBytes is what the servers' diagnostic data may take: of a load pod what a report has room for, and by hand
// what a folder holds. That of a duet, whose servers rest for half of the time, is not kept.
func (f *runFlags) diagnosticBytes(plan planv1.Plan) int {
	const inFolder = 64 << 20
	switch {
	case plan.Duet != nil:
		return observe.NoDiagnostics
	case f.pod.plan != "":
		return observe.DefaultDiagnosticBytes
	case f.folder != "":
		return inFolder
	default:
		return observe.NoDiagnostics
	}
}

// watchServers has an engine observe the servers of its target, and find how far they are.
func (f *runFlags) watchServers(target driver.Target, follower *engine.Engine) {
	watched, ok := target.(observe.Target)
	if !ok {
		return
	}
	follower.Pinger = exchange.Servers{Find: watched.Servers}
	if !f.observe || follower.Pod > 0 { // One pod observes for all.
		return
	}
	follower.Observer = &observe.Observer{
		Database: follower.Plan.Database, Log: follower.Log, Servers: watched.Servers, Interval: f.observeInterval,
		SlowInterval:    f.observeInterval * (observe.DefaultSlowInterval / observe.DefaultInterval),
		DiagnosticBytes: f.diagnosticBytes(follower.Plan),
	}
}
