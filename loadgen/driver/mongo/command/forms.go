package command

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// Answer says what a server answers a command with.
type Answer uint8

// The answers.
const (
	// Various is that of kinds whose requests are several commands, or any.
	Various Answer = iota
	// Documents are all in one reply.
	Documents
	// Cursor leads to documents, the first of which are in the reply.
	Cursor
	// Changes is the number of documents that were written.
	Changes
)

// Form is how a request is made a command.
type Form struct {
	Write  func(*Builder, *workload.Request) bson.Raw
	Answer Answer
}

// forms has one of every kind that is one command, and of the second half of a ReadModifyWrite.
var forms = [256]Form{
	operation.InsertOne:        {(*Builder).Insert, Changes},
	operation.InsertMany:       {(*Builder).Insert, Changes},
	operation.FindOne:          {(*Builder).FindOne, Documents},
	operation.Find:             {(*Builder).Find, Cursor},
	operation.UpdateOne:        {(*Builder).Update, Changes},
	operation.ReplaceOne:       {(*Builder).Update, Changes},
	operation.DeleteOne:        {(*Builder).Delete, Changes},
	operation.ReadModifyWrite:  {(*Builder).Update, Changes},
	operation.Aggregate:        {(*Builder).Aggregate, Cursor},
	operation.CountDocuments:   {(*Builder).Count, Documents},
	operation.UpdateMany:       {(*Builder).Update, Changes},
	operation.DeleteMany:       {(*Builder).Delete, Changes},
	operation.FindOneAndUpdate: {(*Builder).FindAndModify, Changes},
}

// FormOf is the form of a kind; it has no Write when that is not one command.
func FormOf(kind operation.Kind) *Form {
	return &forms[kind]
}
