package naming

// ConnectionLabel is on Secrets that targets may name: without it a Secret is none of a benchmark's business. Its value
// is ConnectionAllowed.
const (
	ConnectionLabel   = "mongobench.dev/connection"
	ConnectionAllowed = "true"
)

// Labels by which Kueue takes a Job into one of its queues. It then suspends the Job until it has room.
const (
	QueueLabel    = "kueue.x-k8s.io/queue-name"
	PriorityLabel = "kueue.x-k8s.io/priority-class"
)

// Queued adds to labels those of another object by which Kueue knows a Job.
func Queued(labels, from map[string]string) map[string]string {
	for _, key := range []string{QueueLabel, PriorityLabel} {
		if value, set := from[key]; set {
			labels[key] = value
		}
	}
	return labels
}
