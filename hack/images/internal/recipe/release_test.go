package recipe

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

func sampleRelease(t *testing.T) Release {
	t.Helper()
	programs := t.TempDir()
	for _, architecture := range architectures {
		for _, name := range []string{"manager", "loadgen", "ferretdb"} {
			writeSource(t, filepath.Join(programs, "linux_"+architecture, name), name+" for "+architecture)
		}
	}
	return Release{Version: "1.2.3", Commit: "abc", Created: time.Unix(1_700_000_000, 0), Programs: programs}
}

// indexIn is the one index of a layout, which has been found to be sound.
func indexIn(t *testing.T, folder string) v1.ImageIndex {
	t.Helper()
	whole, err := layout.ImageIndexFromPath(folder)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := whole.IndexManifest()
	if err != nil || len(manifest.Manifests) != 1 {
		t.Fatalf("the layout has %+v (%v), want one index", manifest, err)
	}
	index, err := whole.ImageIndex(manifest.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(index); err != nil {
		t.Fatal(err)
	}
	return index
}

func TestAReleasesImagesAreForEachArchitecture(t *testing.T) {
	of := sampleRelease(t)
	for _, name := range Released() {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), name)
			written, err := of.WriteLayout(name, folder)
			if err != nil {
				t.Fatal(err)
			}
			again, err := of.WriteLayout(name, filepath.Join(t.TempDir(), name))
			if err != nil || again != written {
				t.Errorf("written again it is %+v (%v), want %+v", again, err, written)
			}
			index := indexIn(t, folder)
			if digest, err := index.Digest(); err != nil || digest.String() != written.Digest {
				t.Errorf("the digest is %v (%v), want %s", digest, err, written.Digest)
			}
			checkArchitectures(t, index)
		})
	}
}

// checkArchitectures looks at the images of an index, one for each architecture.
func checkArchitectures(t *testing.T, index v1.ImageIndex) {
	t.Helper()
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	platforms := make([]string, 0, len(manifest.Manifests))
	for _, of := range manifest.Manifests {
		platforms = append(platforms, of.Platform.String())
		checkReleased(t, index, of)
	}
	if want := []string{"linux/amd64", "linux/arm64"}; !slices.Equal(platforms, want) {
		t.Errorf("platforms are %q, want %q", platforms, want)
	}
}

// checkReleased looks at one architecture's image: it says when it was made, and holds its architecture's program.
func checkReleased(t *testing.T, index v1.ImageIndex, of v1.Descriptor) {
	t.Helper()
	made, err := index.Image(of.Digest)
	if err != nil {
		t.Fatal(err)
	}
	config, err := made.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if config.Architecture != of.Platform.Architecture || config.Config.User != nonRoot ||
		config.Created.Unix() != 1_700_000_000 {
		t.Errorf("%s: configuration is %+v", of.Platform, config)
	}
	layers, err := made.Layers()
	if err != nil {
		t.Fatal(err)
	}
	stream, err := layers[0].Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(stream)
	if err != nil || !bytes.Contains(content, []byte(" for "+of.Platform.Architecture)) {
		t.Errorf("%s: its program is not in it (%v)", of.Platform, err)
	}
}

func TestAReleasesChartIsWhatHelmPulls(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "chart")
	if _, err := sampleRelease(t).WriteChartLayout([]byte("chart"), []byte(`{"name":"c"}`), folder); err != nil {
		t.Fatal(err)
	}
	whole, err := layout.ImageIndexFromPath(folder)
	if err != nil {
		t.Fatal(err)
	}
	index, err := whole.IndexManifest()
	if err != nil || len(index.Manifests) != 1 {
		t.Fatalf("the layout has %+v (%v)", index, err)
	}
	digest := index.Manifests[0].Digest
	content, err := os.ReadFile(filepath.Join(folder, "blobs", digest.Algorithm, digest.Hex))
	if err != nil {
		t.Fatal(err)
	}
	var manifest v1.Manifest
	if err := json.Unmarshal(content, &manifest); err != nil {
		t.Fatal(err)
	}
	got := []string{string(manifest.Config.MediaType), string(manifest.Layers[0].MediaType)}
	want := []string{
		"application/vnd.cncf.helm.config.v1+json", "application/vnd.cncf.helm.chart.content.v1.tar+gzip",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("media types (-want +got):\n%s", diff)
	}
}

func TestNoReleaseOfOtherImages(t *testing.T) {
	for _, name := range []string{"pause", "mongod:6.0.5", "nothing"} {
		if _, err := sampleRelease(t).WriteLayout(name, t.TempDir()); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
