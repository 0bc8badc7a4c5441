package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"time"
)

// proxy passes on what clients and a server say to each other, and holds back a part of the replies.
type proxy struct {
	address  string
	listener net.Listener
	server   string
	part     float64
	delay    time.Duration

	mutex sync.Mutex
	open  []net.Conn
	ended bool
}

// startProxy starts a proxy for a server. A part of the replies, from 0 to 1, is held back for a time.
func startProxy(ctx context.Context, server string, part float64, delay time.Duration) (*proxy, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("starting a proxy: %w", err)
	}
	p := &proxy{address: listener.Addr().String(), listener: listener, server: server, part: part, delay: delay}
	go p.accept(ctx)
	return p, nil
}

// stop closes all connections.
func (p *proxy) stop() {
	_ = p.listener.Close()
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.ended = true
	for _, one := range p.open {
		_ = one.Close()
	}
}

func (p *proxy) accept(ctx context.Context) {
	for number := uint64(0); ; number++ {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := new(net.Dialer).DialContext(ctx, "tcp", p.server)
		if err != nil {
			_ = client.Close()
			continue
		}
		if !p.keep(client, server) {
			return
		}
		random := rand.New(rand.NewPCG(1, number))
		go func() {
			_, _ = io.Copy(server, client)
			_ = server.Close()
		}()
		go func() {
			_ = p.reply(client, server, random)
			_ = client.Close()
		}()
	}
}

// keep keeps connections for stop; false once that was called.
func (p *proxy) keep(connections ...net.Conn) bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.ended {
		for _, one := range connections {
			_ = one.Close()
		}
		return false
	}
	p.open = append(p.open, connections...)
	return true
}

// reply passes on one message of the server after the other, each of which begins with its length.
func (p *proxy) reply(client io.Writer, server io.Reader, random *rand.Rand) error {
	const lengthBytes = 4
	var message []byte
	for {
		var length [lengthBytes]byte
		if _, err := io.ReadFull(server, length[:]); err != nil {
			return err
		}
		size := int(binary.LittleEndian.Uint32(length[:]))
		if size < lengthBytes {
			return fmt.Errorf("a message of %d bytes", size)
		}
		if cap(message) < size {
			message = make([]byte, size)
		}
		message = message[:size]
		copy(message, length[:])
		if _, err := io.ReadFull(server, message[lengthBytes:]); err != nil {
			return err
		}
		if p.delay > 0 && random.Float64() < p.part {
			time.Sleep(p.delay)
		}
		if _, err := client.Write(message); err != nil {
			return err
		}
	}
}
