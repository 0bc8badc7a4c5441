package verify

import (
	"bytes"
	"testing"
)

func TestTheOrderOfASeriesIsNoDifference(t *testing.T) {
	for name, tc := range map[string]struct {
		one, other string
		same       bool
	}{
		"the same":               {`{"a": 1, "b": 2}`, `{"a": 1, "b": 2}`, true},
		"another order":          {`{"a": 1, "b": 2}`, `{"b": 2, "a": 1}`, true},
		"in the meta field":      {`{"m": {"x": {"c": 1, "d": 2}, "y": 3}}`, `{"m": {"y": 3, "x": {"d": 2, "c": 1}}}`, true},
		"in another field":       {`{"a": {"x": 1, "y": 2}}`, `{"a": {"y": 2, "x": 1}}`, false},
		"another value":          {`{"a": 1, "b": 2}`, `{"b": 3, "a": 1}`, false},
		"another meta":           {`{"m": {"x": 1}}`, `{"m": {"x": 2}}`, false},
		"a meta without a field": {`{"m": 5, "a": 1}`, `{"a": 1, "m": 5}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			one, err := inOrder(raw(t, tc.one), "m")
			if err != nil {
				t.Fatal(err)
			}
			other, err := inOrder(raw(t, tc.other), "m")
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Equal(one, other) != tc.same {
				t.Errorf("%s and %s, want the same: %t", one, other, tc.same)
			}
		})
	}
}

func TestWhatIsNoDocumentHasNoOrder(t *testing.T) {
	if _, err := inOrder([]byte{5, 0, 0}, ""); err == nil {
		t.Error("a document that ends too early was put in order")
	}
}
