package strictjson_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mongobench/mongobench-operator/internal/strictjson"
)

type inner struct {
	Count int `json:"count"`
}

type outer struct {
	inner

	At      time.Time        `json:"at"`
	Steps   []inner          `json:"steps"`
	ByName  map[string]inner `json:"byName"`
	Pointer *inner           `json:"pointer,omitempty"`
	Raw     json.RawMessage  `json:"raw"`
	Any     any              `json:"any"`
}

func TestUnknownNamesWhatIsPassedOver(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		want []string
	}{
		"nothing": {
			text: `{"count":1,"at":"2026-11-21T03:00:00Z","steps":[{"count":1}],"byName":{"a":{"count":2}},` +
				`"pointer":{"count":3},"raw":{"x":1},"any":{"y":2}}`,
		},
		"fields at every depth, each once": {
			text: `{"haste":1,"steps":[{"haste":{"much":1}},{"haste":2}],"byName":{"a":{"haste":3}},"pointer":{"haste":4}}`,
			want: []string{"byName.a.haste", "haste", "pointer.haste", "steps[].haste"},
		},
		"a value of another type": {text: `{"steps":{"haste":1},"pointer":[{"haste":1}],"count":{"haste":1}}`},
		"null":                    {text: `{"pointer":null,"steps":null}`},
		"no JSON":                 {text: `{"haste":`},
		"no object":               {text: `[{"haste":1}]`},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, strictjson.Unknown([]byte(tc.text), outer{})); diff != "" {
				t.Errorf("unknown fields (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnknownCompressed(t *testing.T) {
	encoded, err := strictjson.EncodeCompressed(map[string]int{"haste": 1})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"haste"}, strictjson.UnknownCompressed(encoded, 100, &outer{})); diff != "" {
		t.Errorf("unknown fields (-want +got):\n%s", diff)
	}
	if got := strictjson.UnknownCompressed(encoded, 3, outer{}); got != nil {
		t.Errorf("got %v of what is too large", got)
	}
}
