package image

import (
	"archive/tar"
	"bytes"
	"fmt"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

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
