package sql

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/internal/product/portable"
	"github.com/mongobench/mongobench-operator/loadgen"
)

// maxPlaceholders is how many a prepared statement may have: the protocol counts them in 16 bits.
const maxPlaceholders = 65_535

// query is the text of a statement around its values: pieces[i] comes before value number i, and the last after all.
type query struct {
	pieces []string
}

// prepared is the text with placeholders.
func (q *query) prepared() string {
	return strings.Join(q.pieces, "?")
}

// values is how many the statement takes.
func (q *query) values() int {
	return len(q.pieces) - 1
}

// text adds what comes before the next value.
func (q *query) text(parts ...string) {
	if len(q.pieces) == 0 {
		q.pieces = []string{""}
	}
	q.pieces[len(q.pieces)-1] += strings.Join(parts, "")
}

// value adds a value.
func (q *query) value() {
	q.pieces = append(q.pieces, "")
}

// boundOperation is an operation of a step: what is left to do for each request is to fill in the values.
type boundOperation struct {
	kind operation.Kind
	// query of all kinds but InsertMany, which has one for as many rows as fit, and one for the rest.
	query query
	// limit says that the last value is the request's limit.
	limit bool
	// columns of a row that comes back, or of a row that is inserted.
	columns int
	// insert is nil of kinds that insert nothing.
	insert *insertion
}

// insertion is how rows are inserted into a table.
type insertion struct {
	// lead comes before the rows.
	lead    string
	columns int
	// rows of one request, and most of one statement.
	rows, most int
}

// newInsertion binds inserts of a number of rows.
func newInsertion(database string, collection planv1.Collection, rows int) (*insertion, error) {
	columns, err := ColumnNames(collection)
	if err != nil {
		return nil, err
	}
	return &insertion{
		lead: operation.InsertMany.Row().SQL + " " + qualified(database, collection.Name) +
			" (" + quoted(columns) + ") VALUES ",
		columns: len(columns), rows: rows, most: min(rows, maxPlaceholders/len(columns)),
	}, nil
}

// query is the statement for a number of rows.
func (i *insertion) query(rows int) query {
	row := "(?" + strings.Repeat(", ?", i.columns-1) + ")"
	pieces := strings.Split(row+strings.Repeat(", "+row, rows-1), "?")
	pieces[0] = i.lead + pieces[0]
	return query{pieces}
}

// bindOperation binds an operation of a step.
func bindOperation(use loadgen.Use, declared planv1.Operation) (boundOperation, error) {
	collection, err := use.Collection(declared.Collection)
	if err != nil {
		return boundOperation{}, err
	}
	statement, refusal := portable.Bind(collection, declared)
	if refusal != nil {
		return boundOperation{}, errors.New(refusal.String())
	}
	kind, err := operation.Parse(statement.Kind)
	if err != nil {
		return boundOperation{}, err
	}
	table := qualified(use.Database, statement.Table)
	o := boundOperation{kind: kind}
	switch kind.Row().Effect {
	case operation.Inserts:
		return bindInsert(use, collection, declared)
	case operation.Reads:
		return bindRead(kind, table, collection, statement)
	case operation.Updates:
		o.query.text(kind.Row().SQL, " ", table, " SET ")
		for i, name := range statement.Set {
			if i > 0 {
				o.query.text(", ")
			}
			o.query.text(quote(name), "=")
			o.query.value()
		}
	case operation.Deletes:
		o.query.text(kind.Row().SQL, " ", table)
	case operation.Unknown, operation.ByPipeline, operation.ByParts, operation.Nothing:
		return boundOperation{}, fmt.Errorf("no statement does what an operation of kind %s does", kind)
	}
	o.where(statement.Where)
	return o, nil
}

func bindInsert(use loadgen.Use, collection planv1.Collection, declared planv1.Operation) (boundOperation, error) {
	insert, err := newInsertion(use.Database, collection, max(1, int(declared.BatchDocuments)))
	if err != nil {
		return boundOperation{}, err
	}
	return boundOperation{
		kind: operation.InsertMany, insert: insert, columns: insert.columns, query: insert.query(insert.most),
	}, nil
}

func bindRead(
	kind operation.Kind, table string, collection planv1.Collection, statement portable.Statement,
) (boundOperation, error) {
	read := statement.Columns
	if len(read) == 0 {
		var err error
		if read, err = ColumnNames(collection); err != nil {
			return boundOperation{}, err
		}
	}
	o := boundOperation{kind: kind, columns: len(read)}
	if kind == operation.FindOne {
		statement.Limit = 1
	}
	o.query.text(kind.Row().SQL, " ", quoted(read), " FROM ", table)
	o.where(statement.Where)
	for i, key := range statement.Order {
		direction := order(key.Direction == benchv1alpha1.SortDescending)
		o.query.text([]string{" ORDER BY ", ", "}[min(i, 1)], quote(key.Field), direction)
	}
	switch {
	case statement.LimitParameter:
		o.limit = true
		o.query.text(" LIMIT ")
		o.query.value()
	case statement.Limit > 0 && !byKey(statement.Where):
		o.query.text(fmt.Sprintf(" LIMIT %d", statement.Limit))
	}
	return o, nil
}

// where adds the conditions.
func (o *boundOperation) where(conditions []portable.Condition) {
	for i, condition := range conditions {
		o.query.text([]string{" WHERE ", " AND "}[min(i, 1)], quote(condition.Column), string(condition.Operator))
		o.query.value()
	}
}

// byKey says whether conditions name one value of the primary key.
func byKey(conditions []portable.Condition) bool {
	return slices.ContainsFunc(conditions, func(condition portable.Condition) bool {
		return condition.Column == portable.PrimaryKey && condition.Operator == portable.Equal
	})
}

// errRetry refuses what would be a second write.
var errRetry = errors.New("a statement that was lost on its way cannot be told from one that was done; leave out the " +
	"step's retry")

// errSession refuses what only MongoDB has.
var errSession = errors.New("causally consistent sessions and snapshots are MongoDB's; leave out the step's session")

// Check says whether a plan can be followed on this server, before anything in it is touched.
func (t *Target) Check(plan planv1.Plan) error {
	if err := checkClient(plan.Client); err != nil {
		return err
	}
	return t.CheckPlan(plan)
}

// CheckPlan is Check for whatever client.
func (t *Target) CheckPlan(plan planv1.Plan) error {
	for _, collection := range plan.Collections {
		if _, err := columnsOf(collection); err != nil {
			return err
		}
		if err := (tables{t}).checkIndexes(collection); err != nil {
			return err
		}
	}
	for _, step := range plan.Steps {
		if err := checkStep(plan, step); err != nil {
			return fmt.Errorf("step %q: %w", step.Name, err)
		}
	}
	return nil
}

// checkIndexes says whether the engine has indexes of the kinds that a collection has.
func (t tables) checkIndexes(collection planv1.Collection) error {
	if t.settings.engine() != engineMyRocks {
		return nil
	}
	for _, index := range collection.Indexes {
		if slices.ContainsFunc(index.Keys, func(key planv1.IndexKey) bool { return key.Order == "-1" }) {
			return fmt.Errorf("collection %q: index %q: MyRocks has no descending indexes, and reads ascending ones backwards; "+
				"make its keys Ascending", collection.Name, index.ServerName())
		}
	}
	return nil
}

func checkStep(plan planv1.Plan, step planv1.Step) error {
	if step.Retry == benchv1alpha1.RetryOnce {
		return errRetry
	}
	if step.Session != "" {
		return errSession
	}
	use := loadgen.Use{Collections: plan.Collections}
	for _, operation := range step.Operations {
		collection, err := use.Collection(operation.Collection)
		if err != nil {
			return fmt.Errorf("operation %q: %w", operation.Name, err)
		}
		if _, refusal := portable.Bind(collection, operation); refusal != nil {
			return fmt.Errorf("operation %q: %s", operation.Name, refusal)
		}
	}
	return nil
}

// checkClient says whether a client sends SQL.
func checkClient(client benchv1alpha1.Client) error {
	switch client {
	case "", benchv1alpha1.ClientPrepared, benchv1alpha1.ClientText:
		return nil
	default:
		return fmt.Errorf("the client %s does not send SQL; set it to Prepared or Text", client)
	}
}
