package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	v1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// callTimeout bounds one request to the API server; a caller that can wait longer repeats it.
const callTimeout = 10 * time.Second

// ConfigMaps reads, patches and watches the ConfigMaps of one namespace.
type ConfigMaps struct {
	client v1.ConfigMapInterface
	// watcher is for requests that are answered bit by bit: no time limits them but their own.
	watcher v1.ConfigMapInterface
}

// InCluster uses the service account of the pod that it runs in.
func InCluster(namespace string) (*ConfigMaps, error) {
	config, err := rest.InClusterConfig()
	if err != nil {
		return nil, fmt.Errorf("finding the API server from inside a pod: %w", err)
	}
	return For(config, namespace)
}

// For uses a given connection to the API server.
func For(config *rest.Config, namespace string) (*ConfigMaps, error) {
	clients := make([]v1.ConfigMapInterface, 0, 2)
	for _, timeout := range []time.Duration{callTimeout, 0} {
		config := rest.CopyConfig(config)
		config.Timeout = timeout
		// A pod sends few requests, but for the collector's, which reads what all pods handed in: at the library's five a
		// second that would take longer than many a step.
		config.QPS = -1
		client, err := v1.NewForConfig(config)
		if err != nil {
			return nil, fmt.Errorf("connecting to the API server: %w", err)
		}
		clients = append(clients, client.ConfigMaps(namespace))
	}
	return &ConfigMaps{client: clients[0], watcher: clients[1]}, nil
}

// contents are the parts of a ConfigMap that a patch sets. A key of the data whose value is nil is removed.
type contents struct {
	Data       map[string]*string `json:"data,omitempty"`
	BinaryData map[string][]byte  `json:"binaryData,omitempty"`
}

func (c *ConfigMaps) patch(ctx context.Context, name string, set contents) error {
	patch, err := json.Marshal(set)
	if err != nil {
		return fmt.Errorf("encoding a patch of ConfigMap %s: %w", name, err)
	}
	if _, err := c.client.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("writing ConfigMap %s: %w", name, err)
	}
	return nil
}

func (c *ConfigMaps) get(ctx context.Context, name string) (*corev1.ConfigMap, error) {
	configMap, err := c.client.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("reading ConfigMap %s: %w", name, err)
	}
	return configMap, nil
}

const (
	// retryInterval is the pause after a request that failed.
	retryInterval = 500 * time.Millisecond
	// authorizerLag is how long a refusal may come of a role binding that the API server's authorizer has not heard of
	// yet: it learns of new ones through a watch, behind the write itself.
	authorizerLag = 15 * time.Second
)

// transient tells a fault that may pass, such as an API server that restarts, from one that stays: a ConfigMap that is
// gone, or that still may not be touched after so long.
func transient(err error, tried time.Duration) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return true
	}
	if apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) {
		return tried < authorizerLag
	}
	stays := apierrors.IsNotFound(err) || apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) ||
		apierrors.IsRequestEntityTooLargeError(err)
	return !stays
}

// reportPatience is how long it is tried to hand in what must not be lost, such as a finished report.
const reportPatience = 2 * time.Minute

// Reporter writes where a pod is, and what it measured, into the pod's own ConfigMap.
type Reporter struct {
	ConfigMaps *ConfigMaps
	// Name of the pod's ConfigMap.
	Name string
}

// Progress writes where the pod is. What it says while a step runs is tried once, as the next progress tells more; what
// others wait for is repeated like a report.
func (r *Reporter) Progress(ctx context.Context, progress reportv1.Progress) error {
	text, err := reportv1.EncodeProgress(progress)
	if err != nil {
		return fmt.Errorf("encoding progress: %w", err)
	}
	set := contents{Data: map[string]*string{reportv1.ProgressKey: new(string(text))}}
	if progress.State == reportv1.ProgressRunning {
		return r.ConfigMaps.patch(ctx, r.Name, set)
	}
	return r.ConfigMaps.deliver(ctx, r.Name, set)
}

// Last returns what the pod that this one replaces wrote last; nil when this is the first.
func (r *Reporter) Last(ctx context.Context) (last *reportv1.Progress, err error) {
	var configMap *corev1.ConfigMap
	err = persist(ctx, func(ctx context.Context) error {
		configMap, err = r.ConfigMaps.get(ctx, r.Name)
		return err
	})
	if err != nil || configMap.Data[reportv1.ProgressKey] == "" {
		return nil, err
	}
	said, err := reportv1.DecodeProgress([]byte(configMap.Data[reportv1.ProgressKey]))
	if err != nil {
		return nil, fmt.Errorf("reading the progress in ConfigMap %s: %w", r.Name, err)
	}
	return &said, nil
}

// Report hands in what the pod measured.
func (r *Reporter) Report(ctx context.Context, report reportv1.Report) error {
	encoded, err := result.Encode(report)
	if err != nil {
		return fmt.Errorf("encoding the report: %w", err)
	}
	return r.ConfigMaps.deliver(ctx, r.Name, contents{BinaryData: map[string][]byte{reportv1.ReportKey: encoded}})
}

// Topology hands in what a topology Job found, in the ConfigMap of this name.
func (c *ConfigMaps) Topology(ctx context.Context, name string, report reportv1.TopologyReport) error {
	text, err := reportv1.EncodeTopology(report)
	if err != nil {
		return fmt.Errorf("encoding the topology report: %w", err)
	}
	return c.deliver(ctx, name, contents{Data: map[string]*string{reportv1.TopologyKey: new(string(text))}})
}

// deliver writes what must not be lost.
func (c *ConfigMaps) deliver(ctx context.Context, name string, set contents) error {
	return persist(ctx, func(ctx context.Context) error { return c.patch(ctx, name, set) })
}

// persist repeats a call while the API server does not answer, for reportPatience: a measurement that has been
// made must not be lost to a restart of the API server.
func persist(ctx context.Context, call func(context.Context) error) (err error) {
	began := time.Now()
	_ = wait.PollUntilContextTimeout(ctx, retryInterval, reportPatience, true, func(ctx context.Context) (bool, error) {
		err = call(ctx)
		return err == nil || !transient(err, time.Since(began)), nil
	})
	return err
}
