package loadgen

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Credentials reads a name and a password from the files username and password of a folder, as a mounted Secret has
// them. An end of line is no part of either.
func Credentials(folder string) (username, password string, err error) {
	for file, text := range map[string]*string{"username": &username, "password": &password} {
		content, err := os.ReadFile(filepath.Join(folder, file))
		if err != nil {
			return "", "", fmt.Errorf("reading credentials: %w", err)
		}
		*text = strings.TrimRight(string(content), "\r\n")
	}
	return username, password, nil
}
