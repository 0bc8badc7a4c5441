package duets

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/duet"
)

// Recording is what two sides did in turns. Histograms stay encoded: of an hour they would take gigabytes.
type Recording struct {
	Name string `json:"name"`
	// Machine is what it was made on, and with, and Begun when.
	Machine string    `json:"machine"`
	Begun   time.Time `json:"begun"`
	// Operations are the names of the mix, in its order, and Lines what is compared.
	Operations []string      `json:"operations"`
	Lines      []planv1.Line `json:"lines"`
	// Preparation is what came before the first window: the servers' start, the load and the warm-up. In nanoseconds.
	Preparation time.Duration `json:"preparation"`
	Groups      []Group       `json:"groups"`
}

// Group is a group of windows, of each side by its duet.Side.
type Group struct {
	// At is when the group was complete, after the begin of the first one, in nanoseconds.
	At        time.Duration `json:"at"`
	Disturbed string        `json:"disturbed,omitempty"`
	Windows   [2][]Window   `json:"windows"`
}

// Window is one of them.
type Window struct {
	// Length in nanoseconds.
	Length     time.Duration `json:"length"`
	Operations []Operation   `json:"operations"`
}

// Operation is what one operation of the mix did in a window.
type Operation struct {
	Replies int64 `json:"replies"`
	Errors  int64 `json:"errors,omitempty"`
	// Latency is a histogram, as in a report; empty without any.
	Latency string `json:"latency,omitempty"`
}

// Add adds a group that was measured.
func (r *Recording) Add(group duet.Group) error {
	kept := Group{At: group.At, Disturbed: group.Disturbed}
	for side, windows := range group.Windows {
		for _, window := range windows {
			one := Window{Length: window.Length}
			for _, operation := range window.Operations {
				of := Operation{Replies: operation.Replies, Errors: operation.Errors}
				if operation.Latency != nil {
					var err error
					if of.Latency, err = reportv1.EncodeHistogram(operation.Latency); err != nil {
						return fmt.Errorf("recording: %w", err)
					}
				}
				one.Operations = append(one.Operations, of)
			}
			kept.Windows[side] = append(kept.Windows[side], one)
		}
	}
	r.Groups = append(r.Groups, kept)
	return nil
}

// Group is the group of this number, as it was measured.
func (r *Recording) Group(number int) (duet.Group, error) {
	kept := r.Groups[number]
	group := duet.Group{At: kept.At, Disturbed: kept.Disturbed}
	for side, windows := range kept.Windows {
		for _, window := range windows {
			decoded, err := window.decode()
			if err != nil {
				return duet.Group{}, fmt.Errorf("group %d of %s: %w", number, r.Name, err)
			}
			group.Windows[side] = append(group.Windows[side], decoded)
		}
	}
	return group, nil
}

func (w Window) decode() (duet.Window, error) {
	decoded := duet.Window{Length: w.Length}
	for _, operation := range w.Operations {
		of := duet.Operation{Replies: operation.Replies, Errors: operation.Errors}
		if operation.Latency != "" {
			var err error
			if of.Latency, err = reportv1.DecodeHistogram(operation.Latency); err != nil {
				return decoded, err
			}
		}
		decoded.Operations = append(decoded.Operations, of)
	}
	return decoded, nil
}

// Length is how long the windows took, with what lay between them.
func (r *Recording) Length() time.Duration { return r.at(len(r.Groups)) }

// at is when the group of this number began: when the one before was complete.
func (r *Recording) at(group int) time.Duration {
	if group == 0 {
		return 0
	}
	return r.Groups[group-1].At
}

// Disturbed is how many groups were set aside.
func (r *Recording) Disturbed() int {
	count := 0
	for _, group := range r.Groups {
		if group.Disturbed != "" {
			count++
		}
	}
	return count
}

// Write writes a recording as compressed JSON.
func (r *Recording) Write(to io.Writer) error {
	compressed := gzip.NewWriter(to)
	if err := json.NewEncoder(compressed).Encode(r); err != nil {
		return fmt.Errorf("writing the recording %s: %w", r.Name, err)
	}
	return compressed.Close()
}

// Read reads what Write wrote.
func Read(from io.Reader) (*Recording, error) {
	compressed, err := gzip.NewReader(from)
	if err != nil {
		return nil, fmt.Errorf("reading a recording: %w", err)
	}
	r := &Recording{}
	if err := json.NewDecoder(compressed).Decode(r); err != nil {
		return nil, fmt.Errorf("reading a recording: %w", err)
	}
	return r, nil
}
