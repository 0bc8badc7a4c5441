package handlersocket

import (
	"bytes"
	"context"
	"errors"

	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// Found are the values that the first operation of a step finds for a request, one after the other.
func Found(ctx context.Context, t *Target, use loadgen.Use, r *workload.Request) ([]string, error) {
	opened, err := t.Session(ctx, use)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	s := opened.(*session)
	o := s.operations[0]
	line, err := o.appendLines(nil, &s.scratch, r)
	if err != nil {
		return nil, err
	}
	reply, err := o.link.conn.Call(line)
	if err != nil || len(reply.Begin) == 0 {
		return nil, err
	}
	if len(reply.Begin) == keptBytes {
		return nil, errors.New("there is more than is kept of a reply")
	}
	var values []string
	for token := range bytes.SplitSeq(reply.Begin[1:], []byte{separator}) {
		value, _ := Decode(nil, token)
		values = append(values, string(value))
	}
	return values, nil
}

// Decode appends the bytes that a token of a reply stands for; isNull says that it stands for none.
func Decode(dst, token []byte) (value []byte, isNull bool) {
	if len(token) == 1 && token[0] == null {
		return dst, true
	}
	for i := 0; i < len(token); i++ {
		b := token[i]
		if b == escapeMark && i+1 < len(token) {
			i++
			b = token[i] - escapeShift
		}
		dst = append(dst, b)
	}
	return dst, false
}
