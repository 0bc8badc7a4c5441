package image

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
)

// Entry is a file or folder of an image. Folders above it need no entry: they belong to root and are open to all.
type Entry struct {
	// Path is where it lies in the image, from the root on.
	Path string
	// Mode holds the permissions as tar has them, the sticky bit among them.
	Mode int64
	// Owner is the number of both the user and the group.
	Owner int

	folder bool
	source string
	text   string
}

// File is a file with the content of one of this machine.
func File(path, source string, mode int64) Entry {
	return Entry{Path: path, Mode: mode, source: source}
}

// Text is a file that everybody may read, with the content given.
func Text(path, text string) Entry { return Entry{Path: path, Mode: 0o644, text: text} }

// Folder is a folder of the owner.
func Folder(path string, mode int64, owner int) Entry {
	return Entry{Path: path, Mode: mode, Owner: owner, folder: true}
}

// open gives the content and its length.
func (e Entry) open() (io.ReadCloser, int64, error) {
	if e.source == "" {
		return io.NopCloser(bytes.NewReader([]byte(e.text))), int64(len(e.text)), nil
	}
	file, err := os.Open(e.source)
	if err != nil {
		return nil, 0, fmt.Errorf("reading content of %s: %w", e.Path, err)
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, 0, fmt.Errorf("reading content of %s: %w", e.Path, err)
	}
	return file, info.Size(), nil
}

// complete adds the folders above all entries and sorts, so that each folder comes before what it holds. It refuses
// two entries with one path, since which of them counts would depend on their order.
func complete(entries []Entry) ([]Entry, error) {
	known := map[string]Entry{}
	for _, entry := range entries {
		clean := path.Clean(entry.Path)
		if clean != entry.Path || !path.IsAbs(clean) || clean == "/" {
			return nil, fmt.Errorf("path %q in an image must be absolute and plain", entry.Path)
		}
		if _, twice := known[clean]; twice {
			return nil, fmt.Errorf("path %q is twice in an image", clean)
		}
		known[clean] = entry
	}
	for _, entry := range entries {
		for above := path.Dir(entry.Path); above != "/"; above = path.Dir(above) {
			holder, there := known[above]
			if there && !holder.folder {
				return nil, fmt.Errorf("path %q lies below %q, which is a file", entry.Path, above)
			}
			if !there {
				known[above] = Folder(above, 0o755, 0)
			}
		}
	}
	all := make([]Entry, 0, len(known))
	for _, entry := range known {
		all = append(all, entry)
	}
	slices.SortFunc(all, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	return all, nil
}
