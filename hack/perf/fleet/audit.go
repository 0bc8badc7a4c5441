package fleet

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
)

// managerUser is who the manager is to the API server, so that its audit log tells its writes from ours.
const managerUser = "mongobench-manager"

// auditPolicy has every write of the manager in the log, once, when it was answered.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
  users: [` + managerUser + `]
  verbs: [create, update, patch, delete, deletecollection]
- level: None
`

// Write is a way to write: a verb and what it was done to, for example "update benchmarkruns/status".
type Write struct {
	Verb, Resource string
}

// Event says whether the write was one of an event, which tells people and changes nothing.
func (w Write) Event() bool { return w.Resource == "events" }

// Writes counts ways to write.
type Writes map[Write]int

// Count is how many writes changed something, and how many were events.
func (w Writes) Count() (objects, events int) {
	for write, count := range w {
		if write.Event() {
			events += count
			continue
		}
		objects += count
	}
	return objects, events
}

func (w Writes) since(before Writes) Writes {
	added := Writes{}
	for write, count := range w {
		if count > before[write] {
			added[write] = count - before[write]
		}
	}
	return added
}

// auditEvent is what is of interest in a line of the audit log.
type auditEvent struct {
	Verb      string `json:"verb"`
	ObjectRef struct {
		Resource    string `json:"resource"`
		Subresource string `json:"subresource"`
	} `json:"objectRef"`
	ResponseStatus struct {
		Code int `json:"code"`
	} `json:"responseStatus"`
}

// auditLog is read on from where the last look ended.
type auditLog struct {
	path            string
	offset          int64
	writes, refused Writes
}

// look reads what came to the log since, and returns all writes so far, and those of them that were refused.
func (l *auditLog) look() (writes, refused Writes, err error) {
	file, err := os.Open(l.path)
	if err != nil {
		return nil, nil, fmt.Errorf("opening the audit log: %w", err)
	}
	defer func() { _ = file.Close() }()
	added, err := io.ReadAll(io.NewSectionReader(file, l.offset, 1<<40))
	if err != nil {
		return nil, nil, fmt.Errorf("reading the audit log: %w", err)
	}
	added = added[:bytes.LastIndexByte(added, '\n')+1] // The last line may not be whole yet.
	l.offset += int64(len(added))
	if l.writes == nil {
		l.writes, l.refused = Writes{}, Writes{}
	}
	for line := range bytes.Lines(added) {
		var event auditEvent
		if err := json.Unmarshal(line, &event); err != nil {
			return nil, nil, fmt.Errorf("reading a line of the audit log: %w", err)
		}
		resource := event.ObjectRef.Resource
		if event.ObjectRef.Subresource != "" {
			resource += "/" + event.ObjectRef.Subresource
		}
		write := Write{Verb: event.Verb, Resource: resource}
		l.writes[write]++
		if event.ResponseStatus.Code >= http.StatusBadRequest {
			l.refused[write]++
		}
	}
	return maps.Clone(l.writes), maps.Clone(l.refused), nil
}
