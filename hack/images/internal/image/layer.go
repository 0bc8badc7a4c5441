package image

import (
	"archive/tar"
	"bytes"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
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

// Text is a file that all may read, with the content given.
func Text(path, text string) Entry { return Entry{Path: path, Mode: 0o644, text: text} }

// Folder is a folder of the owner.
func Folder(path string, mode int64, owner int) Entry {
	return Entry{Path: path, Mode: mode, Owner: owner, folder: true}
}

// content is read whole: the largest file is a server of 140 MB, and a layer is built in memory anyway.
func (e Entry) content() ([]byte, error) {
	if e.source == "" {
		return []byte(e.text), nil
	}
	content, err := os.ReadFile(e.source)
	if err != nil {
		return nil, fmt.Errorf("reading content of %s: %w", e.Path, err)
	}
	return content, nil
}

// complete adds the folders above all entries and sorts, so that each folder comes before what it holds. It refuses
// two entries with one path, since which of them counts would depend on their order.
func complete(entries []Entry) ([]Entry, error) {
	known := map[string]Entry{}
	for _, entry := range entries {
		if clean := path.Clean(entry.Path); clean != entry.Path || !path.IsAbs(clean) || clean == "/" {
			return nil, fmt.Errorf("path %q in an image must be absolute and plain", entry.Path)
		}
		if _, twice := known[entry.Path]; twice {
			return nil, fmt.Errorf("path %q is twice in an image", entry.Path)
		}
		known[entry.Path] = entry
	}
	for _, entry := range entries {
		if err := addFoldersAbove(known, entry.Path); err != nil {
			return nil, err
		}
	}
	return slices.SortedFunc(maps.Values(known), func(a, b Entry) int { return strings.Compare(a.Path, b.Path) }), nil
}

func addFoldersAbove(known map[string]Entry, below string) error {
	for above := path.Dir(below); above != "/"; above = path.Dir(above) {
		holder, there := known[above]
		if there && !holder.folder {
			return fmt.Errorf("path %q lies below %q, which is a file", below, above)
		}
		if !there {
			known[above] = Folder(above, 0o755, 0)
		}
	}
	return nil
}

// fixedTime stands for every time in an image, since the real one would make each build differ from the last.
var fixedTime = time.Unix(0, 0).UTC()

// layer packs the entries. It is not compressed: the tarball never leaves this machine, and packing and unpacking
// would take longer than all the rest of a build.
func layer(entries []Entry) (v1.Layer, error) {
	var packed bytes.Buffer
	writer := tar.NewWriter(&packed)
	for _, entry := range entries {
		if err := pack(writer, entry); err != nil {
			return nil, fmt.Errorf("packing %s: %w", entry.Path, err)
		}
	}
	if err := writer.Close(); err != nil {
		return nil, fmt.Errorf("packing a layer: %w", err)
	}
	return static.NewLayer(packed.Bytes(), types.DockerUncompressedLayer), nil
}

func pack(writer *tar.Writer, entry Entry) error {
	header := &tar.Header{
		Typeflag: tar.TypeDir, Name: entry.Path[1:] + "/", Mode: entry.Mode,
		Uid: entry.Owner, Gid: entry.Owner, ModTime: fixedTime, Format: tar.FormatPAX,
	}
	if entry.folder {
		return writer.WriteHeader(header)
	}
	content, err := entry.content()
	if err != nil {
		return err
	}
	header.Typeflag, header.Name, header.Size = tar.TypeReg, entry.Path[1:], int64(len(content))
	if err := writer.WriteHeader(header); err != nil {
		return err
	}
	_, err = writer.Write(content)
	return err
}
