package image

import (
	"bytes"
	"encoding/json"
	"fmt"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// What Helm calls the parts of a chart in a registry: https://helm.sh/docs/topics/registries/#helm-chart-manifest.
const (
	chartConfigType types.MediaType = "application/vnd.cncf.helm.config.v1+json"
	chartType       types.MediaType = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
)

// chart is a packaged Helm chart as a registry has it: the archive in place of a layer, its metadata as configuration.
type chart struct {
	metadata, manifest []byte
	archive            v1.Layer
}

func (c chart) RawConfigFile() ([]byte, error)                         { return c.metadata, nil }
func (c chart) RawManifest() ([]byte, error)                           { return c.manifest, nil }
func (c chart) MediaType() (types.MediaType, error)                    { return types.OCIManifestSchema1, nil }
func (c chart) LayerByDigest(v1.Hash) (partial.CompressedLayer, error) { return c.archive, nil }

// WriteChartLayout writes a packaged Helm chart into a folder of its own, as Helm keeps it in a registry. The
// metadata is its Chart.yaml as JSON.
func WriteChartLayout(folder string, archive, metadata []byte, annotations map[string]string) (Layout, error) {
	made := chart{metadata: metadata, archive: static.NewLayer(archive, chartType)}
	configDigest, configSize, err := v1.SHA256(bytes.NewReader(metadata))
	if err != nil {
		return Layout{}, fmt.Errorf("computing the digest of a chart's metadata: %w", err)
	}
	archiveDigest, archiveSize, err := v1.SHA256(bytes.NewReader(archive))
	if err != nil {
		return Layout{}, fmt.Errorf("computing the digest of a chart: %w", err)
	}
	made.manifest, err = json.Marshal(v1.Manifest{
		SchemaVersion: 2, MediaType: types.OCIManifestSchema1,
		Config:      v1.Descriptor{MediaType: chartConfigType, Digest: configDigest, Size: configSize},
		Layers:      []v1.Descriptor{{MediaType: chartType, Digest: archiveDigest, Size: archiveSize}},
		Annotations: annotations,
	})
	if err != nil {
		return Layout{}, fmt.Errorf("writing a chart's manifest: %w", err)
	}
	artifact, err := partial.CompressedToImage(made)
	if err != nil {
		return Layout{}, fmt.Errorf("making a chart's artifact: %w", err)
	}
	return writeLayout(folder, artifact, func(to layout.Path) error { return to.AppendImage(artifact) })
}
