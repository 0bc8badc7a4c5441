package mongod

import (
	"strconv"
	"strings"
)

// firstPerCPU is the first release whose memory allocator keeps a cache for each processor with the help of the kernel.
var firstPerCPU = Release{Major: 8}

// StopsOn says whether a mongod of the release ends at its start on a Linux of this version, such as 6.19.3-generic:
// the kernel changed what that allocator builds on in 6.19, and changed it back in 7.0.14
// (https://www.mongodb.com/docs/manual/release-notes/8.0/). What is no such version is taken for a good one.
func (r Release) StopsOn(kernel string) bool {
	version, known := kernelVersion(kernel)
	first, fixed := [3]int{6, 19, 0}, [3]int{7, 0, 14}
	return known && r.AtLeast(firstPerCPU) && !before(version, first) && before(version, fixed)
}

// kernelVersion reads the three numbers that a kernel's version begins with; the third may be missing.
func kernelVersion(kernel string) (version [3]int, known bool) {
	numbers := strings.SplitN(kernel, ".", len(version))
	for i, text := range numbers {
		end := strings.IndexFunc(text, func(c rune) bool { return c < '0' || c > '9' })
		if end >= 0 {
			text = text[:end]
		}
		number, err := strconv.Atoi(text)
		if err != nil {
			return version, false
		}
		version[i] = number
		if end >= 0 {
			return version, i > 0
		}
	}
	return version, len(numbers) > 1
}

func before(a, b [3]int) bool {
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}
