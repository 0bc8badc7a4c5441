package main

import (
	"bytes"
	"fmt"
	"io/fs"
)

const (
	// maxFileBytes is the size above which a file needs a reason to be in the repository.
	maxFileBytes = 1 << 20
	// sniffedBytes is how far git itself looks for a NUL byte to tell a binary file.
	sniffedBytes = 8000
)

// committedAnyway are the binary and large files that belong in the repository, each with the reason.
var committedAnyway = map[string]string{}

// archiveMagics begin compressed files and archives, which need not hold a NUL byte early on.
var archiveMagics = []string{"\x1f\x8b", "PK\x03\x04", "\xfd7zXZ", "BZh", "\x28\xb5\x2f\xfd", "7z\xbc\xaf", "!<arch>\n"}

// checkBinaries refuses programs, archives and large files: they stay in every clone forever.
func checkBinaries(tree fs.FS, files []string) ([]finding, error) {
	var findings []finding
	for _, file := range files {
		if committedAnyway[file] != "" {
			continue
		}
		content, err := fs.ReadFile(tree, file)
		if err != nil {
			return nil, fmt.Errorf("looking for binary files: %w", err)
		}
		if isBinary(content) {
			findings = append(findings, finding{
				file, "binary file; build it instead, or list it with a reason in hack/verify/binaries.go",
			})
		}
		if len(content) > maxFileBytes {
			findings = append(findings, finding{file, fmt.Sprintf(
				"%d bytes; at most %d, or list it with a reason in hack/verify/binaries.go", len(content), maxFileBytes)})
		}
	}
	return findings, nil
}

func isBinary(content []byte) bool {
	for _, magic := range archiveMagics {
		if bytes.HasPrefix(content, []byte(magic)) {
			return true
		}
	}
	return bytes.IndexByte(content[:min(len(content), sniffedBytes)], 0) >= 0
}
