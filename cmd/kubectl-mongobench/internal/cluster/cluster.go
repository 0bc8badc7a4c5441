package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/suite"
)

var (
	// ErrRefused is an object that the API server does not take.
	ErrRefused = errors.New("refused")
	// ErrUsage is a request that makes no sense, such as a name that may mean two objects.
	ErrUsage = errors.New("wrong use")
)

// requestTimeout bounds each request to an API server that does not answer, unless --request-timeout says otherwise.
const requestTimeout = 30 * time.Second

// What one call of the program may ask of the API server, as kubectl has it; the client's own are for controllers.
const (
	requestsPerSecond = 50
	requestBurst      = 300
)

// Cluster is a connection to a cluster, in a namespace of it.
type Cluster struct {
	Client client.Client
	// Pods reads logs. Its requests have no deadline, since a log that is followed has no end.
	Pods      kubernetes.Interface
	Namespace string
	// Note tells people something that is no error; nil: nobody is told.
	Note  func(text string)
	flags genericclioptions.RESTClientGetter
}

// Connect makes a connection as kubectl's flags say. Nothing is sent yet.
func Connect(flags *genericclioptions.ConfigFlags) (*Cluster, error) {
	namespace, _, err := flags.ToRawKubeConfigLoader().Namespace()
	if err != nil {
		return nil, fmt.Errorf("reading kubeconfig: %w", err)
	}
	config, err := flags.ToRESTConfig()
	if err != nil {
		return nil, fmt.Errorf("finding the cluster: %w", err)
	}
	config.QPS, config.Burst = requestsPerSecond, requestBurst
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), benchv1alpha1.AddToScheme(scheme)); err != nil {
		return nil, fmt.Errorf("making the API known: %w", err)
	}
	pods, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("connecting to the cluster: %w", err)
	}
	if config.Timeout == 0 {
		config.Timeout = requestTimeout
	}
	connected, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, fmt.Errorf("connecting to the cluster: %w", err)
	}
	return &Cluster{Client: connected, Pods: pods, Namespace: namespace, flags: flags}, nil
}

// List reads all objects of a list's kind, in one namespace, or in all for an empty one.
func (c *Cluster) List(ctx context.Context, into client.ObjectList, namespace string) error {
	if err := c.Client.List(ctx, into, client.InNamespace(namespace)); err != nil {
		return fmt.Errorf("listing: %w", explained(err))
	}
	return nil
}

// explained tells what is missing where the API server only says that there is no such thing, and marks a refusal.
func explained(err error) error {
	switch {
	case apimeta.IsNoMatchError(err), runtime.IsNotRegisteredError(err):
		return fmt.Errorf("%w; is the operator installed in this cluster?", err)
	case apierrors.IsInvalid(err), apierrors.IsBadRequest(err), apierrors.IsForbidden(err), apierrors.IsConflict(err):
		return fmt.Errorf("%w: %w", ErrRefused, err)
	default:
		return err
	}
}

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
	encoded := stored.BinaryData[reportv1.ReportKey]
	c.noteUnknown("the report of run "+run.Name, reportv1.Unknown(encoded))
	return reportv1.Decode(encoded)
}

func (c *Cluster) noteUnknown(what string, fields []string) {
	if text := LeftOut(what, fields); text != "" && c.Note != nil {
		c.Note(text)
	}
}

// mostLeftOut is how many fields are named that were left out.
const mostLeftOut = 5

// LeftOut says of what was read that a later release wrote it, and what was left out of it; empty when that is nothing.
func LeftOut(what string, fields []string) string {
	if len(fields) == 0 {
		return ""
	}
	return what + " is of a later release than this program, which leaves out " +
		strings.Join(present.First(fields, mostLeftOut, "%d more"), ", ")
}

// Stored is what the operator keeps of a revision of a suite.
type Stored struct {
	comparison.Result
	// Files are the contents of its ConfigMap.
	Files comparison.Contents
	// Object is the suite; nil when the result was had without it.
	Object *benchv1alpha1.BenchmarkSuite
	// Runs of the revision, as far as there still are any; nil when they were not read.
	Runs []benchv1alpha1.BenchmarkRun
}

// ReadRuns reads the runs of the present revision of a suite, those that it took over from an earlier one included.
func (c *Cluster) ReadRuns(ctx context.Context, of *benchv1alpha1.BenchmarkSuite) (
	[]benchv1alpha1.BenchmarkRun, error,
) {
	var all benchv1alpha1.BenchmarkRunList
	err := c.Client.List(ctx, &all, client.InNamespace(of.Namespace), client.MatchingLabels{suite.Label: of.Name})
	if err != nil {
		return nil, fmt.Errorf("listing the runs of suite %s: %w", of.Name, explained(err))
	}
	return slices.DeleteFunc(all.Items, func(run benchv1alpha1.BenchmarkRun) bool {
		return run.Labels[suite.RevisionLabel] != of.Status.Revision &&
			!slices.ContainsFunc(of.Status.Variants, func(variant benchv1alpha1.VariantStatus) bool {
				return variant.SpecHash == run.Labels[suite.SpecHashLabel]
			})
	}), nil
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
	encoded := found.BinaryData[comparison.ResultKey]
	c.noteUnknown("the result of suite "+suite.Name, comparison.UnknownResult(encoded))
	result, err := comparison.DecodeResult(encoded)
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
