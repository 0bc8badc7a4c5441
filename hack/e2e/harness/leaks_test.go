package harness

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLeaks(t *testing.T) {
	const password = "s3cret\"word+42"
	inBase64 := base64.StdEncoding.EncodeToString([]byte(password))
	leak := []string{"admin/password stands in a pod"}
	cases := map[string]struct {
		text string
		want []string
	}{
		"nothing stands there":       {text: "some other word", want: nil},
		"the secret itself":          {text: "user:" + password + "@host", want: leak},
		"the secret in base64":       {text: inBase64, want: leak},
		"the secret within JSON":     {text: `{"value":"s3cret\"word+42"}`, want: leak},
		"a secret that is cut short": {text: password[:len(password)-2], want: nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := Leaks(map[string]string{"a pod": tc.text}, map[string]string{"admin/password": password})
			if difference := cmp.Diff(tc.want, got); difference != "" {
				t.Error(difference)
			}
		})
	}
}

func TestASecretIsFoundWithItsFinalNewlineOrWithout(t *testing.T) {
	got := Leaks(map[string]string{"log": "the key is abcdefghij"}, map[string]string{"keyfile": "abcdefghij\n"})
	if len(got) != 1 {
		t.Errorf("got %v, want one leak", got)
	}
}

func TestUnzipLooksIntoWhatIsCompressedAndLeavesTheRest(t *testing.T) {
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	if _, err := writer.Write([]byte("inside")); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	if got := unzip(packed.Bytes()); got != "inside" {
		t.Errorf("got %q, want %q", got, "inside")
	}
	if got := unzip([]byte("plain")); got != "plain" {
		t.Errorf("got %q, want %q", got, "plain")
	}
}
