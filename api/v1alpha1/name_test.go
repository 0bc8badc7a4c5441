package v1alpha1_test

import "testing"

// TestNamesThatNoServiceCanHave are refused of runs as of targets, whose rule is tested with the others.
func TestNamesThatNoServiceCanHave(t *testing.T) {
	for _, kind := range []string{"run", "target"} {
		for _, name := range []string{"mongo-6.0.5", "6-0-5", "a.b", "0"} {
			wantRefusal(t, create(t, object(t, kind, changes{"metadata.name": `"` + name + `"`})), nameRule)
		}
		for _, name := range []string{"mongo-6-0-5", "a", "a0"} {
			if err := create(t, object(t, kind, changes{"metadata.name": name})); err != nil {
				t.Errorf("%s %s: %v", kind, name, err)
			}
		}
	}
}
