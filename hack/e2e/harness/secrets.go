package harness

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// leastSecret is the length from which on a value is looked for; shorter ones stand everywhere.
const leastSecret = 8

// processes is where the kernel tells of every process, those in containers too.
const processes = "/proc"

// public are keys of Secrets whose values anybody may know: names of users, certificates.
var public = []string{"username", "tls.crt", "ca.crt"}

// Secrets are the values of all Secrets in the namespace that must stay secret, by where they are from.
func (n *Namespace) Secrets(t *testing.T) map[string]string {
	t.Helper()
	list := &corev1.SecretList{}
	n.FetchAll(t, list)
	return valuesOf(list.Items)
}

func valuesOf(list []corev1.Secret) map[string]string {
	secrets := map[string]string{}
	for i := range list {
		secret := &list[i]
		for key, value := range secret.Data {
			if !slices.Contains(public, key) && len(value) >= leastSecret {
				secrets[secret.Name+"/"+key] = string(value)
			}
		}
	}
	return secrets
}

// Texts are all that can be read without the right to read Secrets: all other objects of all kinds in the namespace,
// with the reports unpacked, what every container and the manager logged, and the arguments and environment of every
// process of this machine, where a local cluster's containers run.
func (n *Namespace) Texts(ctx context.Context) (map[string]string, error) {
	texts := map[string]string{}
	kinds, err := n.kinds()
	if err != nil {
		return nil, err
	}
	for _, kind := range kinds {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
		err := n.List(ctx, list, client.InNamespace(n.Name))
		if apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("listing objects of the kind %s: %w", kind.Kind, err)
		}
		for i := range list.Items {
			if err := addText(texts, &list.Items[i]); err != nil {
				return nil, err
			}
		}
	}
	addProcesses(texts, processes)
	return texts, n.addLogs(ctx, texts)
}

// kinds are all kinds whose objects lie in namespaces and can be listed, but Secrets.
func (n *Namespace) kinds() ([]schema.GroupVersionKind, error) {
	groups, err := n.Typed.Discovery().ServerPreferredNamespacedResources()
	if err != nil {
		return nil, fmt.Errorf("asking which kinds there are: %w", err)
	}
	return listable(groups), nil
}

func listable(groups []*metav1.APIResourceList) []schema.GroupVersionKind {
	var kinds []schema.GroupVersionKind
	for _, group := range discovery.FilteredBy(discovery.SupportsAllVerbs{Verbs: []string{"list"}}, groups) {
		for i := range group.APIResources {
			kind := schema.FromAPIVersionAndKind(group.GroupVersion, group.APIResources[i].Kind)
			if kind != corev1.SchemeGroupVersion.WithKind("Secret") {
				kinds = append(kinds, kind)
			}
		}
	}
	return kinds
}

// addText adds an object as JSON, and what a ConfigMap holds in binary.
func addText(texts map[string]string, object *unstructured.Unstructured) error {
	encoded, err := json.Marshal(object)
	if err != nil {
		return fmt.Errorf("encoding %s %s: %w", object.GetKind(), object.GetName(), err)
	}
	name := object.GetKind() + " " + object.GetName()
	texts[name] = string(encoded)
	binary, _, err := unstructured.NestedStringMap(object.Object, "binaryData")
	if err != nil {
		return fmt.Errorf("reading %s: %w", name, err)
	}
	for key, value := range binary {
		packed, err := base64.StdEncoding.DecodeString(value)
		if err != nil {
			return fmt.Errorf("reading %s/%s: %w", name, key, err)
		}
		texts[name+"/"+key] = unzip(packed)
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

// addProcesses adds the arguments and the environment of each process that can be read. One that has ended meanwhile
// has neither.
func addProcesses(texts map[string]string, folder string) {
	for _, file := range []string{"cmdline", "environ"} {
		paths, _ := filepath.Glob(filepath.Join(folder, "[0-9]*", file)) // The pattern is a good one.
		for _, path := range paths {
			content, err := os.ReadFile(path)
			if err == nil && len(content) > 0 {
				texts[path] = strings.ReplaceAll(string(content), "\x00", " ")
			}
		}
	}
}

// addLogs adds what the containers of the namespace and the manager wrote, and what restarted ones wrote before.
func (n *Namespace) addLogs(ctx context.Context, texts map[string]string) error {
	pods := &corev1.PodList{}
	if err := n.List(ctx, pods, client.InNamespace(n.Name)); err != nil {
		return fmt.Errorf("listing pods: %w", err)
	}
	manager, err := n.ManagerPod(ctx)
	if err != nil {
		return err
	}
	var failures []error
	for _, pod := range append(pods.Items, *manager) {
		for _, status := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
			if status.State.Waiting != nil && status.RestartCount == 0 {
				continue // It has not said anything yet.
			}
			said, err := n.Log(ctx, &pod, status.Name, nil)
			failures = append(failures, err)
			texts[fmt.Sprintf("log of pod %s, container %s", pod.Name, status.Name)] = said
			if status.RestartCount == 0 {
				continue
			}
			options := &corev1.PodLogOptions{Container: status.Name, Previous: true}
			before, err := n.Typed.CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, options).DoRaw(ctx)
			if err == nil { // The kubelet may have thrown it away.
				texts[fmt.Sprintf("earlier log of pod %s, container %s", pod.Name, status.Name)] = string(before)
			}
		}
	}
	return errors.Join(failures...)
}

// Leaks tells which secrets stand in which texts, as they are, in base64 or escaped as JSON does; of what has several
// lines, such as a private key, one line is enough. It repeats no secret.
func Leaks(texts, secrets map[string]string) []string {
	var found []string
	for origin, secret := range secrets {
		forms := disguises(secret)
		for place, text := range texts {
			if slices.ContainsFunc(forms, func(s string) bool { return strings.Contains(text, s) }) {
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
	if lines := strings.Split(trimmed, "\n"); len(lines) > 2 {
		// Not the first and the last, which say what it is.
		forms = append(forms, lines[1:len(lines)-1]...)
	}
	return forms
}
