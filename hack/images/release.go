package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/mongobench/mongobench-operator/hack/images/internal/image"
	"github.com/mongobench/mongobench-operator/hack/images/internal/recipe"
)

// release writes OCI layouts: of the images of a release into TO/images, or, with -chart, of its chart into
// TO/charts. It prints a line for each: the layout's folder below TO, and its digest.
func release(arguments []string) error {
	var of recipe.Release
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	to := flags.String("to", "", "folder of the release")
	created := flags.Int64("created", 0, "when it was committed, in seconds of Unix time")
	chart := flags.String("chart", "", "a packaged Helm chart, with its Chart.yaml as JSON beside it: FILE.json")
	flags.StringVar(&of.Version, "version", "", "version without the leading v")
	flags.StringVar(&of.Commit, "commit", "", "commit that it was built from")
	flags.StringVar(&of.Programs, "programs", "", "folder of folders OS_ARCHITECTURE with the programs")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	of.Created = time.Unix(*created, 0)
	if *chart != "" {
		return releaseChart(of, *chart, *to)
	}
	names := flags.Args()
	if len(names) == 0 {
		names = recipe.Released()
	}
	for _, name := range names {
		folder := filepath.Join("images", name)
		written, err := of.WriteLayout(name, filepath.Join(*to, folder))
		if err != nil {
			return fmt.Errorf("image %s: %w", name, err)
		}
		tell(folder, written)
	}
	return nil
}

func releaseChart(of recipe.Release, file, to string) error {
	archive, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("reading the chart: %w", err)
	}
	metadata, err := os.ReadFile(file + ".json")
	if err != nil {
		return fmt.Errorf("reading the chart's metadata: %w", err)
	}
	folder := filepath.Join("charts", "mongobench-operator")
	written, err := of.WriteChartLayout(archive, metadata, filepath.Join(to, folder))
	if err != nil {
		return fmt.Errorf("the chart: %w", err)
	}
	tell(folder, written)
	return nil
}

func tell(folder string, written image.Layout) { fmt.Println(folder, written.Digest) }
