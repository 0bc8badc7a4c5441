package harness

import (
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

func TestOneLineOfAPrivateKeyIsALeak(t *testing.T) {
	const key = "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49\nAgEGCCqGSM49AwEHBG0w\n-----END PRIVATE KEY-----\n"
	for text, want := range map[string]int{
		"AgEGCCqGSM49AwEHBG0w": 1, `"MIGHAgEAMBMGByqGSM49\nAgEG"`: 1, "-----BEGIN PRIVATE KEY-----": 0,
	} {
		if got := Leaks(map[string]string{"log": text}, map[string]string{"tls/tls.key": key}); len(got) != want {
			t.Errorf("in %q: got %v, want %d leaks", text, got, want)
		}
	}
}
