package document_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

func TestSerialsAreTheNamesOfYCSBsRecords(t *testing.T) {
	text, err := os.ReadFile("testdata/ycsb-names.txt")
	if err != nil {
		t.Fatal(err)
	}
	serials := []planv1.Value{
		{Type: benchv1alpha1.GeneratorSerial, Prefix: "user", Hashed: true},
		{Type: benchv1alpha1.GeneratorSerial, Prefix: "user", Digits: 12},
		{Type: benchv1alpha1.GeneratorSerial, Prefix: "user", Digits: 25, Hashed: true},
	}
	lines := 0
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		record, err := strconv.ParseInt(words[0], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		for i, serial := range serials {
			if got := decode(t, compile(t, 1, one(serial)).Append(nil, record))["v"]; got != words[1+i] {
				t.Errorf("record %d is %v, YCSB calls it %s", record, got, words[1+i])
			}
		}
		lines++
	}
	if lines != 30 {
		t.Errorf("%d lines", lines)
	}
}

func TestASerialIsTheSameInEveryRevisionAndElement(t *testing.T) {
	serial := planv1.Value{Type: benchv1alpha1.GeneratorSerial, Prefix: "n-", Digits: 3}
	c := one(planv1.Value{Type: benchv1alpha1.GeneratorArray, Min: 2, Max: 2, Element: &serial})
	c.Fields = append(c.Fields, planv1.Field{Name: "w", Value: serial})
	doc := decode(t, compile(t, 1, c).AppendRevision(nil, 7, 5))
	if !cmp.Equal(doc["v"], bson.A{"n-007", "n-007"}) || doc["w"] != "n-007" {
		t.Errorf("document is %v", doc)
	}
}
