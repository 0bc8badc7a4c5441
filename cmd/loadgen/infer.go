package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/infer"
)

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
	noValues             bool
}

func inferCommand() *cobra.Command {
	flags := &inferFlags{}
	command := &cobra.Command{
		Use:   "infer",
		Short: "Write a dataset that resembles a real collection, from a sample of it",
		Long: "Sample a collection and write a dataset, for spec.dataset of a BenchmarkRun, whose\n" +
			"documents have the same fields, types, lengths, ranges and cardinality, with the same indexes and options.\n" +
			"Comments list what a dataset cannot express. The command only reads.\n\n" +
			"From the data itself the dataset contains field names, the smallest and largest numbers, dates and lengths, the\n" +
			"prefix of strings that end in a number, and the values of fields that have only a few, each seen several\n" +
			"times. --no-values replaces these values and prefixes with made-up ones of the same lengths.",
		Example: "  loadgen infer --uri mongodb://127.0.0.1:27017 --database shop --collection orders > dataset.yaml",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return flags.infer(command.Context(), command.OutOrStdout())
		},
	}
	flags.register(command)
	set := command.Flags()
	set.StringVar(&flags.database, "database", "", "database of the collection")
	set.StringVar(&flags.collection, "collection", "", "the collection")
	set.Int64Var(&flags.sample, "sample", defaultInferSample, "number of documents to sample")
	set.IntVar(&flags.choices, "max-choices", defaultChoices,
		"a field with at most this many distinct values becomes a Choice of them, at most 256; 0: never")
	set.BoolVar(&flags.noValues, "no-values", false, "replace values from the data with made-up ones of the same lengths")
	_ = command.MarkFlagRequired("database")
	_ = command.MarkFlagRequired("collection")
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
	sample := infer.NewSample(infer.Settings{MaxChoices: f.choices, NoValues: f.noValues})
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
	if !f.noValues {
		result.Header = append(result.Header, "It holds values of the data: those of each Choice, the ends of ranges, "+
			"prefixes of texts. --no-values replaces all but the ends of ranges.")
	}
	return result, nil
}
