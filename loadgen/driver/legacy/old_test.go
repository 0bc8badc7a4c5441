package legacy_test

import (
	"encoding/binary"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver"
	"github.com/mongobench/mongobench-operator/loadgen/driver/legacy"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// oldServer answers as MongoDB 2.4 does where no server that is at hand does any more: it names no wire version, has a
// nonce for a login, answers an aggregation in one document, and knows no command for indexes.
type oldServer struct {
	address string
	mutex   sync.Mutex
	// asked are the namespaces of all requests and the first field of what they ask, in their order.
	asked []string
	// mute is a command that gets no answer.
	mute string
}

func startOldServer(t *testing.T) *oldServer {
	t.Helper()
	return startMute(t, "")
}

// startMute starts a server that does not answer one command.
func startMute(t *testing.T, mute string) *oldServer {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &oldServer{address: listener.Addr().String(), mute: mute}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go s.serve(conn)
		}
	}()
	return s
}

func (s *oldServer) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	for {
		header := make([]byte, 16)
		if _, err := io.ReadFull(conn, header); err != nil {
			return
		}
		body := make([]byte, binary.LittleEndian.Uint32(header)-16)
		if _, err := io.ReadFull(conn, body); err != nil {
			return
		}
		namespace, rest, _ := strings.Cut(string(body[4:]), "\x00")
		const opQuery = 2004
		if binary.LittleEndian.Uint32(header[12:]) != opQuery {
			s.note(namespace + " written")
			continue
		}
		if bson.Raw(rest[8:]).Index(0).Key() == s.mute {
			continue
		}
		answer := s.answer(namespace, bson.Raw(rest[8:]))
		reply := binary.LittleEndian.AppendUint32(nil, uint32(36+len(answer)))
		reply = append(append(reply, 0, 0, 0, 0), header[4:8]...)
		reply = append(reply, 1, 0, 0, 0) // The code of a reply.
		reply = append(append(reply, make([]byte, 16)...), 1, 0, 0, 0)
		if _, err := conn.Write(append(reply, answer...)); err != nil {
			return
		}
	}
}

func (s *oldServer) note(what string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.asked = append(s.asked, what)
}

func (s *oldServer) answer(namespace string, question bson.Raw) []byte {
	first := question.Index(0).Key()
	s.note(namespace + " " + first)
	done := bson.E{Key: "ok", Value: 1.0}
	refused := func(message string) bson.D {
		return bson.D{{Key: "ok", Value: 0.0}, {Key: "errmsg", Value: message}}
	}
	answer := bson.D{done}
	switch first {
	case "isMaster":
		answer = bson.D{done, {Key: "ismaster", Value: true}}
	case "getnonce":
		answer = bson.D{done, {Key: "nonce", Value: "2375531c32080ae8"}}
	case "authenticate":
		// The key of user "user" with password "pencil" for that nonce.
		if question.Lookup("key").StringValue() != "21742f26431831d5cfca035a08c5bdf6" {
			answer = refused("auth fails")
		}
	case "aggregate":
		if _, err := question.LookupErr("cursor"); err != nil {
			answer = bson.D{done, {Key: "result", Value: bson.A{bson.D{}, bson.D{}, bson.D{}}}}
		}
	case "createIndexes":
		answer = refused("no such cmd: createIndexes")
	case "getlasterror":
		answer = bson.D{done, {Key: "n", Value: 0}, {Key: "err", Value: nil}}
	}
	encoded, _ := bson.Marshal(answer)
	return encoded
}

func TestAServerOfItsTimeIsSpokenToInItsWay(t *testing.T) {
	server := startOldServer(t)
	config := driver.Config{URIs: []string{"mongodb://user:pencil@" + server.address + "/?directConnection=true"}}
	if old, err := legacy.Speaks(t.Context(), config); err != nil || !old {
		t.Fatalf("it is taken for a new one: %t, %v", old, err)
	}
	target, err := legacy.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	index := planv1.Index{Keys: []planv1.IndexKey{{Field: "n", Order: "-1"}}, Unique: true}
	indexed := planv1.Collection{Name: collection, Indexes: []planv1.Index{index}}
	if err := target.Index(t.Context(), "d", indexed); err != nil {
		t.Fatal(err)
	}
	server.asked = nil
	opened := session(t, target, loadgen.Use{Database: "d", Step: step})
	var reply loadgen.Reply
	request := workload.Request{Kind: operation.Aggregate, Collection: collection, Pipeline: raw(t, `[]`)}
	if err := opened.Execute(t.Context(), &request, &reply); err != nil || reply.Documents != 3 {
		t.Errorf("an aggregation returned %+v and error %v", reply, err)
	}
	one := []bson.Raw{raw(t, `{"_id": 1}`)}
	request = workload.Request{Kind: operation.InsertOne, Collection: collection, Documents: one}
	if err := opened.Execute(t.Context(), &request, &reply); err != nil || reply.Documents != 1 {
		t.Errorf("an insert returned %+v and error %v", reply, err)
	}
	want := []string{
		"admin.$cmd isMaster", "admin.$cmd getnonce", "admin.$cmd authenticate",
		"d.$cmd aggregate", "d.things written", "d.$cmd getlasterror",
	}
	if diff := cmp.Diff(want, server.asked); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestAWrongPasswordIsNotShown(t *testing.T) {
	server := startOldServer(t)
	_, err := legacy.Open(t.Context(), driver.Config{
		URIs: []string{"mongodb://user:crayon@" + server.address + "/?directConnection=true"}, SelectionTimeout: time.Second,
	})
	if err == nil || !strings.Contains(err.Error(), `user "user"`) || strings.Contains(err.Error(), "crayon") {
		t.Errorf("error %v, want one that names the user and not the password", err)
	}
}

// TestTheDriverSaysThatAServerIsTooOld and does not wait for another one, so that it may be tried first.
func TestTheDriverSaysThatAServerIsTooOld(t *testing.T) {
	server := startOldServer(t)
	uri := "mongodb://" + server.address + "/?directConnection=true"
	_, err := mongo.Open(t.Context(), driver.Config{URIs: []string{uri}})
	if err == nil || !strings.Contains(err.Error(), "reports wire version 0") {
		t.Errorf("error %v, want the wire version", err)
	}
}
