package samples

import (
	"embed"
	"io/fs"
	"slices"
	"strings"
)

const extension = ".yaml"

//go:embed *.yaml
var files embed.FS

// Names are those of all samples, in alphabetical order.
func Names() []string {
	// What was compiled in can be read, and the pattern makes no mistake.
	paths, _ := fs.Glob(files, "*"+extension)
	names := make([]string, 0, len(paths))
	for _, path := range paths {
		names = append(names, strings.TrimSuffix(path, extension))
	}
	slices.Sort(names) // With its extension a name comes after longer ones.
	return names
}

// Read returns the file of a sample with its comments, false when there is none of that name.
func Read(name string) ([]byte, bool) {
	content, err := files.ReadFile(name + extension)
	return content, err == nil
}
