package harness

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// leastSecret is the length from which on a value is looked for; shorter ones stand everywhere.
const leastSecret = 8

// Secrets are the values of all Secrets in the namespace that nobody else may know, by where they are from. The names
// of users are no secrets.
func (n *Namespace) Secrets(t *testing.T) map[string]string {
	t.Helper()
	list := &corev1.SecretList{}
	n.FetchAll(t, list)
	secrets := map[string]string{}
	for i := range list.Items {
		for key, value := range list.Items[i].Data {
			if key != "username" && len(value) >= leastSecret {
				secrets[list.Items[i].Name+"/"+key] = string(value)
			}
		}
	}
	return secrets
}

// Texts are all that can be read in the namespace by somebody who may not read Secrets, and what the manager logged.
func (n *Namespace) Texts(ctx context.Context) (map[string]string, error) {
	texts := map[string]string{}
	lists := []client.ObjectList{
		&corev1.ConfigMapList{}, &corev1.EventList{}, &corev1.PodList{}, &corev1.ServiceList{},
		&corev1.ServiceAccountList{}, &appsv1.StatefulSetList{}, &batchv1.JobList{},
		&benchv1alpha1.BenchmarkRunList{}, &benchv1alpha1.BenchmarkTargetList{},
	}
	for _, list := range lists {
		if err := n.List(ctx, list, client.InNamespace(n.Name)); err != nil {
			return nil, fmt.Errorf("listing %T: %w", list, err)
		}
		err := apimeta.EachListItem(list, func(item runtime.Object) error { return addText(texts, item) })
		if err != nil {
			return nil, err
		}
	}
	return texts, n.addLogs(ctx, texts)
}

func addText(texts map[string]string, item runtime.Object) error {
	encoded, err := json.Marshal(item)
	if err != nil {
		return fmt.Errorf("encoding %T: %w", item, err)
	}
	object, err := apimeta.Accessor(item)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("%T %s", item, object.GetName())
	texts[name] = string(encoded)
	if configMap, ok := item.(*corev1.ConfigMap); ok {
		for key, value := range configMap.BinaryData {
			texts[name+"/"+key] = unzip(value)
		}
	}
	return nil
}

// unzip is what lies within, or the value itself when it is not compressed.
func unzip(value []byte) string {
	reader, err := gzip.NewReader(bytes.NewReader(value))
	if err != nil {
		return string(value)
	}
	plain, err := io.ReadAll(reader)
	if err != nil {
		return string(value)
	}
	return string(plain)
}

func (n *Namespace) addLogs(ctx context.Context, texts map[string]string) error {
	pods := &corev1.PodList{}
	if err := n.List(ctx, pods, client.InNamespace(n.Name)); err != nil {
		return fmt.Errorf("listing pods: %w", err)
	}
	manager, err := n.ManagerPod(ctx)
	if err != nil {
		return err
	}
	for _, pod := range append(pods.Items, *manager) {
		for _, container := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
			said, err := n.Log(ctx, &pod, container.Name, nil)
			if err != nil {
				return err
			}
			texts[fmt.Sprintf("log of pod %s, container %s", pod.Name, container.Name)] = said
		}
	}
	return nil
}

// Leaks tells which secrets stand in which texts, as they are, in base64 or escaped as JSON does. It repeats no secret.
func Leaks(texts, secrets map[string]string) []string {
	var found []string
	for origin, secret := range secrets {
		for place, text := range texts {
			if slices.ContainsFunc(disguises(secret), func(s string) bool { return strings.Contains(text, s) }) {
				found = append(found, fmt.Sprintf("%s stands in %s", origin, place))
			}
		}
	}
	slices.Sort(found)
	return found
}

func disguises(secret string) []string {
	trimmed := strings.TrimSpace(secret)
	forms := []string{
		trimmed,
		// Without the last characters, which padding and what follows change.
		strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(secret)), "="),
		strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(trimmed)), "="),
	}
	if quoted, err := json.Marshal(trimmed); err == nil {
		forms = append(forms, strings.Trim(string(quoted), `"`))
	}
	return forms
}
