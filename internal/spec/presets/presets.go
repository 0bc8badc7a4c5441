package presets

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Expand returns a specification in which the preset has become a dataset and a workload. One without a preset is
// returned as it is. The errors say that the preset is not known, or which parameters are not known or have a wrong
// value; such a parameter then counts as left out.
func Expand(spec benchv1alpha1.BenchmarkRunSpec) (benchv1alpha1.BenchmarkRunSpec, field.ErrorList) {
	if spec.Preset == nil {
		return spec, nil
	}
	preset := *spec.Preset
	var errs field.ErrorList
	if _, isYCSBs := defaults[preset.Name]; isYCSBs {
		spec.Dataset, spec.Workload, errs = expandCore(preset)
	} else if declared, isReady := ready()[preset.Name]; isReady {
		spec.Dataset, spec.Workload, errs = expandReady(declared, preset)
	} else {
		spec.Dataset, spec.Workload, _ = expandCore(preset)
		errs = field.ErrorList{field.NotSupported(field.NewPath("spec", "preset", "name"), preset.Name, Names())}
	}
	if pods := podCount(spec); pods > benchv1alpha1.DefaultLoadThreads {
		if spec.Dataset.Load == nil {
			spec.Dataset.Load = &benchv1alpha1.Load{}
		}
		spec.Dataset.Load.Threads = &pods // Every load pod has something to do.
	}
	spec.Preset = nil
	return spec, errs
}

func expandCore(preset benchv1alpha1.Preset) (benchv1alpha1.Dataset, benchv1alpha1.Workload, field.ErrorList) {
	core, errs := readCore(preset)
	return core.dataset(), core.workload(preset), errs
}

// Names are those of the presets that are known: YCSB's, and then the others, in their order.
func Names() []benchv1alpha1.PresetName {
	return slices.Concat(slices.Sorted(maps.Keys(defaults)), slices.Sorted(maps.Keys(ready())))
}

func podCount(spec benchv1alpha1.BenchmarkRunSpec) int32 {
	if spec.LoadGenerator == nil || spec.LoadGenerator.Pods == nil {
		return benchv1alpha1.DefaultPods
	}
	return *spec.LoadGenerator.Pods
}

// What documents and keys look like, as in YCSB.
const (
	idField     = "_id"
	keyPrefix   = "user"
	fieldPrefix = "field"
)

// The parameters of the operations.
const (
	keyParameter    = "key"
	fieldParameter  = "field"  // The field that an update writes.
	shownParameter  = "shown"  // The field that a read returns.
	valueParameter  = "value"  // What is written, followed by the field's number when all fields are.
	lengthParameter = "length" // Of a scan.
)

func (c core) dataset() benchv1alpha1.Dataset {
	return benchv1alpha1.Dataset{
		Collections: []benchv1alpha1.Collection{{
			Name: c.table, DocumentCount: new(c.records), Fields: c.documentFields(),
		}},
		Load: &benchv1alpha1.Load{BatchDocuments: new(int32(c.batch))},
	}
}

func (c core) documentFields() []benchv1alpha1.Field {
	order := benchv1alpha1.SerialHashed
	if c.order == ordered {
		order = benchv1alpha1.SerialOrdered
	}
	fields := make([]benchv1alpha1.Field, 0, c.fields+1)
	fields = append(fields, benchv1alpha1.Field{Name: idField, Generator: benchv1alpha1.Generator{
		Type: benchv1alpha1.GeneratorSerial,
		Serial: &benchv1alpha1.SerialSettings{
			Prefix: new(keyPrefix), Digits: new(int32(c.digits)), Order: &order,
		},
	}})
	for i := range c.fields {
		bytes, distribution := c.fieldBytes()
		fields = append(fields, benchv1alpha1.Field{Name: fieldName(i), Generator: benchv1alpha1.Generator{
			Type: benchv1alpha1.GeneratorBinary, Distribution: distribution,
			ValueSettings: benchv1alpha1.ValueSettings{Bytes: bytes},
		}})
	}
	return fields
}

func fieldName(i int64) string {
	return fmt.Sprintf("%s%d", fieldPrefix, i)
}

// fieldBytes are the lengths of a field's values.
func (c core) fieldBytes() (*benchv1alpha1.BytesSettings, *benchv1alpha1.Distribution) {
	settings := &benchv1alpha1.BytesSettings{MinLength: new(int32(c.maxLength)), MaxLength: new(int32(c.maxLength))}
	if c.lengths == constant {
		return settings, nil
	}
	settings.MinLength = new(int32(c.minLength))
	return settings, overNumbers(c.lengths)
}

// overNumbers is a distribution over numbers, of which the low ones are popular in a zipfian one.
func overNumbers(name string) *benchv1alpha1.Distribution {
	if name == zipfian {
		return &benchv1alpha1.Distribution{Type: benchv1alpha1.DistributionZipfian}
	}
	return &benchv1alpha1.Distribution{Type: benchv1alpha1.DistributionUniform}
}

func (c core) workload(preset benchv1alpha1.Preset) benchv1alpha1.Workload {
	step := benchv1alpha1.Step{
		Name:          strings.ToLower(string(preset.Name)),
		Threads:       new(int32(c.threads)),
		WarmupSeconds: preset.WarmupSeconds,
	}
	if len(preset.ThreadSweep) > 0 {
		step.Threads, step.ThreadSweep = nil, preset.ThreadSweep
	}
	if c.seconds > 0 {
		step.DurationSeconds = new(int32(c.seconds))
	} else {
		step.OperationCount = new(c.operations)
	}
	if c.rate > 0 {
		step.Arrival = &benchv1alpha1.Arrival{OperationsPerSecond: new(c.rate)}
	}
	unit := c.unit()
	for _, share := range c.shares {
		operation := c.operation(share.parameter)
		operation.Weight = int32(share.millionths / unit)
		step.Operations = append(step.Operations, operation)
	}
	return benchv1alpha1.Workload{Steps: []benchv1alpha1.Step{step}}
}

// unit is the greatest number that divides every share.
func (c core) unit() int64 {
	var unit int64
	for _, share := range c.shares {
		a, b := unit, share.millionths
		for b != 0 {
			a, b = b, a%b
		}
		unit = a
	}
	return unit
}

// keys are how the records are drawn.
func (c core) keys() benchv1alpha1.Parameter {
	distribution := &benchv1alpha1.Distribution{}
	switch c.requests {
	case uniform:
		distribution.Type = benchv1alpha1.DistributionUniform
	case latest:
		distribution.Type = benchv1alpha1.DistributionLatest
	case sequential:
		distribution.Type = benchv1alpha1.DistributionSequential
	case hotSpot:
		distribution.Type = benchv1alpha1.DistributionHotSpot
		distribution.HotSpot = &benchv1alpha1.HotSpotSettings{
			HotRangePercent: new(int32(c.hotRange)), HotDrawsPercent: new(int32(c.hotDraws)),
		}
	case exponential:
		distribution.Type = benchv1alpha1.DistributionExponential
		distribution.Exponential = &benchv1alpha1.ExponentialSettings{
			RangeMillionths: new(int32(c.expRange)), DrawsPercent: new(int32(c.expDrawShare)),
		}
	default:
		distribution.Type = benchv1alpha1.DistributionScrambledZipfian
	}
	return benchv1alpha1.Parameter{
		Name: keyParameter, Type: benchv1alpha1.ParameterKey, Distribution: distribution,
	}
}
