package fleet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// Collecting is what it takes to collect the reports of many load pods.
type Collecting struct {
	// Took is the time, Peak the largest resident size in bytes, of the program that collects.
	Took time.Duration
	Peak int64
	// ReportBytes is the size of one load pod's report as it was handed in.
	ReportBytes int
}

const (
	collectedRun = "r"
	planHash     = "0123"
	// A step of a large run, five minutes of four operations, and how many there are.
	largeSteps, largeOperations, largeIntervals = 2, 4, 300
)

// MeasureCollecting has a program collect the reports of so many load pods from a real API server.
func MeasureCollecting(ctx context.Context, o Options, program string, pods int) (Collecting, error) {
	f := &fleet{Options: o}
	defer f.stop()
	seen, err := f.collect(ctx, program, pods)
	if err != nil {
		return Collecting{}, fmt.Errorf("collecting the reports of %d load pods: %w", pods, err)
	}
	return seen, nil
}

func (f *fleet) collect(ctx context.Context, program string, pods int) (seen Collecting, err error) {
	if f.server, err = startServer(f.Assets, f.Definitions, f.Folder); err != nil {
		return seen, err
	}
	if f.client, err = client.New(f.server.config, client.Options{Scheme: f.server.scheme}); err != nil {
		return seen, err
	}
	space := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
	if err := f.client.Create(ctx, space); err != nil {
		return seen, err
	}
	err = f.sideBySide(ctx, "load pods' reports", pods, func(index int) error {
		encoded, err := result.Encode(largeReport(uint64(index)))
		if err != nil {
			return err
		}
		if index == 0 {
			seen.ReportBytes = len(encoded)
		}
		own := labelled(collectedRun+"-pod-"+strconv.Itoa(index), "report")
		own.BinaryData = map[string][]byte{reportv1.ReportKey: encoded}
		return f.client.Create(ctx, own)
	})
	if err != nil {
		return seen, err
	}
	for _, name := range []string{collectedRun + "-report", collectedRun + "-collected"} {
		if err := f.client.Create(ctx, labelled(name, "collected")); err != nil {
			return seen, err
		}
	}
	var said bytes.Buffer
	command := exec.CommandContext(ctx, program, "--kubeconfig", f.server.kubeconfig, "--namespace", namespace,
		"--run", collectedRun, "--pods", strconv.Itoa(pods), "--plan-hash", planHash)
	// 90 % of 512 MiB, as a load pod has it.
	command.Env, command.Stderr = append(os.Environ(), "GOMEMLIMIT=460MiB"), &said
	began := time.Now()
	if err := command.Run(); err != nil {
		return seen, fmt.Errorf("%w: %s", err, said.String())
	}
	seen.Took = time.Since(began)
	usage, is := command.ProcessState.SysUsage().(*syscall.Rusage)
	if !is {
		return seen, errors.New("the system does not tell what the program used")
	}
	seen.Peak = usage.Maxrss << 10
	return seen, f.checkCollected(ctx)
}

// checkCollected says why what the operator is told is not of a report.
func (f *fleet) checkCollected(ctx context.Context) error {
	var answer corev1.ConfigMap
	name := client.ObjectKey{Namespace: namespace, Name: collectedRun + "-collected"}
	if err := f.client.Get(ctx, name, &answer); err != nil {
		return err
	}
	told, err := reportv1.DecodeCollected([]byte(answer.Data[reportv1.CollectedKey]))
	if err == nil && told.Failed != "" {
		err = errors.New(told.Failed)
	}
	return err
}

// largeReport is what one load pod of a large run hands in: times that spread over three decades, and counts that vary
// from second to second, which is what compresses badly.
func largeReport(seed uint64) reportv1.Report {
	random := rand.New(rand.NewPCG(seed, 1))
	start := time.Date(2026, time.November, 21, 3, 0, 0, 0, time.UTC)
	report := reportv1.Report{Version: reportv1.Version, PlanHash: planHash, Pods: 1}
	for step := range largeSteps {
		made := reportv1.Step{
			Name: "step-" + strconv.Itoa(step), Kind: reportv1.KindMeasure, IntendedStart: start, Start: start,
			MeasureStart: start, End: start.Add(largeIntervals * time.Second), Threads: 8, IntervalMillis: 1000,
		}
		for operation := range largeOperations {
			made.Operations = append(made.Operations, largeOperation(random, "operation-"+strconv.Itoa(operation)))
		}
		report.Steps = append(report.Steps, made)
	}
	return report
}

func largeOperation(random *rand.Rand, name string) reportv1.Operation {
	histogram := reportv1.NewHistogram()
	operation := reportv1.Operation{Name: name, Kind: "FindOne"}
	for range largeIntervals {
		count := 50 + random.Int64N(100)
		times := make([]int64, reportv1.IntervalBuckets/2)
		for range count {
			micros := int64(100 + random.ExpFloat64()*2000)
			_ = histogram.RecordValue(micros) // Within its bounds.
			times[reportv1.IntervalBucket(micros)]++
		}
		operation.Count += count
		operation.Intervals = append(operation.Intervals, count)
		operation.IntervalTimes = append(operation.IntervalTimes, times)
	}
	operation.ServiceTime, _ = reportv1.EncodeHistogram(histogram)
	return operation
}
