package main

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// runOf is a run that loads a dataset and reads a document of it.
func runOf(dataset string) string {
	return "apiVersion: mongobench.dev/v1alpha1\nkind: BenchmarkRun\nmetadata: {name: inferred}\nspec:\n  seed: 5\n" +
		"  dataset:\n    " + strings.ReplaceAll(strings.TrimSpace(dataset), "\n", "\n    ") + `
  workload:
    steps:
    - name: one
      operationCount: 1
      threads: 1
      operations:
      - {name: read, kind: FindOne, filter: '{}'}
`
}

var averages = regexp.MustCompile(`have (\d+) bytes on average, and the generated ones (\d+)\.`)

// inferredFrom is what the program infers of the collection that it has loaded from a dataset.
func inferredFrom(
	t *testing.T, dataset, uri string, arguments ...string,
) (inferred string, average, generated float64) {
	t.Helper()
	loadedBy(t, runOf(dataset), uri)
	arguments = append([]string{
		"infer", "--uri", uri, "--database", "to-infer", "--collection", "things", "--sample", "3000",
	}, arguments...)
	command, stdout, stderr := program(t, arguments...)
	if code := exitCodeOf(t, command.Run()); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	found := averages.FindStringSubmatch(stdout.String())
	if found == nil {
		t.Fatalf("there are no sizes in\n%s", stdout)
	}
	average, _ = strconv.ParseFloat(found[1], 64)
	generated, _ = strconv.ParseFloat(found[2], 64)
	return stdout.String(), average, generated
}

func TestInferTheDatasetOfARealCollection(t *testing.T) {
	content, err := os.ReadFile("testdata/infer.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range mongotest.Versions() {
		t.Run(version, func(t *testing.T) {
			uri := mongotest.Shared(t, version).URI()
			first, size, generated := inferredFrom(t, string(content), uri, "--values")
			// Loaded from what was inferred, it is another collection of the same kind.
			second, sizeAgain, _ := inferredFrom(t, first, uri, "--values")
			for _, ratio := range []float64{generated / size, sizeAgain / size} {
				if ratio < 0.95 || ratio > 1.05 {
					t.Errorf("documents have %.0f bytes; generated %.0f, loaded again %.0f", size, generated, sizeAgain)
				}
			}
			checkInferred(t, first)
			checkInferred(t, second)
		})
	}
}

// checkInferred looks for what testdata/infer.yaml declares.
func checkInferred(t *testing.T, inferred string) {
	t.Helper()
	for _, want := range []string{
		"database: to-infer\n", "documentCount: 3000\n", "options: {compressor: Zlib}\n",
		"{keys: [{field: code}], properties: [Unique]}\n",
		"{name: mine, keys: [{field: age, type: Descending}, {field: address.city}]}\n",
		"{keys: [{field: rank, type: Hashed}]}\n", "{keys: [{field: colour}], properties: [Sparse]}\n",
		"{name: _id, type: ObjectID}\n",
		"{name: code, type: String, bytes: {minLength: 20, maxLength: 30}}\n",
		"{name: age, type: Int, integer: {min: 18, max: 90}}\n",
		"{name: rank, type: Long, distribution: {type: Zipfian, zipfian: {thetaThousandths: ",
		"{name: price, type: Double, double: {min: \"0.5", "{name: at, type: Date, date: {min: \"2034-01-0",
		"{name: text, type: String, bytes: {minLength: 10, maxLength: 400, compressiblePercent: 50}}\n",
		`{name: colour, type: Choice, choice: {values: [{value: red, weight: `,
		"{name: address.city, type: String, bytes: {minLength: 4, maxLength: 12}}\n",
		"{name: mail, presencePercent: ", ", type: Fake, fake: Email}\n",
		"{name: sum, type: Decimal128, decimal: {min: ", ", scale: 2}}\n",
		`{name: place, type: GeoPoint, geo: {minLongitude: "5", maxLongitude: "15", minLatitude: "47", maxLatitude: "55"}}`,
		"{name: note, type: Words, nullPercent: ", ", words: {minWords: 5, maxWords: 20}}\n",
		"{name: \"grid[2][3]\", type: Double,",
		"{name: flag, type: Bool, bool: {truePercent: ", "{name: key, type: UUID}\n",
		"{name: tags, type: Array, array: {minItems: 1, maxItems: 5, element: {type: Int, integer: {min: 0, max: 99}}}}\n",
	} {
		if !strings.Contains(inferred, want) {
			t.Errorf("%q is not in\n%s", want, inferred)
		}
	}
}

func TestInferWithoutValues(t *testing.T) {
	content, err := os.ReadFile("testdata/infer.yaml")
	if err != nil {
		t.Fatal(err)
	}
	inferred, _, _ := inferredFrom(t, string(content), mongotest.Shared(t, "6.0.5").URI())
	if strings.Contains(inferred, "value: red") || strings.Contains(inferred, "value: blue") {
		t.Errorf("values of the data are in\n%s", inferred)
	}
	if !strings.Contains(inferred, "{name: colour, type: Choice, choice: {values: [{value: v") {
		t.Errorf("nothing stands for the values of the data in\n%s", inferred)
	}
}

func TestInferSaysWhatIsWrong(t *testing.T) {
	uri := mongotest.Shared(t, "6.0.5").URI()
	for name, tc := range map[string]struct {
		arguments []string
		want      string
	}{
		"no such collection": {[]string{"--database", "none", "--collection", "none"}, "there is no collection none.none"},
		"no sample": {
			[]string{"--database", "none", "--collection", "none", "--sample", "0"}, "--sample is 0",
		},
		"too many choices": {
			[]string{"--database", "none", "--collection", "none", "--max-choices", "300"}, "--max-choices 300",
		},
	} {
		t.Run(name, func(t *testing.T) {
			command, stdout, stderr := program(t, append([]string{"infer", "--uri", uri}, tc.arguments...)...)
			code := exitCodeOf(t, command.Run())
			if code != 1 || !strings.Contains(stderr.String(), tc.want) || stdout.Len() > 0 {
				t.Errorf("exit code %d, it said %q, want %q", code, stderr, tc.want)
			}
		})
	}
}
