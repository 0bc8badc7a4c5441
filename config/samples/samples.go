package samples

import (
	"embed"
	"io/fs"
	"path"
	"slices"
	"strings"
)

const extension = ".yaml"

//go:embed *.yaml tasks/*.yaml tools/*.yaml workloads/*.yaml
var files embed.FS

// folders are where samples are. A name is in one of them.
var folders = []string{".", "tasks", "tools", "workloads"}

// Names are those of all samples, in alphabetical order.
func Names() []string {
	names := namesIn(folders[0])
	for _, folder := range folders[1:] {
		names = append(names, namesIn(folder)...)
	}
	slices.Sort(names) // With its extension a name comes after longer ones.
	return names
}

// Workloads are the names of those that are presets of a run too.
func Workloads() []string { return namesIn("workloads") }

func namesIn(folder string) []string {
	// What was compiled in can be read, and the pattern makes no mistake.
	names, _ := fs.Glob(files, path.Join(folder, "*"+extension))
	for i, found := range names {
		names[i] = strings.TrimSuffix(path.Base(found), extension)
	}
	return names
}

// Read returns the file of a sample with its comments, false when there is none of that name.
func Read(name string) ([]byte, bool) {
	for _, folder := range folders {
		if content, err := files.ReadFile(path.Join(folder, name+extension)); err == nil {
			return content, true
		}
	}
	return nil, false
}
