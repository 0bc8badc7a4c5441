package mongod

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// Release is the part of a version that decides what a mongod knows.
type Release struct {
	Major, Minor int
}

// ParseRelease reads the first two numbers of a version, whose form the API server has checked.
func ParseRelease(version string) Release {
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	var parsed Release
	parsed.Major, _ = strconv.Atoi(major)
	parsed.Minor, _ = strconv.Atoi(minor)
	return parsed
}

// AtLeast says whether a release is the other or a later one.
func (r Release) AtLeast(other Release) bool {
	return cmp.Or(cmp.Compare(r.Major, other.Major), cmp.Compare(r.Minor, other.Minor)) >= 0
}

func (r Release) String() string {
	return fmt.Sprintf("%d.%d", r.Major, r.Minor)
}
