package cluster

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
)

// Role is the part that a pod plays in a run.
type Role string

// The roles, in the order in which logs are written.
const (
	Load     Role = "load"
	Gateway  Role = "gateway"
	Topology Role = "topology"
	Members  Role = "members"
)

// longestLine of a log that is kept in one piece.
const longestLine = 1 << 20

// Pod is a pod of a run with its role.
type Pod struct {
	Role Role
	corev1.Pod
}

// RunPods are the pods of a run that exist, of some roles.
func (c *Cluster) RunPods(ctx context.Context, run *benchv1alpha1.BenchmarkRun, roles []Role) ([]Pod, error) {
	selectors := map[Role]labels.Set{
		Load:    naming.ForRun(run.Name, naming.ComponentLoad),
		Gateway: naming.ForRun(run.Name, naming.ComponentGateway),
	}
	if target := run.Status.TargetName; target != "" {
		selectors[Topology] = naming.SelectComponent(target, naming.ComponentTopology)
		selectors[Members] = naming.SelectMembers(target)
	}
	var pods []Pod
	for _, role := range roles {
		selector, ok := selectors[role]
		if !ok {
			continue
		}
		found, err := c.Pods.CoreV1().Pods(run.Namespace).List(ctx, metav1.ListOptions{LabelSelector: selector.String()})
		if err != nil {
			return nil, fmt.Errorf("listing the pods of run %s: %w", run.Name, err)
		}
		for _, pod := range found.Items {
			pods = append(pods, Pod{Role: role, Pod: pod})
		}
	}
	return pods, nil
}

// LogOptions say how much of the logs is copied.
type LogOptions struct {
	Follow bool
	// Tail is the number of lines from the end of each log; negative for all.
	Tail int64
}

// Logs copies the logs of all containers of pods, each line with its role and pod before it. Those of different pods
// are mixed when they are followed, and one after the other otherwise. A pod without a log does not keep the others
// from being read.
func (c *Cluster) Logs(ctx context.Context, pods []Pod, options LogOptions, to io.Writer) error {
	var copying sync.WaitGroup
	var failures error
	// The lock is that of failures, and keeps lines of several logs whole.
	var lock sync.Mutex
	write := func(line string) error {
		lock.Lock()
		defer lock.Unlock()
		_, err := io.WriteString(to, line+"\n")
		return err
	}
	for _, pod := range pods {
		for _, container := range pod.Spec.Containers {
			read := func() {
				err := c.copyLog(ctx, pod, container.Name, options, write)
				lock.Lock()
				defer lock.Unlock()
				failures = errors.Join(failures, err)
			}
			if options.Follow {
				copying.Go(read)
			} else {
				read()
			}
		}
	}
	copying.Wait()
	return failures
}

func (c *Cluster) copyLog(
	ctx context.Context, pod Pod, container string, options LogOptions, write func(line string) error,
) error {
	wanted := &corev1.PodLogOptions{Container: container, Follow: options.Follow}
	if options.Tail >= 0 {
		wanted.TailLines = &options.Tail
	}
	stream, err := c.Pods.CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, wanted).Stream(ctx)
	if err != nil {
		return fmt.Errorf("reading the log of %s, container %s: %w", pod.Name, container, err)
	}
	defer func() { _ = stream.Close() }()
	prefix := fmt.Sprintf("[%s %s", pod.Role, pod.Name)
	if len(pod.Spec.Containers) > 1 {
		prefix += " " + container
	}
	scanner := bufio.NewScanner(stream)
	scanner.Buffer(nil, longestLine)
	for scanner.Scan() {
		if err := write(prefix + "] " + strings.TrimRight(scanner.Text(), "\r")); err != nil {
			return err
		}
	}
	if err := scanner.Err(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("reading the log of %s, container %s: %w", pod.Name, container, err)
	}
	return nil
}
