package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/mongobench/mongobench-operator/hack/perf/fleet"
	"github.com/mongobench/mongobench-operator/internal/testing/testenv"
)

// crowds are what a manager must be able to start beside, with the memory that it may take, in MB. The chart gives it
// 128 MiB.
var crowds = []struct {
	figure string
	most   float64
	crowd  fleet.Crowd
}{
	{"manager_rss_mb_2000_reports", 100, fleet.Crowd{
		Name: "2,000 stored reports of 600 KiB", Reports: 2000, ReportBytes: 600 << 10,
	}},
	{"manager_rss_mb_hostile", 100, fleet.Crowd{
		Name:    "200 ConfigMaps of 1 MB with the operator's labels, and 20 runs whose load pods are hostile",
		Foreign: 200, ForeignBytes: 1_000_000, Bombs: 20,
	}},
	{"manager_rss_mb_large_runs", 134, fleet.Crowd{
		Name: "500 runs of 1 MB that wait, and 20 suites of 1 MB", Waiting: 500, Suites: 20, WaitingBytes: 1_000_000,
	}},
	{"manager_rss_mb_10000", 150, fleet.Crowd{Name: "10,000 finished runs", Finished: 10_000}},
}

// collectedPods are more than a run may have.
const collectedPods = 1000

// measureCrowds measures the manager beside each crowd, and the collecting of the reports of many load pods.
func measureCrowds(ctx context.Context, install installer, manager string, out io.Writer) error {
	options := fleet.Options{
		Manager: manager, Assets: testenv.Assets(), Definitions: filepath.Join("config", "crd"), Log: install.log,
	}
	var figures []figure
	for _, one := range crowds {
		var peak int64
		err := install.inFolder(one.figure, func(folder string) (err error) {
			options.Folder = folder
			peak, err = fleet.MeasureCrowd(ctx, options, one.crowd)
			return err
		})
		if err != nil {
			return err
		}
		figures = append(figures, figure{name: one.figure, value: megabytes(peak), unit: "MB", atMost: one.most})
	}
	program, err := install.build(ctx, ".", "./hack/perf/collector", filepath.Join(install.scratch, "collector"))
	if err != nil {
		return err
	}
	var collected fleet.Collecting
	err = install.inFolder("collecting", func(folder string) (err error) {
		options.Folder = folder
		collected, err = fleet.MeasureCollecting(ctx, options, program, collectedPods)
		return err
	})
	if err != nil {
		return err
	}
	figures = append(figures,
		figure{name: "collect_1000_pods_seconds", value: collected.Took.Seconds(), unit: "s", atMost: 60},
		figure{name: "collect_1000_pods_rss_mb", value: megabytes(collected.Peak), unit: "MB", atMost: 512})
	writeFigures(out, fmt.Sprintf("The operator in a crowd: the manager's memory from its start on, where the API server "+
		"streams no lists; collecting the reports of %d load pods, %d KiB each", collectedPods, collected.ReportBytes>>10),
		figures)
	return nil
}

// manyPods are as many load pods as a run may have.
const manyPods = 64

// measurePods measures what the load pods of one run and the manager ask the API server for.
func measurePods(ctx context.Context, install installer, manager string, out io.Writer) error {
	program, err := install.build(ctx, ".", "./hack/perf/loadpods", filepath.Join(install.scratch, "loadpods"))
	if err != nil {
		return err
	}
	database, err := startServer(ctx, install.cache)
	if err != nil {
		return err
	}
	defer database.stop()
	var asked fleet.Asked
	err = install.inFolder("pods", func(folder string) (err error) {
		asked, err = fleet.MeasurePods(ctx, fleet.Options{
			Manager: manager, Assets: testenv.Assets(), Definitions: filepath.Join("config", "crd"), Folder: folder,
			Log: install.log,
		}, program, "mongodb://"+database.address, manyPods)
		return err
	})
	if err != nil {
		return err
	}
	const title = "\nWhat a run with %d load pods asks the API server for in each second of a step, over %s: %s\n"
	_, _ = fmt.Fprintf(out, title, manyPods, fleet.AskedWindow, asked)
	writeFigures(out, "The API server in the steady state: requests of all load pods of one run, and of the operator",
		[]figure{{name: "api_requests_per_second_64_pods", value: asked.Sum(), unit: "requests/s", atMost: 2}})
	return nil
}

// inFolder does something with an empty folder, which is removed afterwards.
func (i installer) inFolder(name string, do func(folder string) error) error {
	folder := filepath.Join(i.scratch, name)
	if err := os.Mkdir(folder, 0o700); err != nil {
		return fmt.Errorf("making a folder for %s: %w", name, err)
	}
	if err := do(folder); err != nil {
		return err
	}
	return os.RemoveAll(folder)
}
