package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/comparison"
)

// Report reads the whole result of a run.
func (c *Cluster) Report(ctx context.Context, run *benchv1alpha1.BenchmarkRun) (reportv1.Report, error) {
	if run.Status.Result == nil {
		return reportv1.Report{}, fmt.Errorf("run %s has no result; see kubectl mongobench describe run/%s",
			run.Name, run.Name)
	}
	reference := run.Status.Result.Report
	stored, err := c.stored(ctx, run.Namespace, reference.ConfigMapName)
	if err != nil {
		return reportv1.Report{}, fmt.Errorf("reading the report of run %s: %w", run.Name, err)
	}
	encoded := stored.BinaryData[reportv1.ReportKey]
	if err := sameSum(stored.Name, encoded, reference.SHA256); err != nil {
		return reportv1.Report{}, err
	}
	return reportv1.Decode(encoded)
}

// Stored is what the operator keeps of a revision of a suite.
type Stored struct {
	comparison.Result
	// Files are the contents of its ConfigMap.
	Files comparison.Contents
	// Object is the suite; nil when the result was had without it.
	Object *benchv1alpha1.BenchmarkSuite
}

// Result reads the whole result of a suite.
func (c *Cluster) Result(ctx context.Context, suite *benchv1alpha1.BenchmarkSuite) (Stored, error) {
	reference := suite.Status.Result
	if reference == nil {
		return Stored{}, fmt.Errorf("suite %s has no result of revision %s; see kubectl mongobench describe suite/%s",
			suite.Name, suite.Status.Revision, suite.Name)
	}
	found, err := c.stored(ctx, suite.Namespace, reference.ConfigMapName)
	if err != nil {
		return Stored{}, fmt.Errorf("reading the result of suite %s: %w", suite.Name, err)
	}
	encoded := found.BinaryData[comparison.ResultKey]
	if err := sameSum(found.Name, encoded, reference.SHA256); err != nil {
		return Stored{}, err
	}
	result, err := comparison.DecodeResult(encoded)
	if err != nil {
		return Stored{}, err
	}
	return Stored{
		Result: result, Files: comparison.Contents{Text: found.Data, Binary: found.BinaryData}, Object: suite,
	}, nil
}

func (c *Cluster) stored(ctx context.Context, namespace, name string) (*corev1.ConfigMap, error) {
	found := &corev1.ConfigMap{}
	err := c.Client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, found)
	return found, err
}

// sameSum refuses what is not what the status speaks of.
func sameSum(name string, encoded []byte, want string) error {
	sum := sha256.Sum256(encoded)
	if hex.EncodeToString(sum[:]) != want {
		return fmt.Errorf("ConfigMap %s does not hold what the status tells of: its SHA-256 is another", name)
	}
	return nil
}
