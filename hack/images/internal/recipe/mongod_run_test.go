package recipe

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/mongobench/mongobench-operator/hack/images/internal/cache"
	"github.com/mongobench/mongobench-operator/hack/images/internal/server"
)

// TestServerOfTheImageRunsWithNothingButItsFilesAndNoPrivilege needs root for the change of root folder.
func TestServerOfTheImageRunsWithNothingButItsFilesAndNoPrivilege(t *testing.T) {
	inImages(t, "mongod", server.Mongod.Defaults, func(t *testing.T, root string) {
		t.Helper()
		address, stop := startServer(t, root)
		if err := askHello(t.Context(), address); err != nil {
			t.Error(err)
		}
		stop()
		var written syscall.Stat_t
		if err := syscall.Stat(filepath.Join(root, "data/db/WiredTiger"), &written); err != nil {
			t.Fatalf("the server wrote no data: %v", err)
		}
		if int(written.Uid) != mongodImage.user.id {
			t.Errorf("data belongs to %d, want %d", written.Uid, mongodImage.user.id)
		}
	})
}

// inImages tests each version of an image where it is unpacked.
func inImages(t *testing.T, name string, versions []string, test func(t *testing.T, root string)) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root: changing the root folder of a process")
	}
	located, err := cache.Locate()
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			file := filepath.Join(located.Images(), name+"-"+version+".tar")
			if _, err := os.Stat(file); err != nil {
				t.Skipf("no image yet (make images): %v", err)
			}
			root := t.TempDir()
			unpackImage(t, file, root)
			test(t, root)
		})
	}
}

func unpackImage(t *testing.T, file, root string) {
	t.Helper()
	made, err := tarball.ImageFromPath(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	stream := mutate.Extract(made)
	for reader := tar.NewReader(stream); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := unpackEntry(filepath.Join(root, filepath.Clean("/"+header.Name)), header, reader); err != nil {
			t.Fatal(err)
		}
	}
	// A container runtime brings this device; the server draws its random numbers from it.
	device := filepath.Join(root, "dev", "urandom")
	if err := os.MkdirAll(filepath.Dir(device), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mknod(device, syscall.S_IFCHR|0o666, 1<<8|9); err != nil {
		t.Skipf("no devices may be made here: %v", err)
	}
}

func unpackEntry(path string, header *tar.Header, content io.Reader) error {
	if header.Typeflag == tar.TypeDir {
		if err := os.MkdirAll(path, 0o755); err != nil {
			return err
		}
	} else {
		file, err := os.Create(path)
		if err != nil {
			return err
		}
		if _, err := io.Copy(file, content); err != nil {
			return errors.Join(err, file.Close())
		}
		if err := file.Close(); err != nil {
			return err
		}
	}
	if err := os.Chown(path, header.Uid, header.Gid); err != nil {
		return err
	}
	return os.Chmod(path, header.FileInfo().Mode())
}

// startServer runs the image's mongod with the image as its root folder. The function it returns stops the server and
// waits for it.
func startServer(t *testing.T, root string) (string, func()) {
	t.Helper()
	host, port := freeAddress(t)
	ctx, cancel := context.WithCancel(t.Context())
	var output bytes.Buffer
	server := exec.CommandContext(ctx, "/usr/bin/mongod", "--dbpath", "/data/db", "--bind_ip", host,
		"--port", port, "--wiredTigerCacheSizeGB", "0.25", "--oplogSize", "64")
	server.Dir, server.Env = "/", []string{searchPath}
	server.Stdout, server.Stderr = &output, &output
	server.SysProcAttr = &syscall.SysProcAttr{
		Chroot:     root,
		Credential: &syscall.Credential{Uid: uint32(mongodImage.user.id), Gid: uint32(mongodImage.user.id)},
		Pdeathsig:  syscall.SIGKILL,
	}
	server.Cancel = func() error { return server.Process.Signal(syscall.SIGTERM) }
	server.WaitDelay = 20 * time.Second
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	stop := func() {
		cancel()
		if err := server.Wait(); server.ProcessState.ExitCode() != 0 {
			t.Errorf("server ended with %v: %s", err, output.String())
		}
	}
	return net.JoinHostPort(host, port), stop
}

// freeAddress is one that nothing listens on; the server takes it a moment later.
func freeAddress(t *testing.T) (host, port string) {
	t.Helper()
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	host, port, err = net.SplitHostPort(listener.Addr().String())
	if err := errors.Join(err, listener.Close()); err != nil {
		t.Fatal(err)
	}
	return host, port
}

// askHello sends "isMaster", which every version knows, until there is an answer.
func askHello(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		err := helloOnce(ctx, address)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("no answer from %s in 30 s: %w", address, err)
		case <-ticker.C:
		}
	}
}

func helloOnce(ctx context.Context, address string) error {
	var dialer net.Dialer
	connection, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	defer func() { _ = connection.Close() }()
	if err := connection.SetDeadline(time.Now().Add(5 * time.Second)); err != nil {
		return err
	}
	document := "\x10isMaster\x00\x01\x00\x00\x00\x02$db\x00\x06\x00\x00\x00admin\x00\x00"
	const headerBytes, opMsg = 16, 2013
	message := binary.LittleEndian.AppendUint32(nil, uint32(headerBytes+4+1+4+len(document)))
	message = binary.LittleEndian.AppendUint32(message, 1)
	message = binary.LittleEndian.AppendUint32(message, 0)
	message = binary.LittleEndian.AppendUint32(message, opMsg)
	message = append(message, 0, 0, 0, 0, 0)
	message = binary.LittleEndian.AppendUint32(message, uint32(4+len(document)))
	if _, err := connection.Write(append(message, document...)); err != nil {
		return err
	}
	answer := make([]byte, 4096)
	length, err := connection.Read(answer)
	if err != nil {
		return err
	}
	if !bytes.Contains(answer[:length], []byte("maxWireVersion")) {
		return fmt.Errorf("answer is not one of a server: %q", answer[:length])
	}
	return nil
}
