package wiresession

import (
	"bytes"
	"context"
	"errors"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
	"github.com/mongobench/mongobench-operator/loadgen/driver/wire"
)

// Codes of the server's that errors here are made with.
const (
	codeTooLarge    = 10334
	codeTimeExpired = 50
)

// replyError is the error that a reply tells, as the driver would have it. It is nil for a reply without errors.
func replyError(document bson.Raw, reply wire.Reply) error {
	if reply.OK && !reply.Errors {
		return nil
	}
	document = bytes.Clone(document)
	code, message, name := errorFields(document, "code")
	if !reply.OK {
		refused := driver.CommandError{
			Code: int32(code), Message: message, Name: name, Labels: lookup.Texts(document, "errorLabels"), Raw: document,
		}
		if code == codeTimeExpired {
			refused.Wrapped = context.DeadlineExceeded
		}
		return refused
	}
	failed := driver.WriteException{Labels: lookup.Texts(document, "errorLabels"), Raw: document}
	if concern, ok := document.Lookup("writeConcernError").DocumentOK(); ok {
		code, message, name = errorFields(concern, "code")
		failed.WriteConcernError = &driver.WriteConcernError{Code: int(code), Message: message, Name: name, Raw: concern}
		failed.Labels = append(failed.Labels, lookup.Texts(concern, "errorLabels")...)
	}
	array, _ := document.Lookup("writeErrors").ArrayOK()
	values, _ := array.Values()
	for _, value := range values {
		if one, ok := value.DocumentOK(); ok {
			code, message, _ = errorFields(one, "code")
			failed.WriteErrors = append(failed.WriteErrors, driver.WriteError{
				Index: int(lookup.Number(one, "index")), Code: int(code), Message: message, Raw: one,
			})
		}
	}
	return failed
}

func errorFields(document bson.Raw, code string) (_ int64, message, name string) {
	return lookup.Number(document, code), lookup.Text(document, "errmsg"), lookup.Text(document, "codeName")
}

// commandError gives an error of the wire the form that the driver's errors have, so that both are in the same classes.
func commandError(err error) error {
	var refused *wire.ServerError
	switch {
	case errors.As(err, &refused):
		return driver.CommandError{Code: refused.Code, Name: refused.Name, Message: err.Error()}
	case errors.Is(err, wire.ErrTooLarge):
		return driver.CommandError{Code: codeTooLarge, Name: "BSONObjectTooLarge", Message: err.Error()}
	default:
		return err
	}
}

// mayHelp says whether an operation may succeed when it is sent once more.
func mayHelp(err error) bool {
	if server, ok := errors.AsType[driver.ServerError](err); ok {
		return errorclass.Retryable(server)
	}
	return !driver.IsTimeout(err)
}
