package wire

import (
	"errors"
	"fmt"
	"runtime"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// Hello is what a server says of itself when a connection is made.
type Hello struct {
	// MaxMessageBytes, MaxDocumentBytes and MaxBatch are the largest request and document, and the most documents of a
	// write, that it takes.
	MaxMessageBytes, MaxDocumentBytes, MaxBatch int
	// Writable says that it takes writes, as a primary, a mongos and a server alone do.
	Writable bool
	// Mongos says that it is a router, and Set names its replica set, empty where there is none. Primary and Hosts are of
	// the set, as it knows them.
	Mongos       bool
	Set, Primary string
	Hosts        []string
	// Version is that of the protocol, 0 in servers that have no versions of it.
	Version int
	// Sessions says that it knows logical sessions.
	Sessions bool

	// mechanisms are those that the user can log in by, where it was asked for.
	mechanisms []string
}

// codeCommandNotFound is what a server older than 4.4.2 says to hello.
const codeCommandNotFound = 59

// adminDatabase is where commands go that are for the server as a whole.
const adminDatabase = "admin"

// clientName is what the server's log calls this client.
const clientName = "mongobench-wire"

// ServerError is what a server said to a command of the handshake that it did not carry out.
type ServerError struct {
	Code    int32
	Name    string
	Message string
}

func (e *ServerError) Error() string {
	return fmt.Sprintf("(%s) %s", e.Name, e.Message)
}

// shakeHands asks the server what it is, and tells it who asks.
func (c *Conn) shakeHands(config Config) (Hello, error) {
	reply, err := c.run(adminDatabase, helloCommand("hello", config))
	var failure *ServerError
	if errors.As(err, &failure) && failure.Code == codeCommandNotFound {
		reply, err = c.run(adminDatabase, helloCommand("isMaster", config))
	}
	if err != nil {
		return Hello{}, fmt.Errorf("handshake: %w", err)
	}
	return ReadHello(reply, Hello{
		MaxMessageBytes: defaultMaxMessageBytes, MaxDocumentBytes: defaultMaxDocumentBytes, MaxBatch: defaultMaxBatch,
	})
}

func helloCommand(name string, config Config) []byte {
	command := bsoncore.NewDocumentBuilder().AppendInt32(name, 1)
	if config.Login != nil && config.Login.Mechanism == "" {
		command.AppendString("saslSupportedMechs", config.Login.Source+"."+config.Login.Username)
	}
	client := bsoncore.NewDocumentBuilder()
	if config.Application != "" {
		client.AppendDocument("application",
			bsoncore.NewDocumentBuilder().AppendString("name", config.Application).Build())
	}
	client.AppendDocument("driver",
		bsoncore.NewDocumentBuilder().AppendString("name", clientName).AppendString("version", "1").Build())
	client.AppendDocument("os", bsoncore.NewDocumentBuilder().AppendString("type", runtime.GOOS).Build())
	return command.AppendDocument("client", client.Build()).Build()
}

// ReadHello reads what a server says of itself. What it leaves open stays as it was.
func ReadHello(document []byte, hello Hello) (Hello, error) {
	err := each(document, hello.read)
	return hello, err
}

func (h *Hello) read(e element) (err error) {
	switch string(e.name) {
	case "isWritablePrimary", "ismaster":
		h.Writable = e.number() == 1
	case "msg":
		h.Mongos = e.text() == "isdbgrid"
	case "setName":
		h.Set = e.text()
	case "primary":
		h.Primary = e.text()
	case "hosts":
		h.Hosts, err = texts(e)
	case "maxWireVersion":
		h.Version = int(e.number())
	case "logicalSessionTimeoutMinutes":
		h.Sessions = e.number() > 0
	case "maxMessageSizeBytes":
		setLimit(&h.MaxMessageBytes, e.number())
	case "maxBsonObjectSize":
		setLimit(&h.MaxDocumentBytes, e.number())
	case "maxWriteBatchSize":
		setLimit(&h.MaxBatch, e.number())
	case "saslSupportedMechs":
		h.mechanisms, err = texts(e)
	}
	return err
}

// setLimit takes a limit that makes sense.
func setLimit(limit *int, told int64) {
	if told > 0 && told <= 1<<30 {
		*limit = int(told)
	}
}

// texts are the strings of an array.
func texts(array element) ([]string, error) {
	if array.kind != bsoncore.TypeArray {
		return nil, nil
	}
	var found []string
	err := each(array.value, func(e element) error {
		found = append(found, e.text())
		return nil
	})
	return found, err
}

// run sends a command of the handshake. Its reply is valid until the next.
func (c *Conn) run(database string, command []byte) ([]byte, error) {
	const end = 1
	request := append(make([]byte, Lead, Lead+len(command)+len(database)+16), command[:len(command)-end]...)
	request = bsoncore.AppendStringElement(request, "$db", database)
	request, err := bsoncore.AppendDocumentEnd(request, Lead)
	if err != nil {
		return nil, err
	}
	document, err := c.Call(request)
	if err != nil {
		return nil, err
	}
	reply, err := Parse(document)
	if err != nil || reply.OK {
		return document, err
	}
	failed := bsoncore.Document(document)
	code, _ := failed.Lookup("code").AsInt64OK()
	name, _ := failed.Lookup("codeName").StringValueOK()
	message, _ := failed.Lookup("errmsg").StringValueOK()
	return nil, &ServerError{Code: int32(code), Name: name, Message: message}
}
