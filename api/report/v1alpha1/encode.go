package v1alpha1

import (
	"fmt"

	"github.com/mongobench/mongobench-operator/internal/strictjson"
)

// maxDecodedBytes bounds what a report may decompress to; a hundred times what it may take compressed.
const maxDecodedBytes = 100 * MaxReportBytes

// Encode writes a report as compressed JSON, of any size: package result makes it fit into MaxReportBytes.
func Encode(report Report) ([]byte, error) {
	encoded, err := strictjson.EncodeCompressed(report)
	if err != nil {
		return nil, fmt.Errorf("encoding report: %w", err)
	}
	return encoded, nil
}

// Decode reads what Encode wrote, strictly.
func Decode(encoded []byte) (Report, error) {
	var report Report
	if err := strictjson.DecodeCompressed(encoded, Version, maxDecodedBytes, &report); err != nil {
		return Report{}, fmt.Errorf("reading report: %w", err)
	}
	return report, nil
}

// EncodeProgress writes a Progress as a load pod's ConfigMap holds it.
func EncodeProgress(progress Progress) ([]byte, error) {
	encoded, err := strictjson.Encode(progress)
	if err != nil {
		return nil, fmt.Errorf("encoding progress: %w", err)
	}
	return encoded, nil
}

// DecodeProgress reads what EncodeProgress wrote.
func DecodeProgress(encoded []byte) (Progress, error) {
	var progress Progress
	if err := strictjson.Decode(encoded, &progress); err != nil {
		return Progress{}, fmt.Errorf("reading progress: %w", err)
	}
	return progress, nil
}

// EncodeTopology writes what a topology Job answers.
func EncodeTopology(topology TopologyReport) ([]byte, error) {
	encoded, err := strictjson.Encode(topology)
	if err != nil {
		return nil, fmt.Errorf("encoding topology report: %w", err)
	}
	return encoded, nil
}

// DecodeTopology reads what EncodeTopology wrote, strictly.
func DecodeTopology(encoded []byte) (TopologyReport, error) {
	var topology TopologyReport
	if err := strictjson.DecodeVersioned(encoded, Version, &topology); err != nil {
		return TopologyReport{}, fmt.Errorf("reading topology report: %w", err)
	}
	return topology, nil
}
