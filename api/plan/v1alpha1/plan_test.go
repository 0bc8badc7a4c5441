package v1alpha1_test

import (
	"testing"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
)

func TestNameOfAnIndexOnAServer(t *testing.T) {
	keys := []planv1.IndexKey{{Field: "age", Order: "1"}, {Field: "name", Order: "-1"}}
	if got := (planv1.Index{Keys: keys}).ServerName(); got != "age_1_name_-1" {
		t.Errorf("got %q, want what MongoDB would call it", got)
	}
	if got := (planv1.Index{Name: "accounts", Keys: keys}).ServerName(); got != "accounts" {
		t.Errorf("got %q, want the declared name", got)
	}
}
