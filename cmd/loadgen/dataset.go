package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/infer"
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
	command := newCommand("verify", "Compare a loaded dataset with its definition, byte by byte", flags.verify)
	command.Long = "Compare a database with the dataset of a BenchmarkRun: the number of documents of every " +
		"collection, and\n" +
		"the bytes of a sample or of all of them. Changes nothing. The dataset must be as the load left it: whatever a\n" +
		"workload has written since shows as a difference. Capped collections and those with a TTL index are counted\n" +
		"only. The exit code is 1 if there is a difference, and the first ones are printed."
	command.Example = "  loadgen verify -f benchmarkrun.yaml --uri mongodb://127.0.0.1:27017 --all"
	flags.register(command)
	set := command.Flags()
	set.StringVarP(&flags.run, "filename", "f", "", "file with a BenchmarkRun; - reads standard input")
	set.Int64Var(&flags.sample, "sample", defaultSample, "documents of each collection to compare; 0: count only")
	set.BoolVar(&flags.all, "all", false, "compare all documents")
	require(command, "filename")
	command.MarkFlagsMutuallyExclusive("sample", "all")
	return command
}

func (f *verifyFlags) verify(ctx context.Context, to io.Writer) error {
	if f.sample < 0 {
		return fmt.Errorf("--sample is %d, and must not be less than 0", f.sample)
	}
	run, _, err := readRun(f.run) //nolint:contextcheck // Checking a file waits for nothing.
	if err != nil {
		return err
	}
	plan := spec.Compile(run.Spec)
	if len(plan.DataFiles) > 0 {
		return errors.New("what is taken of files is verified within the run: set dataset.load.verify to Sample or All")
	}
	target, err := f.open(ctx, verifyConnections)
	if err != nil {
		return err
	}
	defer closeTarget(ctx, target)
	if plan, err = dated(ctx, target, plan); err != nil {
		return err
	}
	options := verify.Options{Sample: f.sample}
	switch {
	case f.all:
		options.Check = benchv1alpha1.VerifyAll
	case f.sample > 0:
		options.Check = benchv1alpha1.VerifySample
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

// dated is a plan with dates around the instant at which the load began for the load that the target's database holds.
func dated(ctx context.Context, target driver.Target, plan planv1.Plan) (planv1.Plan, error) {
	if !plan.DatedFromLoad() {
		return plan, nil
	}
	keeper, able := target.(loadgen.Keeper)
	if !able {
		return plan, fmt.Errorf("the dataset has dates that count from when its load began, which %s does not keep: "+
			"verify it within the run, with dataset.verify", target.Driver())
	}
	mark, err := keeper.Mark(ctx, plan.Database)
	if err != nil {
		return plan, fmt.Errorf("reading the mark of database %q: %w", plan.Database, err)
	}
	if mark == nil || mark.Fingerprint != plan.Dataset || mark.LoadBegan == 0 {
		return plan, fmt.Errorf("database %q does not hold this dataset: its mark does not say when its load began; load it "+
			"with the same file, or name the file that it was loaded with",
			plan.Database)
	}
	return plan.Dated(time.UnixMilli(mark.LoadBegan)), nil
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

const (
	// defaultInferSample is large enough to see a value that one document in a thousand has.
	defaultInferSample = 10_000
	defaultChoices     = 64
	// mostChoices is the API's limit.
	mostChoices = 256
)

// inferFlags is the command line of loadgen infer.
type inferFlags struct {
	connection
	database, collection string
	sample               int64
	choices              int
	values, noValues     bool
	relativeDates        bool
}

func inferCommand() *cobra.Command {
	flags := &inferFlags{}
	command := newCommand("infer", "Write a dataset that resembles a real collection, from a sample of it", flags.infer)
	command.Long = "Sample a collection and write a dataset, for spec.dataset of a BenchmarkRun, whose\n" +
		"documents have the same fields, types, lengths, ranges and cardinality, with the same indexes and options.\n" +
		"Comments list what a dataset cannot express. The command only reads.\n\n" +
		"From the data itself the dataset contains field names and the smallest and largest numbers, dates and lengths;\n" +
		"only with --values also the prefix of strings that end in a number, and the values of fields that have only a\n" +
		"few, each seen several times. Otherwise these are made up, of the same types and lengths."
	command.Example = "  loadgen infer --uri mongodb://127.0.0.1:27017 --database shop --collection orders > dataset.yaml"
	flags.register(command)
	set := command.Flags()
	set.StringVar(&flags.database, "database", "", "database of the collection")
	set.StringVar(&flags.collection, "collection", "", "the collection")
	set.Int64Var(&flags.sample, "sample", defaultInferSample, "number of documents to sample")
	set.IntVar(&flags.choices, "max-choices", defaultChoices,
		"a field with at most this many distinct values becomes a Choice of them, at most 256; 0: never")
	set.BoolVar(&flags.values, "values", false,
		"keep the values of fields that have only a few, and the prefixes of strings; else made-up ones of the same lengths")
	set.BoolVar(&flags.relativeDates, "relative-dates", false,
		"declare dates by how far they are from now, so that a dataset that is loaded later has later ones")
	set.BoolVar(&flags.noValues, "no-values", false, "keep no values, which is the default")
	_ = set.MarkDeprecated("no-values", "no values are kept unless --values is given") // The flag is there.
	command.MarkFlagsMutuallyExclusive("values", "no-values")
	require(command, "database", "collection")
	return command
}

func (f *inferFlags) infer(ctx context.Context, to io.Writer) error {
	if f.sample < 1 || f.choices < 0 || f.choices > mostChoices {
		return fmt.Errorf("--sample is %d and --max-choices %d; they must be at least 1, and from 0 to %d",
			f.sample, f.choices, mostChoices)
	}
	target, err := f.openOne(ctx, 1)
	if err != nil {
		return err
	}
	defer closeTarget(ctx, target)
	result, err := f.look(ctx, target)
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if err != nil {
		return err
	}
	return infer.Write(to, result)
}

// look reads the sample and infers the dataset.
func (f *inferFlags) look(ctx context.Context, target *mongo.Target) (infer.Result, error) {
	about, err := target.About(ctx, f.database, f.collection)
	if err != nil {
		return infer.Result{}, err
	}
	settings := infer.Settings{MaxChoices: f.choices, NoValues: !f.values}
	if f.relativeDates {
		settings.Now = time.Now()
	}
	sample := infer.NewSample(settings)
	if err := target.Sample(ctx, f.database, f.collection, f.sample, sample.Add); err != nil {
		return infer.Result{}, err
	}
	if sample.Documents() == 0 {
		return infer.Result{}, errors.New("collection " + f.database + "." + f.collection + " has no documents to look at")
	}
	collection, notes := sample.Collection(infer.About{
		Name: f.collection, Documents: about.Documents, Options: about.Options, Indexes: about.Indexes,
	})
	result := infer.Result{
		Dataset: benchv1alpha1.Dataset{Database: &f.database, Collections: []benchv1alpha1.Collection{collection}},
		Notes:   notes,
	}
	average, err := infer.Generated(result.Dataset)
	if err != nil {
		return infer.Result{}, err
	}
	result.Header = []string{
		fmt.Sprintf("Inferred from %d of the %d documents of %s.%s; for spec.dataset of a BenchmarkRun.",
			sample.Documents(), about.Documents, f.database, f.collection),
		fmt.Sprintf("Documents have %d bytes on average, and the generated ones %d.", sample.AverageBytes(), average),
	}
	held := "Values and prefixes of texts are made up; the ends of ranges are those of the data. --values keeps all."
	if f.values {
		held = "It holds values of the data: those of each Choice, the ends of ranges, prefixes of texts."
	}
	result.Header = append(result.Header, held)
	return result, nil
}
