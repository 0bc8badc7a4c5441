package crd

import (
	"embed"
	"io/fs"
	"strings"
)

// A file is called GROUP_PLURAL.yaml, and its definition PLURAL.GROUP.
const (
	prefix    = "mongobench.dev_"
	extension = ".yaml"
	group     = ".mongobench.dev"
)

//go:embed mongobench.dev_*.yaml
var files embed.FS

// Names are those of all definitions, in alphabetical order.
func Names() []string {
	// What was compiled in can be read, and the pattern makes no mistake.
	paths, _ := fs.Glob(files, prefix+"*"+extension)
	names := make([]string, 0, len(paths))
	for _, path := range paths {
		names = append(names, strings.TrimSuffix(strings.TrimPrefix(path, prefix), extension)+group)
	}
	return names
}

// Read returns the definition of a name in YAML, false when there is none.
func Read(name string) ([]byte, bool) {
	content, err := files.ReadFile(prefix + strings.TrimSuffix(name, group) + extension)
	return content, err == nil
}
