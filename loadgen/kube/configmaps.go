package kube

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
)

// callTimeout bounds one request to the API server; a caller that can wait longer repeats it.
const callTimeout = 10 * time.Second

// ConfigMaps reads and patches the ConfigMaps of one namespace.
type ConfigMaps struct {
	client v1.ConfigMapInterface
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
	config = rest.CopyConfig(config)
	config.Timeout = callTimeout
	client, err := v1.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("connecting to the API server: %w", err)
	}
	return &ConfigMaps{client: client.ConfigMaps(namespace)}, nil
}

func (c *ConfigMaps) get(ctx context.Context, name string) (*corev1.ConfigMap, error) {
	configMap, err := c.client.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("reading ConfigMap %s: %w", name, err)
	}
	return configMap, nil
}

// contents are the parts of a ConfigMap that a patch sets.
type contents struct {
	Data       map[string]string `json:"data,omitempty"`
	BinaryData map[string][]byte `json:"binaryData,omitempty"`
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

// persist repeats a call while the API server does not answer, as long as patience lasts: a measurement that has been
// made must not be lost to a restart of the API server.
func persist(ctx context.Context, patience time.Duration, call func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	began := time.Now()
	for {
		err := call(ctx)
		if err == nil || !transient(err, time.Since(began)) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(retryInterval):
		}
	}
}
