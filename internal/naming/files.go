package naming

// FilesPath has a folder, in load pods, for each ConfigMap and volume that a run reads files of.
const FilesPath = "/etc/mongobench/files"

// FilesVolume is the volume, within a pod, of the files in a folder. The folder's own name may be longer than a
// volume's.
func FilesVolume(folder string) string { return "files-" + Hash([]byte(folder)) }
