package mongo

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

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
			Code: int32(code), Message: message, Name: name, Labels: labels(document), Raw: document,
		}
		if code == codeTimeExpired {
			refused.Wrapped = context.DeadlineExceeded
		}
		return refused
	}
	failed := driver.WriteException{Labels: labels(document), Raw: document}
	if concern, ok := document.Lookup("writeConcernError").DocumentOK(); ok {
		code, message, name = errorFields(concern, "code")
		failed.WriteConcernError = &driver.WriteConcernError{Code: int(code), Message: message, Name: name, Raw: concern}
		failed.Labels = append(failed.Labels, labels(concern)...)
	}
	array, _ := document.Lookup("writeErrors").ArrayOK()
	values, _ := array.Values()
	for _, value := range values {
		if one, ok := value.DocumentOK(); ok {
			code, message, _ = errorFields(one, "code")
			failed.WriteErrors = append(failed.WriteErrors, driver.WriteError{
				Index: int(number(one, "index")), Code: int(code), Message: message, Raw: one,
			})
		}
	}
	return failed
}

func errorFields(document bson.Raw, code string) (_ int64, message, name string) {
	return number(document, code), text(document, "errmsg"), text(document, "codeName")
}

func labels(document bson.Raw) []string {
	array, ok := document.Lookup("errorLabels").ArrayOK()
	if !ok {
		return nil
	}
	values, _ := array.Values()
	var found []string
	for _, value := range values {
		if label, ok := value.StringValueOK(); ok {
			found = append(found, label)
		}
	}
	return found
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
		return server.HasErrorLabel(labelRetryableWrite) || slices.ContainsFunc(retryableCodes, server.HasErrorCode)
	}
	return !driver.IsTimeout(err)
}
