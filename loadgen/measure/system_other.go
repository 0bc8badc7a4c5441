//go:build !linux

package measure

import "os"

// syncData brings a file to the disk.
func syncData(file *os.File) error {
	return file.Sync()
}
