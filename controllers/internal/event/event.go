package event

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
)

const (
	// maxNote is the API server's limit on an event's note, less room for a remark that it was cut.
	maxNote = 1000
	// maxFailedCreates bounds what is read of a StatefulSet or Job that fails over and over.
	maxFailedCreates = 20
)

// Record tells each change from one list of conditions to another. It is called after the status was written, so that
// an event never tells of something that is not so.
func Record(recorder events.EventRecorder, object runtime.Object, before, after []metav1.Condition) {
	for _, e := range condition.Events(before, after) {
		note := e.Message
		if len(note) > maxNote {
			note = note[:maxNote] + "..."
		}
		recorder.Eventf(object, nil, e.Type, e.Reason, e.Action, "%s", note)
	}
}

// FailedCreates reads the events that say why the pods of a StatefulSet or Job could not be created. They are read
// from the API server and never cached, and only when pods are missing.
func FailedCreates(ctx context.Context, live client.Reader, namespace string, uid types.UID) ([]corev1.Event, error) {
	var list corev1.EventList
	err := live.List(ctx, &list, client.InNamespace(namespace), client.Limit(maxFailedCreates), client.MatchingFields{
		"involvedObject.uid": string(uid), "reason": "FailedCreate",
	})
	if err != nil {
		return nil, fmt.Errorf("listing events: %w", err)
	}
	return list.Items, nil
}
