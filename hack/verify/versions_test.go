package main

import "testing"

func TestVersions(t *testing.T) {
	t.Parallel()
	const operator, helm = "go.mod", "hack/tools/helm/go.mod"
	for sentence, tc := range map[string]struct {
		tree map[string]string
		want string
	}{
		"the same versions are fine": {
			tree: map[string]string{
				operator: "module a\nrequire example.com/x v1.2.0\n",
				helm:     "module b\nrequire (\n\texample.com/x v1.2.0 // indirect\n\texample.com/y v1.0.0\n)\n",
			},
		},
		"two versions are found": {
			tree: map[string]string{
				operator: "module a\nrequire example.com/x v1.2.0\n",
				helm:     "module b\nrequire example.com/x v1.3.0\n",
			},
			want: "go.mod: example.com/x has v1.2.0 in . and v1.3.0 in hack/tools/helm: take the same",
		},
		"what replaces a version counts": {
			tree: map[string]string{
				operator: "module a\nrequire example.com/x v1.2.0\n",
				helm:     "module b\nrequire example.com/x v0.0.0\nreplace example.com/x => example.com/x v1.2.0\n",
			},
		},
		"other modules have the versions they like": {
			tree: map[string]string{
				operator:                 "module a\nrequire example.com/x v1.2.0\n",
				"hack/tools/kind/go.mod": "module b\nrequire example.com/x v1.3.0\n",
			},
		},
		"a file that is none is found": {
			tree: map[string]string{operator: "module\n"},
			want: "go.mod: cannot be read",
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			expect(t, findingsOf(t, checkVersions, tc.tree), tc.want)
		})
	}
}
