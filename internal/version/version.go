package version

import (
	"fmt"
	"runtime"
	"strings"
)

// Set by the linker: -X github.com/mongobench/mongobench-operator/internal/version.number=v0.2.0 and so on.
var (
	number = "dev"
	commit string
	date   string
)

// Number is the release, such as v0.2.0, or "dev".
func Number() string { return number }

// Line says of a program what it was built from, and by and for what: "loadgen v0.2.0, commit 0123abcd,
// 2026-11-26T14:00:00Z, go1.26.8, linux/amd64". The date is that of the commit. A program of a working tree has
// neither commit nor date.
func Line(program string) string {
	parts := []string{program + " " + number}
	if commit != "" {
		parts = append(parts, "commit "+commit)
	}
	if date != "" {
		parts = append(parts, date)
	}
	return strings.Join(append(parts, runtime.Version(), fmt.Sprintf("%s/%s", runtime.GOOS, runtime.GOARCH)), ", ")
}
