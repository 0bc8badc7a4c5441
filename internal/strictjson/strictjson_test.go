package strictjson_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mongobench/mongobench-operator/internal/strictjson"
)

type document struct {
	Version string `json:"version"`
	Filter  string `json:"filter,omitempty"`
}

func TestEncodeWritesOneLineThatPeopleCanRead(t *testing.T) {
	got, err := strictjson.Encode(document{Version: "v1", Filter: "a < b & c"})
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"version":"v1","filter":"a < b & c"}`; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestDecodeVersioned(t *testing.T) {
	tests := map[string]struct {
		encoded string
		want    document
		wantErr string
	}{
		"a document of the version is read":  {encoded: `{"version":"v1","filter":"f"}`, want: document{"v1", "f"}},
		"another version is named":           {encoded: `{"version":"v2","new":1}`, wantErr: `version is "v2", want "v1"`},
		"a missing version is named":         {encoded: `{}`, wantErr: `version is "", want "v1"`},
		"an unknown field is named":          {encoded: `{"version":"v1","filtr":"f"}`, wantErr: `unknown field "filtr"`},
		"a second value is refused":          {encoded: `{"version":"v1"}{"version":"v1"}`, wantErr: "after top-level value"},
		"an empty text is refused":           {encoded: ``, wantErr: "unexpected end"},
		"a text that is no JSON is refused":  {encoded: `version: v1`, wantErr: "invalid character"},
		"a value of another type is refused": {encoded: `[]`, wantErr: "cannot unmarshal"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var got document
			err := strictjson.DecodeVersioned([]byte(tc.encoded), "v1", &got)
			if tc.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), tc.wantErr) {
					t.Fatalf("got error %v, want one with %q", err, tc.wantErr)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("document (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecodeKnownVersionedPassesOverOtherFields(t *testing.T) {
	var got document
	if err := strictjson.DecodeKnownVersioned([]byte(`{"version":"v1","colour":1,"filter":"f"}`), "v1", &got); err != nil {
		t.Fatal(err)
	}
	if want := (document{"v1", "f"}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for encoded, wantErr := range map[string]string{
		`{"version":"v2"}`:                   "different releases",
		`{"version":"v1"}{"version":"v1"}`:   "after top-level value",
		`{"version":"v1","filter":["many"]}`: "cannot unmarshal",
	} {
		err := strictjson.DecodeKnownVersioned([]byte(encoded), "v1", &got)
		if err == nil || !strings.Contains(err.Error(), wantErr) {
			t.Errorf("%s: got error %v, want one with %q", encoded, err, wantErr)
		}
	}
}

func TestDecodeRefusesWhatFollowsTheValue(t *testing.T) {
	var got document
	if err := strictjson.Decode([]byte(`{"version":"v1"} x`), &got); err == nil {
		t.Error("got no error")
	}
}
