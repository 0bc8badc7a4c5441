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
	stored, err := c.stored(ctx, client.ObjectKey{Namespace: run.Namespace, Name: reference.ConfigMapName},
		reportv1.ReportKey, reference.SHA256)
	if err != nil {
		return reportv1.Report{}, fmt.Errorf("reading the report of run %s: %w", run.Name, err)
	}
	return reportv1.Decode(stored.BinaryData[reportv1.ReportKey])
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
	found, err := c.stored(ctx, client.ObjectKey{Namespace: suite.Namespace, Name: reference.ConfigMapName},
		comparison.ResultKey, reference.SHA256)
	if err != nil {
		return Stored{}, fmt.Errorf("reading the result of suite %s: %w", suite.Name, err)
	}
	result, err := comparison.DecodeResult(found.BinaryData[comparison.ResultKey])
	if err != nil {
		return Stored{}, err
	}
	return Stored{
		Result: result, Files: comparison.Contents{Text: found.Data, Binary: found.BinaryData}, Object: suite,
	}, nil
}

// stored reads a ConfigMap, and refuses one whose content is not what a status speaks of.
func (c *Cluster) stored(ctx context.Context, key client.ObjectKey, content, want string) (*corev1.ConfigMap, error) {
	found := &corev1.ConfigMap{}
	if err := c.Client.Get(ctx, key, found); err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(found.BinaryData[content]); hex.EncodeToString(sum[:]) != want {
		return nil, fmt.Errorf("ConfigMap %s does not hold what the status tells of: its SHA-256 is another", key.Name)
	}
	return found, nil
}
