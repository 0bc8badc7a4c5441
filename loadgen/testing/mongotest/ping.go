package mongotest

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"time"
)

const (
	opMessage    = 2013
	headerBytes  = 16
	replyTimeout = time.Second
)

// pingCommand is {ping: 1, $db: "admin"}.
var pingCommand = []byte("\x1e\x00\x00\x00\x10ping\x00\x01\x00\x00\x00\x02$db\x00\x06\x00\x00\x00admin\x00\x00")

// ping asks a server for a sign of life. A driver would do it too, but would bring its own idea of waiting and
// repeating.
func ping(ctx context.Context, address string) error {
	dialer := net.Dialer{Timeout: replyTimeout}
	connection, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	defer func() { _ = connection.Close() }()
	if err := connection.SetDeadline(time.Now().Add(replyTimeout)); err != nil {
		return err
	}
	// Flags of 0, then one section of kind 0, which is the command.
	body := append(make([]byte, 5), pingCommand...)
	message := binary.LittleEndian.AppendUint32(nil, uint32(headerBytes+len(body)))
	for _, field := range []uint32{1, 0, opMessage} {
		message = binary.LittleEndian.AppendUint32(message, field)
	}
	if _, err := connection.Write(append(message, body...)); err != nil {
		return err
	}
	header := make([]byte, headerBytes)
	if _, err := io.ReadFull(connection, header); err != nil {
		return err
	}
	if code := binary.LittleEndian.Uint32(header[12:]); code != opMessage {
		return fmt.Errorf("the reply has code %d", code)
	}
	return nil
}
