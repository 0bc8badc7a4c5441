package records_test

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mongobench/mongobench-operator/loadgen/records"
)

func TestDamage(t *testing.T) {
	whole, err := bson.Marshal(bson.D{{Key: "a", Value: bson.D{{Key: "b", Value: "text"}}}})
	if err != nil {
		t.Fatal(err)
	}
	if found := records.Damage(whole); found != nil {
		t.Errorf("a whole document: %v", found)
	}
	deep := bson.D{}
	for range 201 {
		deep = bson.D{{Key: "d", Value: deep}}
	}
	if whole, err = bson.Marshal(deep); err != nil || records.Damage(whole) == nil {
		t.Errorf("documents over 201 levels are no damage; error %v", err)
	}
	for name, document := range map[string]string{
		"a text of nearly 2 GiB":  "\x0d\x00\x00\x00\x02a\x00\xff\xff\xff\x7fx\x00",
		"the same, further below": "\x15\x00\x00\x00\x03d\x00\x0d\x00\x00\x00\x02a\x00\xff\xff\xff\x7fx\x00\x00",
		"one that is cut off":     "\x0d\x00\x00\x00\x02a\x00",
		"nothing":                 "",
	} {
		if records.Damage(bson.Raw(document)) == nil {
			t.Errorf("%s is no damage", name)
		}
	}
}
