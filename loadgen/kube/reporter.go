package kube

import (
	"context"
	"fmt"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// reportPatience is how long a finished report is kept trying to be handed in.
const reportPatience = 2 * time.Minute

// Reporter writes where a pod is, and what it measured, into the pod's own ConfigMap.
type Reporter struct {
	ConfigMaps *ConfigMaps
	// Name of the pod's ConfigMap.
	Name string
}

// Progress writes where the pod is. The caller may ignore an error: the next one will tell more.
func (r *Reporter) Progress(ctx context.Context, progress reportv1.Progress) error {
	text, err := reportv1.EncodeProgress(progress)
	if err != nil {
		return fmt.Errorf("encoding progress: %w", err)
	}
	return r.ConfigMaps.patch(ctx, r.Name, contents{Data: map[string]string{reportv1.ProgressKey: string(text)}})
}

// Report hands in what the pod measured.
func (r *Reporter) Report(ctx context.Context, report reportv1.Report) error {
	encoded, err := result.Encode(report)
	if err != nil {
		return fmt.Errorf("encoding the report: %w", err)
	}
	return persist(ctx, reportPatience, func(ctx context.Context) error {
		return r.ConfigMaps.patch(ctx, r.Name, contents{BinaryData: map[string][]byte{reportv1.ReportKey: encoded}})
	})
}

// Topology hands in what a topology Job found, in the ConfigMap of this name.
func (c *ConfigMaps) Topology(ctx context.Context, name string, report reportv1.TopologyReport) error {
	text, err := reportv1.EncodeTopology(report)
	if err != nil {
		return fmt.Errorf("encoding the topology report: %w", err)
	}
	return persist(ctx, reportPatience, func(ctx context.Context) error {
		return c.patch(ctx, name, contents{Data: map[string]string{reportv1.TopologyKey: string(text)}})
	})
}
