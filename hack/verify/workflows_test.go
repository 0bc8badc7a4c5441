package main

import "testing"

func TestActions(t *testing.T) {
	const commit = "11bd71901bbe5b1630ceea73d27597364c9af683"
	for sentence, tc := range map[string]struct {
		line, want string
	}{
		"a commit with its version is fine": {line: "      - uses: actions/checkout@" + commit + " # v4.2.2"},
		"as the second key of a step too":   {line: "        uses: github/codeql-action/init@" + commit + " # v4.36.3"},
		"an action of this repository has no version": {
			line: "      - uses: ./.github/actions/build",
		},
		"a tag is found": {line: "      - uses: actions/checkout@v4", want: "ci.yml:2: actions/checkout@v4: write it as"},
		"a commit without its version is found": {
			line: "      - uses: actions/checkout@" + commit, want: "write it as",
		},
		"a short commit is found":  {line: "      - uses: actions/checkout@11bd719 # v4.2.2", want: "write it as"},
		"a short version is found": {line: "      - uses: actions/checkout@" + commit + " # v4", want: "write it as"},
		"a tag in quotes is found": {line: `      - uses: "actions/checkout@v4"`, want: "actions/checkout@v4: write it as"},
	} {
		t.Run(sentence, func(t *testing.T) {
			tree := map[string]string{".github/workflows/ci.yml": "steps:\n" + tc.line + "\n"}
			expect(t, findingsOf(t, checkActions, tree), tc.want)
		})
	}
}
