package wire

import (
	"crypto/md5" //nolint:gosec // SCRAM-SHA-1 of MongoDB is defined by it.
	"encoding/hex"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/xdg-go/scram"
	"github.com/xdg-go/stringprep"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// Hello is what a server says of itself when a connection is made.
type Hello struct {
	// MaxMessageBytes, MaxDocumentBytes and MaxBatch are the largest request and document, and the most documents of a
	// write, that it takes.
	MaxMessageBytes, MaxDocumentBytes, MaxBatch int
	// Writable says that it takes writes, as a primary, a mongos and a server alone do.
	Writable bool
	// Mongos says that it is a router, and Set names its replica set, empty where there is none. Primary is that of
	// the set, as it knows it.
	Mongos       bool
	Set, Primary string
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

// The mechanisms of authentication that are known here.
const (
	ScramSHA256 = "SCRAM-SHA-256"
	ScramSHA1   = "SCRAM-SHA-1"
)

// leastIterations of hashing a password: a server that asks for less is not believed.
const leastIterations = 4096

// longestConversation is more messages than SCRAM ever needs.
const longestConversation = 5

// Login is who connections are made as. It remembers what costs time to compute, so that one Login is for all
// connections of a user.
type Login struct {
	Username string
	Password string
	// Source is the database that the user was made in.
	Source string
	// Mechanism is ScramSHA256 or ScramSHA1, or empty for the better one that the user has.
	Mechanism string

	mutex   sync.Mutex
	clients map[string]*scram.Client
}

// client makes the client of a mechanism, once.
func (l *Login) client(mechanism string) (*scram.Client, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if client := l.clients[mechanism]; client != nil {
		return client, nil
	}
	client, err := l.newClient(mechanism)
	if err != nil {
		// The library's errors may quote what it could not prepare: the password.
		return nil, fmt.Errorf("the password cannot be used with %s", mechanism)
	}
	if l.clients == nil {
		l.clients = map[string]*scram.Client{}
	}
	l.clients[mechanism] = client.WithMinIterations(leastIterations)
	return client, nil
}

func (l *Login) newClient(mechanism string) (*scram.Client, error) {
	if mechanism == ScramSHA1 {
		digest := md5.Sum([]byte(l.Username + ":mongo:" + l.Password)) //nolint:gosec // As the import says.
		return scram.SHA1.NewClientUnprepped(l.Username, hex.EncodeToString(digest[:]), "")
	}
	password, err := stringprep.SASLprep.Prepare(l.Password)
	if err != nil {
		return nil, err
	}
	return scram.SHA256.NewClientUnprepped(l.Username, password, "")
}

// Exchange sends a command to a database and returns the document of its reply, which is valid until the next. A reply
// that says that the command failed is an error.
type Exchange func(database string, command []byte) ([]byte, error)

// Authenticate logs in by the login's mechanism, or by the best of those that the user has.
func (l *Login) Authenticate(mechanisms []string, exchange Exchange) error {
	mechanism := l.Mechanism
	if mechanism == "" {
		mechanism = ScramSHA1
		// A server that does not know the user names none; the attempt then fails as it has to.
		if len(mechanisms) == 0 || slices.Contains(mechanisms, ScramSHA256) {
			mechanism = ScramSHA256
		}
	}
	client, err := l.client(mechanism)
	if err == nil {
		err = exchange.converse(client.NewConversation(), l.Source, mechanism)
	}
	return l.Failed(mechanism, err)
}

// Failed is the error of a login by a mechanism; nil if it has none.
func (l *Login) Failed(mechanism string, err error) error {
	if err == nil {
		return nil
	}
	return &LoginError{Username: l.Username, Source: l.Source, Mechanism: mechanism, err: err}
}

// LoginError is an authentication that failed.
type LoginError struct {
	Username, Source, Mechanism string

	err error
}

func (e *LoginError) Error() string {
	return fmt.Sprintf("authentication as user %q of database %q by %s failed: %v",
		e.Username, e.Source, e.Mechanism, e.err)
}

func (e *LoginError) Unwrap() error {
	return e.err
}

// converse exchanges the messages of SCRAM.
func (exchange Exchange) converse(conversation *scram.ClientConversation, source, mechanism string) error {
	payload, err := conversation.Step("")
	if err != nil {
		return err
	}
	request := saslStart(mechanism, payload)
	for range longestConversation {
		challenge, err := exchange.challenge(source, request)
		if err != nil {
			return err
		}
		if !conversation.Done() {
			if payload, err = conversation.Step(challenge.payload); err != nil {
				return err
			}
		} else {
			payload = ""
		}
		switch {
		case !challenge.done:
		case conversation.Valid():
			return nil
		default:
			return fmt.Errorf("%w: it ends the authentication before the server has proved itself", ErrProtocol)
		}
		request = saslContinue(challenge.id, payload)
	}
	return fmt.Errorf("%w: the authentication does not end", ErrProtocol)
}

// challenge is a server's message of a conversation.
type challenge struct {
	id      int32
	done    bool
	payload string
}

func (exchange Exchange) challenge(database string, command []byte) (challenge, error) {
	document, err := exchange(database, command)
	if err != nil {
		return challenge{}, err
	}
	reply := bsoncore.Document(document)
	id, _ := reply.Lookup("conversationId").AsInt64OK()
	done, _ := reply.Lookup("done").BooleanOK()
	_, payload, _ := reply.Lookup("payload").BinaryOK()
	return challenge{id: int32(id), done: done, payload: string(payload)}, nil
}

func saslStart(mechanism, payload string) []byte {
	options := bsoncore.NewDocumentBuilder().AppendBoolean("skipEmptyExchange", true).Build()
	return bsoncore.NewDocumentBuilder().AppendInt32("saslStart", 1).AppendString("mechanism", mechanism).
		AppendBinary("payload", 0, []byte(payload)).AppendDocument("options", options).Build()
}

func saslContinue(id int32, payload string) []byte {
	return bsoncore.NewDocumentBuilder().AppendInt32("saslContinue", 1).AppendInt32("conversationId", id).
		AppendBinary("payload", 0, []byte(payload)).Build()
}

// Supports says whether a mechanism is known here; empty is, for it is chosen.
func Supports(mechanism string) bool {
	return mechanism == "" || mechanism == ScramSHA256 || mechanism == ScramSHA1
}
