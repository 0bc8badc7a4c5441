package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/loadgen/verify"
)

// verifyConnections are enough for the readers of a verification.
const verifyConnections = 4

// defaultSample is how many documents of each collection are compared unless told otherwise.
const defaultSample = 1000

// verifyFlags is the command line of loadgen verify.
type verifyFlags struct {
	connection
	run    string
	sample int64
	all    bool
}

func verifyCommand() *cobra.Command {
	flags := &verifyFlags{}
	command := &cobra.Command{
		Use:   "verify",
		Short: "Compare a loaded dataset with its definition, byte by byte",
		Long: "Compare a database with the dataset of a BenchmarkRun: the number of documents of every collection, and\n" +
			"the bytes of a sample or of all of them. Changes nothing. The dataset must be as the load left it: whatever a\n" +
			"workload has written since shows as a difference. Capped collections and those with a TTL index are counted\n" +
			"only. The exit code is 1 if there is a difference, and the first ones are printed.",
		Example: "  loadgen verify -f benchmarkrun.yaml --uri mongodb://127.0.0.1:27017 --all",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return flags.verify(command.Context(), command.OutOrStdout())
		},
	}
	flags.register(command)
	set := command.Flags()
	set.StringVarP(&flags.run, "filename", "f", "", "file with a BenchmarkRun; - reads standard input")
	set.Int64Var(&flags.sample, "sample", defaultSample, "documents of each collection to compare; 0: count only")
	set.BoolVar(&flags.all, "all", false, "compare all documents")
	_ = command.MarkFlagRequired("filename")
	command.MarkFlagsMutuallyExclusive("sample", "all")
	return command
}

func (f *verifyFlags) verify(ctx context.Context, to io.Writer) error {
	if f.sample < 0 {
		return fmt.Errorf("--sample is %d, and must not be less than 0", f.sample)
	}
	run, err := readRun(f.run) //nolint:contextcheck // Checking a file waits for nothing.
	if err != nil {
		return err
	}
	plan := spec.Compile(run.Spec)
	target, err := f.open(ctx, verifyConnections, roles{})
	if err != nil {
		return err
	}
	defer closeTarget(ctx, target)
	options := verify.Options{Sample: f.sample}
	switch {
	case f.all:
		options.Check = planv1.CheckAll
	case f.sample > 0:
		options.Check = planv1.CheckSample
	}
	verified, err := verify.Verify(ctx, target, plan, options)
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if err != nil {
		return err
	}
	failures := verify.Differences(verified)
	for _, collection := range verified {
		if _, err := fmt.Fprintln(to, verifiedLine(collection)); err != nil {
			return errors.Join(failures, err)
		}
	}
	return failures
}

// verifiedLine tells what was found of a collection.
func verifiedLine(v verify.Verified) string {
	line := fmt.Sprintf("%s.%s: %d documents of %d", v.Database, v.Collection, v.Found, v.Expected)
	switch {
	case v.Skipped != "":
		line += ", not compared: " + v.Skipped
	case v.Compared > 0:
		line += fmt.Sprintf(", %d compared, %d different", v.Compared, v.Different)
	}
	return line
}
