package honesty

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/suite"
	"github.com/mongobench/mongobench-operator/loadgen/document"
)

// TestLikeOthers: what is said to be as elsewhere is so, or the documentation says how it differs.
func TestLikeOthers(t *testing.T) {
	Check(t, Scenario{
		Item: "A20.9", Name: "the values of YCSB's documents", Truth: "YCSB's can be compressed (its RandomByteIterator)",
		Run: func(t *testing.T) Told {
			t.Helper()
			theirs, ours := zlibPercent(t, ycsbBytes(32<<10)), zlibPercent(t, presetBytes(t))
			told := Told{
				Reported: fmt.Sprintf("zlib makes %d %% of theirs and %d %% of the preset's", theirs, ours),
				Wrong:    ours-theirs > 5,
			}
			page, err := os.ReadFile("../../docs/how-to/from-ycsb-to-loadgen.md")
			if err != nil {
				t.Fatal(err)
			}
			sentence := fmt.Sprintf("zlib makes %d %% of 32 KiB of them", theirs)
			if strings.Contains(strings.Join(strings.Fields(string(page)), " "), sentence) {
				told.Says = sentence
			}
			return told
		},
	})
	Check(t, Scenario{
		Item: "A20.10", Name: "a study of two products", Truth: "each is asked by the driver of its applications",
		Run: func(t *testing.T) Told {
			t.Helper()
			clients := clientsOfStudy(t, "../../config/samples/studies/mongodb-vs-mysql.yaml")
			// HandlerSocket is in the study as well: its applications have no common driver.
			return Told{Reported: clients, Wrong: clients != "handlersocket HandlerSocket, innodb Prepared, mongodb Application"}
		},
	})
}

// zlibPercent is what zlib makes of bytes.
func zlibPercent(t *testing.T, content []byte) int {
	t.Helper()
	var made bytes.Buffer
	writer := zlib.NewWriter(&made)
	if _, err := writer.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return (200*made.Len()/len(content) + 1) / 2
}

// ycsbBytes are such as YCSB draws: six printable ones from 32 random bits, which overlap.
func ycsbBytes(length int) []byte {
	random := rand.New(rand.NewPCG(1, 1))
	content := make([]byte, 0, length+6)
	for len(content) < length {
		bits := random.Uint32()
		for i, mask := range []uint32{31, 63, 95, 31, 63, 95} {
			content = append(content, ' '+byte(bits>>(5*i)&mask))
		}
	}
	return content[:length]
}

// presetBytes are the values of a field in documents of a preset.
func presetBytes(t *testing.T) []byte {
	t.Helper()
	plan := spec.Compile(benchv1alpha1.BenchmarkRunSpec{Preset: &benchv1alpha1.Preset{Name: "YCSB-C"}})
	generator, err := document.Compile(plan.Seed, plan.Collections[0])
	if err != nil {
		t.Fatal(err)
	}
	field, found := generator.FieldIndex("field0")
	if !found {
		t.Fatal("there is no field0")
	}
	// A binary value has its length and its subtype before it.
	const header = 5
	var all, value []byte
	for record := range int64(320) {
		_, value = generator.AppendValue(value[:0], field, record)
		all = append(all, value[header:]...)
	}
	return all
}

// clientsOfStudy are the first words of the names of a suite's variants, each with the clients that it is measured by.
func clientsOfStudy(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var declared benchv1alpha1.BenchmarkSuite
	if err := yaml.UnmarshalStrict(content, &declared); err != nil {
		t.Fatal(err)
	}
	plan, errs := suite.Compile(&declared)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	clients := map[string]bool{}
	for _, slot := range plan.Slots {
		product, _, _ := strings.Cut(plan.Variants[slot.Variant].Name, "-")
		clients[fmt.Sprintf("%s %s", product, spec.Compile(suite.Run(&declared, plan, slot).Spec).Client)] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(clients)), ", ")
}
