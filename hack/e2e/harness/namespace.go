package harness

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/transport/spdy"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

const (
	// goneTime is how long the pods of a test may take to go away, so that the next test has the CPU.
	goneTime = 4 * time.Minute
	// maxNamespace leaves room for the suffix that the server generates.
	maxNamespace = 40
)

// Namespace is the namespace of one test.
type Namespace struct {
	*Cluster

	Name string
}

// Namespace makes a namespace that enforces the restricted Pod Security Standard, for as long as the test lasts. When
// the test fails, the state of the namespace is printed before it goes.
func (c *Cluster) Namespace(t *testing.T) *Namespace {
	t.Helper()
	began := time.Now()
	made := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		GenerateName: Slug(t.Name()) + "-",
		Labels:       map[string]string{"pod-security.kubernetes.io/enforce": "restricted"},
	}}
	if err := answer(t.Context(), func(ctx context.Context) error { return c.Create(ctx, made) }); err != nil {
		t.Fatalf("creating a namespace: %v", err)
	}
	n := &Namespace{Cluster: c, Name: made.Name}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), goneTime+requestTimeout)
		defer cancel()
		if t.Failed() {
			t.Log(n.State(ctx))
		}
		c.Summary.Scenario(t.Name(), time.Since(began), t.Failed())
		c.sampleManager(ctx, t)
		n.remove(ctx, t)
	})
	return n
}

var (
	capital = regexp.MustCompile(`[A-Z]`)
	unusual = regexp.MustCompile(`[^a-z0-9]`)
)

// Slug makes a name of Kubernetes of a test's name: TestRunIsDeleted becomes e2e-run-is-deleted.
func Slug(name string) string {
	dashed := strings.ToLower(capital.ReplaceAllString(strings.TrimPrefix(name, "Test"), "-$0"))
	text := "e2e-" + strings.Trim(unusual.ReplaceAllString(dashed, "-"), "-")
	return strings.TrimRight(text[:min(len(text), maxNamespace)], "-")
}

// remove deletes the namespace and waits until its pods are gone. What is left of it goes by itself.
func (n *Namespace) remove(ctx context.Context, t *testing.T) {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: n.Name}}
	if err := n.Delete(ctx, namespace); err != nil && !apierrors.IsNotFound(err) {
		t.Errorf("deleting namespace %s: %v", n.Name, err)
		return
	}
	err := Poll(ctx, goneTime, func(ctx context.Context) (bool, string, error) {
		pods := &corev1.PodList{}
		err := n.List(ctx, pods, client.InNamespace(n.Name))
		return len(pods.Items) == 0, "pods " + strings.Join(podNames(pods), ", "), err
	})
	if err != nil {
		t.Errorf("waiting for the pods of namespace %s to go away: %v", n.Name, err)
	}
}

func podNames(pods *corev1.PodList) []string {
	names := make([]string, 0, len(pods.Items))
	for i := range pods.Items {
		names = append(names, pods.Items[i].Name)
	}
	slices.Sort(names)
	return names
}

// Apply creates objects in the namespace.
func (n *Namespace) Apply(t *testing.T, objects ...client.Object) {
	t.Helper()
	for _, object := range objects {
		object.SetNamespace(n.Name)
		asked := 0
		err := answer(t.Context(), func(ctx context.Context) error {
			err := n.Create(ctx, object)
			if asked++; asked > 1 && apierrors.IsAlreadyExists(err) {
				return nil // It was made when the answer was lost.
			}
			return err
		})
		if err != nil {
			t.Fatalf("creating %T %s: %v", object, object.GetName(), err)
		}
	}
}

// Fetch reads an object of the namespace.
func (n *Namespace) Fetch(t *testing.T, name string, into client.Object) {
	t.Helper()
	key := client.ObjectKey{Namespace: n.Name, Name: name}
	if err := answer(t.Context(), func(ctx context.Context) error { return n.Get(ctx, key, into) }); err != nil {
		t.Fatalf("reading %T %s: %v", into, name, err)
	}
}

// FetchAll lists all objects of one kind in the namespace.
func (n *Namespace) FetchAll(t *testing.T, into client.ObjectList) {
	t.Helper()
	err := answer(t.Context(), func(ctx context.Context) error { return n.List(ctx, into, client.InNamespace(n.Name)) })
	if err != nil {
		t.Fatalf("listing %T: %v", into, err)
	}
}

// forwardTime is how long a port forward may take to stand.
const forwardTime = 2 * time.Minute

// Forward makes a port of a pod reachable on this machine, for as long as the test lasts, and returns the address.
func (n *Namespace) Forward(t *testing.T, pod string, port int) string {
	t.Helper()
	address, stop, err := n.forward(n.Name, pod, port)
	if err != nil {
		t.Fatalf("forwarding a port of pod %s: %v", pod, err)
	}
	t.Cleanup(stop)
	return address
}

// forward makes a port of a pod one of this machine, until it is stopped.
func (c *Cluster) forward(namespace, pod string, port int) (address string, end func(), err error) {
	transport, upgrader, err := spdy.RoundTripperFor(c.Config)
	if err != nil {
		return "", nil, err
	}
	request := c.Typed.CoreV1().RESTClient().Post().Resource("pods").Namespace(namespace).Name(pod).
		SubResource("portforward")
	dialer := spdy.NewDialer(upgrader, &http.Client{Transport: transport}, http.MethodPost, request.URL())
	stop, ready := make(chan struct{}), make(chan struct{})
	forwarder, err := portforward.New(dialer, []string{fmt.Sprintf("0:%d", port)}, stop, ready, io.Discard, io.Discard)
	if err != nil {
		return "", nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- forwarder.ForwardPorts() }()
	select {
	case <-ready:
	case err := <-ended:
		return "", nil, err
	case <-time.After(forwardTime):
		close(stop)
		return "", nil, fmt.Errorf("nothing happened within %s", forwardTime)
	}
	end = sync.OnceFunc(func() { close(stop) })
	ports, err := forwarder.GetPorts()
	if err != nil {
		end()
		return "", nil, err
	}
	return fmt.Sprintf("localhost:%d", ports[0].Local), end, nil
}

const (
	// logLines of each container are printed, and as many of the manager's that speak of the namespace.
	logLines = 25
	// maxLine is how much of a line is printed.
	maxLine = 400
)

// State is all that helps to understand a failure: conditions, pods, events, the ends of the logs, the manager's too.
func (n *Namespace) State(ctx context.Context) string {
	var text strings.Builder
	fmt.Fprintf(&text, "state of namespace %s\n", n.Name)
	runs, targets := &benchv1alpha1.BenchmarkRunList{}, &benchv1alpha1.BenchmarkTargetList{}
	pods, events := &corev1.PodList{}, &corev1.EventList{}
	for _, list := range []client.ObjectList{runs, targets, pods, events} {
		if err := n.List(ctx, list, client.InNamespace(n.Name)); err != nil {
			fmt.Fprintf(&text, "  listing %T: %v\n", list, err)
		}
	}
	for i := range runs.Items {
		fmt.Fprintf(&text, "  run %s: %s\n", runs.Items[i].Name, Describe(runs.Items[i].Status.Conditions))
	}
	for i := range targets.Items {
		fmt.Fprintf(&text, "  target %s: %s\n", targets.Items[i].Name, Describe(targets.Items[i].Status.Conditions))
	}
	text.WriteString(describeEvents(events.Items))
	for i := range pods.Items {
		text.WriteString(describePod(&pods.Items[i]))
		n.writeLogs(ctx, &text, &pods.Items[i])
	}
	n.writeManager(ctx, &text)
	return text.String()
}

func (n *Namespace) writeManager(ctx context.Context, text *strings.Builder) {
	pod, err := n.ManagerPod(ctx)
	if err != nil {
		fmt.Fprintf(text, "  %v\n", err)
		return
	}
	text.WriteString(describePod(pod))
	said, err := n.Log(ctx, pod, "manager", nil)
	if err != nil {
		said = err.Error()
	}
	writeLines(text, "manager", about(said, n.Name))
}

// about are the last lines that hold a word.
func about(said, word string) []string {
	var lines []string
	for line := range strings.Lines(said) {
		if strings.Contains(line, word) {
			lines = append(lines, line)
		}
	}
	return lines[max(0, len(lines)-logLines):]
}

func writeLines(text *strings.Builder, container string, lines []string) {
	for _, line := range lines {
		line = strings.TrimRight(line, "\n")
		fmt.Fprintf(text, "      %s: %s\n", container, line[:min(len(line), maxLine)])
	}
}

func (n *Namespace) writeLogs(ctx context.Context, text *strings.Builder, pod *corev1.Pod) {
	for _, container := range pod.Spec.Containers {
		said, err := n.Log(ctx, pod, container.Name, new(int64(logLines)))
		if err != nil {
			said = err.Error()
		}
		writeLines(text, container.Name, slices.Collect(strings.Lines(said)))
	}
}

// Log is what a container wrote, or the last lines of it.
func (c *Cluster) Log(ctx context.Context, pod *corev1.Pod, container string, last *int64) (string, error) {
	options := &corev1.PodLogOptions{Container: container, TailLines: last}
	said, err := c.Typed.CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, options).DoRaw(ctx)
	if err != nil {
		return "", fmt.Errorf("reading the log of pod %s, container %s: %w", pod.Name, container, err)
	}
	return string(said), nil
}

func describePod(pod *corev1.Pod) string {
	var text strings.Builder
	fmt.Fprintf(&text, "  pod %s: %s %s\n", pod.Name, pod.Status.Phase, pod.Status.Message)
	for _, condition := range pod.Status.Conditions {
		if condition.Status != corev1.ConditionTrue && condition.Message != "" {
			fmt.Fprintf(&text, "    %s=%s: %s\n", condition.Type, condition.Status, condition.Message)
		}
	}
	for _, container := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		fmt.Fprintf(&text, "    container %s: restarts %d, %s\n", container.Name, container.RestartCount,
			describeState(container.State))
		if before := container.LastTerminationState; before.Terminated != nil {
			fmt.Fprintf(&text, "      before: %s\n", describeState(before))
		}
	}
	return text.String()
}

func describeState(state corev1.ContainerState) string {
	switch {
	case state.Waiting != nil:
		return fmt.Sprintf("waiting: %s %s", state.Waiting.Reason, state.Waiting.Message)
	case state.Terminated != nil:
		return fmt.Sprintf("ended: exit code %d, %s %s", state.Terminated.ExitCode, state.Terminated.Reason,
			state.Terminated.Message)
	default:
		return "running"
	}
}

// describeEvents writes events in the order of their times.
func describeEvents(events []corev1.Event) string {
	events = slices.Clone(events)
	slices.SortStableFunc(events, func(a, b corev1.Event) int { return seen(&a).Compare(seen(&b)) })
	var text strings.Builder
	for i := range events {
		event := &events[i]
		fmt.Fprintf(&text, "  event %s %s %s %s: %s\n", seen(event).Format(time.TimeOnly), event.InvolvedObject.Kind,
			event.InvolvedObject.Name, event.Reason, event.Message)
	}
	return text.String()
}

// seen is when an event was seen last; the newer API fills in other fields than the older one.
func seen(event *corev1.Event) time.Time {
	times := []time.Time{event.CreationTimestamp.Time, event.LastTimestamp.Time, event.EventTime.Time}
	return slices.MaxFunc(times, time.Time.Compare)
}
