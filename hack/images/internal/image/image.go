package image

import (
	"archive/tar"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Image says all that makes an image.
type Image struct {
	// Reference is the name and tag under which a runtime knows it.
	Reference string
	// Entries are its files, in any order.
	Entries []Entry
	// Config says how a container of it runs.
	Config v1.Config
	// Architecture that its programs are for, by Go's names. Unset: this machine's.
	Architecture string
	// Created is when it says that it was made. Unset: the beginning of Unix time, so that builds do not differ.
	Created time.Time
}

// assemble makes the image. The same inputs give the same one, to the byte.
func (i Image) assemble(pack func([]Entry) (v1.Layer, error)) (v1.Image, error) {
	entries, err := complete(i.Entries)
	if err != nil {
		return nil, err
	}
	files, err := pack(entries)
	if err != nil {
		return nil, err
	}
	created := v1.Time{Time: fixedTime}
	if !i.Created.IsZero() {
		created.Time = i.Created.UTC()
	}
	base, err := mutate.ConfigFile(empty.Image, &v1.ConfigFile{
		OS: "linux", Architecture: cmp.Or(i.Architecture, runtime.GOARCH), Created: created, Config: i.Config,
		RootFS: v1.RootFS{Type: "layers"},
	})
	if err != nil {
		return nil, fmt.Errorf("configuring %s: %w", i.Reference, err)
	}
	made, err := mutate.Append(base, mutate.Addendum{
		Layer:   files,
		History: v1.History{Created: created, CreatedBy: "hack/images"},
	})
	if err != nil {
		return nil, fmt.Errorf("assembling %s: %w", i.Reference, err)
	}
	return made, nil
}

// Archive is an image in a tarball on this machine.
type Archive struct {
	// File is the path of the tarball.
	File string
	// ID is the digest of the image's configuration, which runtimes show as the image's id.
	ID string
	// Bytes is the length of the tarball.
	Bytes int64
	// Unchanged says that the tarball was there already, made from the same inputs.
	Unchanged bool
}

// WriteArchive brings the tarball up to date: it is written only when it holds another image, or cannot be read.
func (i Image) WriteArchive(file string) (Archive, error) {
	tag, err := name.NewTag(i.Reference, name.StrictValidation)
	if err != nil {
		return Archive{}, fmt.Errorf("naming an image: %w", err)
	}
	made, err := i.assemble(layer)
	if err != nil {
		return Archive{}, err
	}
	id, err := made.ConfigName()
	if err != nil {
		return Archive{}, fmt.Errorf("computing the id of %s: %w", i.Reference, err)
	}
	unchanged := holds(file, tag, id)
	if !unchanged {
		if err := write(file, tag, made); err != nil {
			return Archive{}, err
		}
	}
	info, err := os.Stat(file)
	if err != nil {
		return Archive{}, fmt.Errorf("reading %s: %w", file, err)
	}
	return Archive{File: file, ID: id.String(), Bytes: info.Size(), Unchanged: unchanged}, nil
}

// holds tells whether a tarball has this image under this name.
func holds(file string, tag name.Tag, id v1.Hash) bool {
	old, err := tarball.ImageFromPath(file, &tag)
	if err != nil {
		return false
	}
	held, err := old.ConfigName()
	return err == nil && held == id
}

// write goes through a file beside it, so that an import at the same time reads the old tarball or the new one.
func write(file string, tag name.Tag, made v1.Image) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("making the folder of images: %w", err)
	}
	beside := fmt.Sprintf("%s.%d", file, os.Getpid())
	err := tarball.WriteToFile(beside, tag, made)
	if err == nil {
		err = os.Rename(beside, file)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", file, errors.Join(err, os.RemoveAll(beside)))
	}
	return nil
}

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
	packed, err := packAll(entries)
	if err != nil {
		return nil, err
	}
	return static.NewLayer(packed, types.DockerUncompressedLayer), nil
}

func packAll(entries []Entry) ([]byte, error) {
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
	return packed.Bytes(), nil
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
