package presets

import (
	"fmt"
	"strconv"
	"strings"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// byKey selects the record that was drawn.
const byKey = `{"_id":{"$param":"key"}}`

// operation is the one whose share a parameter of YCSB says.
func (c core) operation(parameter string) benchv1alpha1.Operation {
	switch parameter {
	case updateShare:
		return c.update("update", benchv1alpha1.OperationUpdateOne)
	case insertShare:
		return benchv1alpha1.Operation{
			Name: "insert", Request: benchv1alpha1.Request{Kind: benchv1alpha1.OperationInsertOne},
		}
	case scanShare:
		return c.scan()
	case readModifyWrite:
		operation := c.update("read-modify-write", benchv1alpha1.OperationReadModifyWrite)
		c.show(&operation)
		return operation
	default:
		operation := benchv1alpha1.Operation{
			Name:       "read",
			Parameters: []benchv1alpha1.Parameter{c.keys()},
			Request:    benchv1alpha1.Request{Kind: benchv1alpha1.OperationFindOne, Filter: byKey},
		}
		c.show(&operation)
		return operation
	}
}

// show narrows what is read to a field that is drawn, unless all are read.
func (c core) show(operation *benchv1alpha1.Operation) {
	if c.readAll {
		return
	}
	operation.Parameters = append(operation.Parameters, c.anyField(shownParameter))
	operation.Projection = benchv1alpha1.Document(fmt.Sprintf(`{"$param:%s":1}`, shownParameter))
}

// anyField draws the name of a field.
func (c core) anyField(name string) benchv1alpha1.Parameter {
	choice := &benchv1alpha1.ChoiceSettings{}
	for i := range c.fields {
		name := benchv1alpha1.Constant(strconv.Quote(fieldName(i)))
		choice.Values = append(choice.Values, benchv1alpha1.ChoiceValue{Value: name})
	}
	return benchv1alpha1.Parameter{
		Name: name, Type: benchv1alpha1.ParameterType(benchv1alpha1.GeneratorChoice),
		ValueSettings: benchv1alpha1.ValueSettings{Choice: choice},
	}
}

// update writes one field that is drawn, or all of them.
func (c core) update(name string, kind benchv1alpha1.OperationKind) benchv1alpha1.Operation {
	operation := benchv1alpha1.Operation{
		Name:       name,
		Parameters: []benchv1alpha1.Parameter{c.keys()},
		Request:    benchv1alpha1.Request{Kind: kind, Filter: byKey},
	}
	if !c.writeAll {
		operation.Parameters = append(operation.Parameters, c.anyField(fieldParameter), c.fresh(valueParameter))
		operation.Update = benchv1alpha1.Document(
			fmt.Sprintf(`{"$set":{"$param:%s":{"$param":%q}}}`, fieldParameter, valueParameter))
		return operation
	}
	values := make([]string, 0, c.fields)
	for i := range c.fields {
		parameter := fmt.Sprintf("%s%d", valueParameter, i)
		operation.Parameters = append(operation.Parameters, c.fresh(parameter))
		values = append(values, fmt.Sprintf(`%q:{"$param":%q}`, fieldName(i), parameter))
	}
	operation.Update = benchv1alpha1.Document(fmt.Sprintf(`{"$set":{%s}}`, strings.Join(values, ",")))
	return operation
}

// fresh draws a value for a field.
func (c core) fresh(name string) benchv1alpha1.Parameter {
	bytes, distribution := c.fieldBytes()
	return benchv1alpha1.Parameter{
		Name: name, Type: benchv1alpha1.ParameterType(benchv1alpha1.GeneratorBinary),
		ValueSettings: benchv1alpha1.ValueSettings{Bytes: bytes}, Distribution: distribution,
	}
}

// scan reads records from the one that was drawn on, in the order of their keys.
func (c core) scan() benchv1alpha1.Operation {
	operation := benchv1alpha1.Operation{
		Name: "scan",
		Parameters: []benchv1alpha1.Parameter{c.keys(), {
			Name:         lengthParameter,
			Type:         benchv1alpha1.ParameterType(benchv1alpha1.GeneratorInt),
			Distribution: overNumbers(c.scans),
			ValueSettings: benchv1alpha1.ValueSettings{
				Integer: &benchv1alpha1.IntegerSettings{Min: new(c.minScan), Max: new(c.maxScan)},
			},
		}},
		Request: benchv1alpha1.Request{
			Kind:           benchv1alpha1.OperationFind,
			Filter:         `{"_id":{"$gte":{"$param":"key"}}}`,
			Sort:           []benchv1alpha1.SortKey{{Field: idField}},
			LimitParameter: lengthParameter,
		},
	}
	c.show(&operation)
	return operation
}
