package picture_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"
	"strings"
	"testing"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/picture"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/testing/madeup"
	"github.com/mongobench/mongobench-operator/internal/comparison"
)

func runPicture(t *testing.T) picture.Picture {
	t.Helper()
	report, err := madeup.Run(madeup.RunShape{Seconds: 60, Operations: 3, Servers: 1, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	drawn, err := picture.Run("made-up", report)
	if err != nil {
		t.Fatal(err)
	}
	return drawn
}

func suitePicture(t *testing.T) picture.Picture {
	t.Helper()
	stored, err := madeup.Suite(madeup.SuiteShape{
		Name: "made-up", Shards: []int32{1, 2, 4}, Repetitions: 10, Revisions: 1, Seed: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	drawn, err := picture.Suite(stored)
	if err != nil {
		t.Fatal(err)
	}
	return drawn
}

func growthPicture(t *testing.T) picture.Picture {
	t.Helper()
	stored, err := madeup.Growth(100_000, 200_000, 300_000)
	if err != nil {
		t.Fatal(err)
	}
	drawn, err := picture.Suite(stored)
	if err != nil {
		t.Fatal(err)
	}
	return drawn
}

// textsOf reads an SVG, which it wants to be well formed, and returns its texts.
func textsOf(t *testing.T, svg io.Reader) string {
	t.Helper()
	var texts strings.Builder
	decoder := xml.NewDecoder(svg)
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return texts.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := token.(xml.CharData); ok {
			texts.WriteString(strings.TrimSpace(string(text)) + "\n")
		}
	}
}

func written(t *testing.T, write func(io.Writer) error) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := write(&file); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func TestAnSVGSaysWhatIsDrawn(t *testing.T) {
	for name, tc := range map[string]struct {
		picture picture.Picture
		want    []string
	}{
		"run": {runPicture(t), []string{"all operations", "operation-3", "p50", "p99", "1.00 ms", "throughput"}},
		"suite": {suitePicture(t), []string{
			"wiredtiger-shards4", "throughput, read-heavy", "p99, write-heavy, update", "12.0 ms", "operations/s",
		}},
		"growth": {growthPicture(t), []string{
			"throughput, find", "size of the documents, size", "standalone", "shards3", "200,000", "documents",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			svg := written(t, tc.picture.WriteSVG)
			if again := written(t, tc.picture.WriteSVG); !bytes.Equal(svg, again) {
				t.Error("the same picture is written in two ways")
			}
			texts := textsOf(t, bytes.NewReader(svg))
			for _, want := range tc.want {
				if !strings.Contains(texts, want) {
					t.Errorf("the picture does not say %q:\n%s", want, texts)
				}
			}
		})
	}
}

// inked is how many pixels of a picture have a colour.
func inked(drawn image.Image) int {
	count := 0
	for y := drawn.Bounds().Min.Y; y < drawn.Bounds().Max.Y; y++ {
		for x := drawn.Bounds().Min.X; x < drawn.Bounds().Max.X; x++ {
			pixel, _ := color.NRGBAModel.Convert(drawn.At(x, y)).(color.NRGBA)
			if most := max(pixel.R, pixel.G, pixel.B); most-min(pixel.R, pixel.G, pixel.B) > 0x40 {
				count++
			}
		}
	}
	return count
}

func TestAPNGIsDrawnOnWhite(t *testing.T) {
	for name, drawn := range map[string]picture.Picture{
		"run": runPicture(t), "suite": suitePicture(t), "growth": growthPicture(t),
	} {
		t.Run(name, func(t *testing.T) {
			read, err := png.Decode(bytes.NewReader(written(t, drawn.WritePNG)))
			if err != nil {
				t.Fatal(err)
			}
			if red, _, _, alpha := read.At(0, 0).RGBA(); red != 0xffff || alpha != 0xffff {
				t.Errorf("the corner is %v, want white", read.At(0, 0))
			}
			if width := read.Bounds().Dx(); width < 1500 {
				t.Errorf("the picture is %d pixels wide", width)
			}
			if inked(read) < 1000 {
				t.Errorf("%d pixels have a colour: nothing is drawn", inked(read))
			}
		})
	}
}

func TestTheCheckpointsOfAGrowthShareAChart(t *testing.T) {
	texts := textsOf(t, bytes.NewReader(written(t, growthPicture(t).WriteSVG)))
	if count := strings.Count(texts, "throughput,"); count != 1 {
		t.Errorf("there are %d charts of the throughput, want one for all checkpoints:\n%s", count, texts)
	}
}

func TestWhatHasNothingToDrawIsRefused(t *testing.T) {
	if _, err := picture.Run("young", reportv1.Report{}); err == nil || !strings.Contains(err.Error(), "run young") {
		t.Errorf("a run without steps: %v", err)
	}
	stored := cluster.Stored{Result: comparison.Result{Suite: "early"}}
	if _, err := picture.Suite(stored); err == nil || !strings.Contains(err.Error(), "suite early") {
		t.Errorf("a suite without runs: %v", err)
	}
}
