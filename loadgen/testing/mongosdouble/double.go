package mongosdouble

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/mongobench/mongobench-operator/loadgen/driver/wire"
)

// Options say what a double stands in front of.
type Options struct {
	// ConfigServers as host:port.
	ConfigServers []string
	// Keyfile is the text of the servers' keyfile; empty where there is no authentication.
	Keyfile string
	// Seen, which may be nil, is told the name of every command before it is carried out.
	Seen func(command string)
	// Answer, which may be nil, answers commands in place of the servers; nil leaves a command to them.
	Answer func(command bson.Raw) bson.Raw
}

// Double is a server that is taken for a mongos.
type Double struct {
	// Address as host:port.
	Address string

	config   []string
	seen     func(command string)
	answer   func(command bson.Raw) bson.Raw
	login    *wire.Login
	listener net.Listener

	mutex sync.Mutex
	// open are the connections of clients.
	open   map[net.Conn]bool
	closed bool
	// configShard says that the config servers were made a shard.
	configShard bool
	// asked is how often each command came.
	asked map[string]int
}

// Start starts a double on a free port. It ends with the test.
func Start(tb testing.TB, options Options) *Double {
	tb.Helper()
	listener, err := new(net.ListenConfig).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	d := &Double{
		Address: listener.Addr().String(), config: options.ConfigServers, seen: options.Seen, listener: listener,
		answer: options.Answer, open: map[net.Conn]bool{}, asked: map[string]int{},
	}
	if options.Keyfile != "" {
		d.login = &wire.Login{
			Username: "__system", Password: strings.Join(strings.Fields(options.Keyfile), ""),
			Source: "local", Mechanism: "SCRAM-SHA-256",
		}
	}
	var clients sync.WaitGroup
	clients.Go(func() { d.accept(&clients) })
	tb.Cleanup(func() {
		d.close()
		clients.Wait()
	})
	return d
}

// URI is a connection string of the double.
func (d *Double) URI() string {
	return "mongodb://" + d.Address + "/"
}

// Asked is how often a command came.
func (d *Double) Asked(command string) int {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return d.asked[command]
}

func (d *Double) accept(clients *sync.WaitGroup) {
	for {
		conn, err := d.listener.Accept()
		if err != nil {
			return
		}
		if !d.keep(conn) {
			_ = conn.Close()
			return
		}
		clients.Go(func() {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			c := &client{double: d, conn: conn, ctx: ctx, servers: map[string]*wire.Conn{}, known: d.login == nil}
			c.serve()
			d.mutex.Lock()
			defer d.mutex.Unlock()
			delete(d.open, conn)
		})
	}
}

func (d *Double) keep(conn net.Conn) bool {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed {
		return false
	}
	d.open[conn] = true
	return true
}

func (d *Double) close() {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.closed = true
	_ = d.listener.Close()
	for conn := range d.open {
		_ = conn.Close()
	}
}

func (d *Double) note(command string) {
	if d.seen != nil {
		d.seen(command)
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.asked[command]++
}

// client is one connection of a client.
type client struct {
	double *Double
	conn   net.Conn
	ctx    context.Context //nolint:containedctx // It lives as long as the connection.
	// own is the connection to the config servers that the client's login is handed on to.
	own *wire.Conn
	// known says that the client is logged in, or need not be.
	known bool
	// servers are connections to primaries by the hosts of their sets.
	servers map[string]*wire.Conn
	release int
}

func (c *client) serve() {
	defer c.end()
	for {
		r, err := readRequest(c.conn)
		if err != nil {
			return
		}
		reply, err := c.carryOut(r.command)
		if err != nil {
			reply = refusal(err)
		}
		if reply == nil || r.answer(c.conn, reply) != nil {
			return
		}
	}
}

func (c *client) end() {
	_ = c.conn.Close()
	if c.own != nil {
		c.own.Close()
	}
	for _, server := range c.servers {
		server.Close()
	}
}

// refusal is the reply of a server that does not do what it was asked.
func refusal(err error) bson.Raw {
	code, name := int32(1), "InternalError"
	if refused, ok := err.(*refused); ok { //nolint:errorlint // It is never wrapped.
		if refused.reply != nil {
			return refused.reply
		}
		code, name = refused.code, refused.name
	}
	return document(bson.D{
		{Key: "ok", Value: 0.0},
		{Key: "errmsg", Value: err.Error()},
		{Key: "code", Value: code},
		{Key: "codeName", Value: name},
	})
}

// refused is an error of the double, or the reply of a server that refused.
type refused struct {
	code  int32
	name  string
	text  string
	reply bson.Raw
}

func (r *refused) Error() string {
	return r.text
}

func unsupported(what string) error {
	return &refused{code: 303, name: "FeatureNotSupported", text: "the double of mongos does not merge: " + what}
}

// document is the encoding of what may be one already.
func document(d any) bson.Raw {
	if raw, ok := d.(bson.Raw); ok {
		return raw
	}
	raw, err := bson.Marshal(d)
	if err != nil {
		panic(err)
	}
	return raw
}

const (
	opReply   = 1
	opQuery   = 2004
	opMessage = 2013

	headerBytes     = 16
	maxMessageBytes = 48_000_000
	flagMoreToCome  = 1 << 1
)

// request is one command, however it came.
type request struct {
	id      uint32
	command bson.Raw
	// query says that it came as OP_QUERY, which is how a driver begins, and silent that no answer is wanted.
	query, silent bool
}

func readRequest(from io.Reader) (request, error) {
	header := make([]byte, headerBytes)
	if _, err := io.ReadFull(from, header); err != nil {
		return request{}, err
	}
	length := binary.LittleEndian.Uint32(header)
	if length < headerBytes || length > maxMessageBytes {
		return request{}, fmt.Errorf("a message of %d bytes", length)
	}
	body := make([]byte, length-headerBytes)
	if _, err := io.ReadFull(from, body); err != nil {
		return request{}, err
	}
	r := request{id: binary.LittleEndian.Uint32(header[4:])}
	var err error
	switch code := binary.LittleEndian.Uint32(header[12:]); code {
	case opQuery:
		r.query = true
		r.command, err = queryCommand(body)
	case opMessage:
		r.silent = binary.LittleEndian.Uint32(body)&flagMoreToCome != 0
		r.command, err = messageCommand(body[4:])
	default:
		err = fmt.Errorf("a message of code %d", code)
	}
	return r, err
}

// queryCommand is the document behind the flags, the name of the collection and two numbers.
func queryCommand(body []byte) (bson.Raw, error) {
	for at := 4; at < len(body); at++ {
		if body[at] == 0 {
			return bson.Raw(body[min(at+9, len(body)):]), nil
		}
	}
	return nil, errors.New("a query that is cut off")
}

// messageCommand puts the documents of sequences into the command as arrays.
func messageCommand(sections []byte) (bson.Raw, error) {
	var body bson.Raw
	var arrays []byte
	for len(sections) > 4 {
		length := int(binary.LittleEndian.Uint32(sections[1:]))
		if length < 5 || length >= len(sections)+1 {
			return nil, errors.New("a section that is cut off")
		}
		section := sections[1 : 1+length]
		if sections[0] == 0 {
			body = section
		} else {
			arrays = appendSequence(arrays, section[4:])
		}
		sections = sections[1+length:]
	}
	if body == nil {
		return nil, errors.New("a message without a command")
	}
	start, document := bsoncore.AppendDocumentStart(nil)
	document = append(document, body[4:len(body)-1]...)
	document = append(document, arrays...)
	document, err := bsoncore.AppendDocumentEnd(document, start)
	return bson.Raw(document), err
}

// appendSequence appends the array that a section of a name and documents stands for.
func appendSequence(to, section []byte) []byte {
	end := 0
	for section[end] != 0 {
		end++
	}
	start, to := bsoncore.AppendArrayElementStart(to, string(section[:end]))
	section = section[end+1:]
	for i := 0; len(section) > 4; i++ {
		length := binary.LittleEndian.Uint32(section)
		to = bsoncore.AppendDocumentElement(to, strconv.Itoa(i), section[:length])
		section = section[length:]
	}
	to, _ = bsoncore.AppendArrayEnd(to, start)
	return to
}

// answer writes a reply in the form in which the request came.
func (r request) answer(to io.Writer, reply bson.Raw) error {
	if r.silent {
		return nil
	}
	body := make([]byte, 5, 5+len(reply))
	code := uint32(opMessage)
	if r.query {
		// Flags, cursor and place, and one document.
		body = make([]byte, 20, 20+len(reply))
		body[16] = 1
		code = opReply
	}
	body = append(body, reply...)
	message := binary.LittleEndian.AppendUint32(nil, uint32(headerBytes+len(body)))
	for _, field := range []uint32{1, r.id, code} {
		message = binary.LittleEndian.AppendUint32(message, field)
	}
	_, err := to.Write(append(message, body...))
	return err
}
