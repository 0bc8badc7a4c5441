package price_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/mongobench/mongobench-operator/internal/price"
)

// head is what every list begins with.
const head = "apiVersion: prices.mongobench.dev/v1alpha1\ncurrency: EUR\n"

// sample is the list of the sample, as a run finds it.
func sample(tb testing.TB) string {
	tb.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "config", "samples", "price-list.yaml"))
	if err != nil {
		tb.Fatal(err)
	}
	first, _, _ := strings.Cut(string(content), "\n---\n")
	var object corev1.ConfigMap
	if err := yaml.UnmarshalStrict([]byte(first), &object); err != nil {
		tb.Fatal(err)
	}
	return object.Data["prices.yaml"]
}

func parsed(tb testing.TB, text string) price.List {
	tb.Helper()
	list, err := price.Parse(text)
	if err != nil {
		tb.Fatal(err)
	}
	return list
}

func TestTheSampleIsAListOfInventedNames(t *testing.T) {
	list := parsed(t, sample(t))
	for _, node := range list.Nodes {
		if !strings.HasPrefix(node.Type, "invented") {
			t.Errorf("node type %s may be somebody's", node.Type)
		}
	}
	for _, storage := range list.Storage {
		if !strings.HasPrefix(storage.Class, "invented") {
			t.Errorf("storage class %s may be somebody's", storage.Class)
		}
	}
	if len(list.Nodes) == 0 || len(list.Storage) == 0 || !strings.Contains(list.Source, "invented") {
		t.Errorf("the sample does not say that it is invented: %+v", list)
	}
}

func TestAListThatMakesNoSenseIsRefused(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"nothing":               {"", "apiVersion"},
		"another kind":          {"apiVersion: v1\n", `apiVersion is "v1"`},
		"no currency":           {"apiVersion: " + price.Version + "\n", "currency"},
		"a sign for a currency": {"apiVersion: " + price.Version + "\ncurrency: €\n", "currency"},
		"no price":              {head, "no price in it"},
		"a number that YAML would round": {
			head + "nodes: [{type: a, perHour: 0.12}]", "in quotes",
		},
		"below zero":         {head + `nodes: [{type: a, perHour: "-1"}]`, "in quotes"},
		"an exponent":        {head + `nodes: [{type: a, perHour: "1e9"}]`, "in quotes"},
		"too many digits":    {head + `nodes: [{type: a, perHour: "0.1234567891"}]`, "at most nine"},
		"a misspelt field":   {head + `nodes: [{type: a, perhour: "1"}]`, "perhour"},
		"an unknown field":   {head + `nodes: [{type: a, perDay: "1"}]`, "perDay"},
		"between zones":      {head + `network: {betweenZones: "1"}`, "betweenZones"},
		"half of the shared": {head + `shared: [{perCPUHour: "1"}]`, "shared[0] has no price"},
		"a node twice": {
			head + `nodes: [{type: a, perHour: "1"}, {type: a, perHour: "2"}]`, "nodes[1] is there before",
		},
		"a key twice":         {head + "currency: USD\n", "no YAML"},
		"no type":             {head + `nodes: [{perHour: "1"}]`, "nodes[0] has no type"},
		"no class":            {head + `storage: [{perGibibyteMonth: "1"}]`, "storage[0] has no class"},
		"a date that is none": {head + "validFrom: soon\nshared: [{perCPUHour: \"1\", perGibibyteHour: \"1\"}]", "validFrom"},
		"a text that a terminal obeys": {
			head + `source: "\e[2J"` + "\nnodes: [{type: a, perHour: \"1\"}]", "cannot be printed",
		},
		"too large":       {strings.Repeat("#", price.MaxBytes+1), "are allowed"},
		"too many nodes":  {head + "nodes: [" + strings.Repeat(`{type: a},`, 501) + "]", "more than 500"},
		"a long type":     {head + "nodes: [{type: " + strings.Repeat("a", 257) + "}]", "256 are allowed"},
		"nested too deep": {head + "nodes: " + strings.Repeat("[", 40) + strings.Repeat("]", 40), "nested"},
		"no YAML":         {"\tx: [", "no YAML"},
		"a bomb":          {bomb(), ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := price.Parse(tc.text)
			if err == nil || !strings.Contains(err.Error(), tc.want) || len(err.Error()) > 1000 {
				t.Errorf("error %v, want %q in it", err, tc.want)
			}
		})
	}
}

// bomb is a short text that stands for a very long one.
func bomb() string {
	text := "a: &a [x, x, x]\n"
	var textSb105 strings.Builder
	for name := 'b'; name < 'k'; name++ {
		before := string(name - 1)
		textSb105.WriteString(string(name) + ": &" + string(name) + " [" + strings.Repeat("*"+before+", ", 9) + "]\n")
	}
	text += textSb105.String()
	return text
}

func TestTheHashIsOfWhatIsSaid(t *testing.T) {
	first := parsed(t, head+`nodes: [{type: a, perHour: "0.10"}]`).Hash()
	same := parsed(t, "# A remark.\n"+head+"nodes:\n- perHour: \"0.1\"\n  type: a\n").Hash()
	other := parsed(t, head+`nodes: [{type: a, perHour: "0.11"}]`).Hash()
	if first != same || first == other || len(first) != 64 {
		t.Errorf("hashes %s, %s and of another price %s", first, same, other)
	}
}

// FuzzParse looks for a text that breaks the reader, and wants what it takes to be written and read as the same.
func FuzzParse(f *testing.F) {
	f.Add(sample(f))
	f.Add(head + `shared: [{perCPUHour: "1", perGibibyteHour: "999999999.999999999"}]`)
	f.Add(bomb())
	f.Fuzz(func(t *testing.T, text string) {
		list, err := price.Parse(text)
		if err != nil {
			return
		}
		written, err := yaml.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		again, err := price.Parse(string(written))
		if err != nil || again.Hash() != list.Hash() {
			t.Errorf("written as %q it reads as another list, error %v", written, err)
		}
	})
}
