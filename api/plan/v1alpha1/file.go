package v1alpha1

import "path"

// File is one that load pods read: the key of a ConfigMap, or a file of a volume.
type File struct {
	// ConfigMap or Claim, one of the two, is the name of what the file is in.
	ConfigMap string `json:"configMap,omitempty"`
	Claim     string `json:"claim,omitempty"`
	// Path is the ConfigMap's key, or the path from the root of the volume on.
	Path string `json:"path"`
}

// Folder is that of the ConfigMap or volume, within the folder of all files. No two of them have the same, and none has
// another one's within it. It is empty for a file that is in neither, as there is none in a cluster.
func (f File) Folder() string {
	switch {
	case f.ConfigMap != "":
		return path.Join("configmap", f.ConfigMap)
	case f.Claim != "":
		return path.Join("volume", f.Claim)
	default:
		return ""
	}
}

// String is the path of the file within the folder of all files.
func (f File) String() string {
	return path.Join(f.Folder(), f.Path)
}

// Files are those that load pods read for the plan.
func (p Plan) Files() []File {
	var files []File
	for _, declared := range p.DataFiles {
		files = append(files, declared.File)
	}
	for _, step := range p.Steps {
		if step.Replay != nil {
			files = append(files, step.Replay.Recording)
		}
	}
	return files
}
