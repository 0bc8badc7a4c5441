package decide

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/suite"
)

// compared is a revision with its comparison.
type compared struct {
	result   comparison.Result
	settings comparison.Settings
	// baseline is what people call what the revision was compared with, and noBaseline why there is no such thing.
	baseline, noBaseline string
	// incomplete is true when a variant could not be compared that should have been; remarks say why.
	incomplete bool
	remarks    []string
	// acknowledgedUntil is when the first of the acknowledgements ends that a line has; nil: none has one.
	acknowledgedUntil *metav1.Time
}

// baselines finds the baseline of a suite.
type baselines struct{ *Observation }

// baseline finds what a variant is compared with.
type baseline struct {
	// name is what people call it; missing says why there is none.
	name, missing string
	// side of a variant; false: it is not to be compared.
	side func(variant int) (comparison.Side, bool)
	// paired says that the runs of both sides are made in turn.
	paired bool
	// figures stand for sides.
	figures []benchv1alpha1.Figure
}

// compare compares the samples of the revision with its baseline.
func (r *revision) compare() compared {
	if suite.Duet(r.Suite) {
		return r.compareDuets()
	}
	sides := r.sides()
	c := compared{result: comparison.Result{Suite: r.Suite.Name, Revision: r.Plan.Revision, Sides: sides}}
	from := baselines{r.Observation}.find(sides)
	c.baseline, c.noBaseline = from.name, from.missing
	c.settings = comparison.Settings{
		Thresholds: r.Suite.Spec.Thresholds, IgnoreDifferences: r.Suite.Spec.IgnoreDifferences,
		AllowDoubts: r.Suite.Spec.AllowDoubts, Figures: from.figures,
	}
	var pairs []comparison.Pair
	wanted := 0
	for i, side := range sides {
		if len(side.Samples) == 0 {
			c.incomplete = true
			c.remarks = append(c.remarks, fmt.Sprintf("no run of variant %q succeeded", side.Name))
			continue
		}
		if from.missing != "" {
			continue
		}
		opposite, differs := from.side(i)
		switch {
		case !differs:
			continue
		case len(opposite.Samples) == 0 && from.figures == nil:
			wanted++
			c.remarks = append(c.remarks, fmt.Sprintf("%s has no sample to compare variant %q with", from.name, side.Name))
			continue
		}
		pairs = append(pairs, comparison.Pair{Baseline: opposite, Candidate: side, Paired: from.paired})
	}
	if len(pairs) == 0 && wanted > 0 {
		c.noBaseline = "nothing can be compared with " + from.name
	}
	if len(pairs) > 0 {
		c.result.Lines = comparison.Compare(pairs, c.settings)
		if len(c.result.Lines) == 0 {
			c.incomplete = true
			c.remarks = append(c.remarks, "the runs have no metric in common that spec.thresholds ask for")
		}
	}
	c.remarks = present.First(c.remarks, maxRefusals, "and %d more")
	return c
}

// sides are the samples of each variant, in the order of its repetitions.
func (r *revision) sides() []comparison.Side {
	sides := make([]comparison.Side, len(r.Plan.Variants))
	byRepetition := make([]map[int]comparison.Sample, len(sides))
	for i, variant := range r.Plan.Variants {
		sides[i] = comparison.Side{Name: variant.Name, Spec: variant.Spec, Samples: []comparison.Sample{}}
		byRepetition[i] = map[int]comparison.Sample{}
	}
	last := 0
	for _, s := range r.slots {
		last = max(last, s.Repetition)
		switch {
		case s.run == nil && s.sample != nil:
			byRepetition[s.Variant][s.Repetition] = *s.sample
		case s.run != nil && hasSucceeded(s.run):
			byRepetition[s.Variant][s.Repetition] = comparison.SampleOf(s.run)
		}
	}
	for i := range sides {
		for repetition := 1; repetition <= last; repetition++ {
			if sample, ok := byRepetition[i][repetition]; ok {
				sides[i].Samples = append(sides[i].Samples, sample)
			}
		}
	}
	return sides
}

func (b baselines) find(sides []comparison.Side) baseline {
	wanted := b.Suite.Spec.Baseline
	switch {
	case wanted == nil || wanted.PreviousRevision != nil:
		name, revision := b.previous()
		if name == "" {
			return baseline{missing: "there is no earlier revision that is complete"}
		}
		return b.storedIn(name, b.Suite.Name+"@"+revision)
	case wanted.Suite != nil:
		name, called, missing := b.otherSuite(wanted.Suite)
		if missing != "" {
			return baseline{missing: missing}
		}
		return b.storedIn(name, called)
	case wanted.Variant != nil:
		found := variantBaseline(sides, *wanted.Variant)
		found.paired = *spec.NormaliseSuite(b.Suite.Spec).Order != benchv1alpha1.SuiteSequential
		return found
	default:
		all := func(int) (comparison.Side, bool) { return comparison.Side{}, true }
		return baseline{name: "the figures of spec.baseline", side: all, figures: wanted.Figures}
	}
}

func variantBaseline(sides []comparison.Side, name string) baseline {
	for at, side := range sides {
		if side.Name != name {
			continue
		}
		if len(sides) == 1 {
			break
		}
		others := func(variant int) (comparison.Side, bool) { return side, variant != at }
		return baseline{name: fmt.Sprintf("variant %q", name), side: others}
	}
	return baseline{missing: fmt.Sprintf("there is no variant to compare with variant %q", name)}
}

// storedIn are the variants of a stored result. A variant of an earlier revision of this suite that has the same
// hash has the same runs, and is not compared.
func (b baselines) storedIn(configMap, called string) baseline {
	result := b.result(configMap)
	if result == nil {
		return baseline{missing: fmt.Sprintf("the result of %s cannot be read", called)}
	}
	byName := map[string]comparison.Side{}
	for _, side := range result.Sides {
		variant := side.Name
		side.Name = called
		byName[variant] = side
	}
	side := func(variant int) (comparison.Side, bool) {
		wanted := b.Plan.Variants[variant]
		found := byName[wanted.Name]
		same := result.Suite == b.Suite.Name && len(found.Samples) > 0 && found.Samples[0].SpecHash == wanted.Hash
		return found, !same
	}
	return baseline{name: called, side: side}
}

// previous is the ConfigMap of the latest earlier revision that was complete, and the revision.
func (b baselines) previous() (configMap, revision string) {
	for _, one := range b.Suite.Status.History {
		if one.Revision == b.Plan.Revision || one.CompletionTime == nil || one.ResultConfigMapName == nil {
			continue
		}
		if b.ConfigMaps[*one.ResultConfigMapName] != nil {
			return *one.ResultConfigMapName, one.Revision
		}
	}
	return "", ""
}

// otherSuite is the ConfigMap of a revision of another suite, and what people call it.
func (b baselines) otherSuite(wanted *benchv1alpha1.SuiteReference) (configMap, called, missing string) {
	if b.BaselineSuite == nil {
		return "", "", fmt.Sprintf("there is no BenchmarkSuite %q", wanted.Name)
	}
	if wanted.Revision != nil {
		revision := *wanted.Revision
		return naming.SuiteResultConfigMap(wanted.Name, revision), wanted.Name + "@" + revision, ""
	}
	for _, one := range b.BaselineSuite.Status.History {
		if one.CompletionTime != nil && one.ResultConfigMapName != nil {
			return *one.ResultConfigMapName, wanted.Name + "@" + one.Revision, ""
		}
	}
	return "", "", fmt.Sprintf("BenchmarkSuite %q has no revision that is complete", wanted.Name)
}

// Needed are the ConfigMaps whose content a decision rests on and that have not been read yet. It is asked until it has
// none.
func Needed(o *Observation) []string {
	if o.Suite.DeletionTimestamp != nil || len(o.Invalid) > 0 || len(o.Refusals) > 0 {
		return nil
	}
	r := look(o)
	unread := func(names ...string) []string {
		return slices.DeleteFunc(names, func(name string) bool {
			_, read := o.Stored[name]
			return read || name == ""
		})
	}
	if r.missing() && (!r.settled || r.completing()) && o.ConfigMaps[r.resultName()] != nil {
		// What else is needed depends on what it holds.
		if own := unread(r.resultName()); len(own) > 0 {
			return own
		}
	}
	if !r.completing() {
		return nil
	}
	return unread(naming.SuiteHistoryConfigMap(o.Suite.Name), baselines{o}.name())
}

// name is the ConfigMap that has the baseline's samples; empty when there is none.
func (b baselines) name() (name string) {
	switch wanted := b.Suite.Spec.Baseline; {
	case wanted == nil || wanted.PreviousRevision != nil:
		name, _ = b.previous()
	case wanted.Suite != nil:
		name, _, _ = b.otherSuite(wanted.Suite)
	}
	return name
}

// missing says whether a slot has no run.
func (r *revision) missing() bool {
	return slices.ContainsFunc(r.slots, func(s slot) bool { return s.run == nil })
}

// archived is what stays of a revision.
type archived struct {
	reference *benchv1alpha1.SuiteResultReference
	result    *corev1.ConfigMap
	// history is nil when it holds already what it should.
	history      *corev1.ConfigMap
	changePoints []benchv1alpha1.ChangePoint
	// remark says, for people, what did not fit.
	remark string
}

// archive makes what stays of a revision.
type archive struct{ *Observation }

// keep makes the ConfigMaps of a revision.
func (a archive) keep(c compared, completed time.Time) (archived, error) {
	var k archived
	history, err := a.remember(&k, comparison.PointOf(c.result, c.settings, completed), c.settings)
	if err != nil {
		return archived{}, err
	}
	files, err := comparison.Files(c.result, history, c.settings)
	if err != nil {
		return archived{}, err
	}
	sum := sha256.Sum256(files.Binary[comparison.ResultKey])
	k.result = a.resultConfigMap(files)
	if len(files.Omitted) > 0 {
		k.remark = "; there was no room for " + strings.Join(files.Omitted, ", ")
	}
	k.reference = &benchv1alpha1.SuiteResultReference{
		ConfigMapName: k.result.Name, SHA256: hex.EncodeToString(sum[:]),
	}
	return k, nil
}

// remember adds the revision to the history of the suite. A history that cannot be read starts over.
func (a archive) remember(
	k *archived, point comparison.Point, settings comparison.Settings,
) (comparison.History, error) {
	var history comparison.History
	var before []byte
	if stored := a.Stored[naming.SuiteHistoryConfigMap(a.Suite.Name)]; stored != nil {
		before = stored.BinaryData[comparison.HistoryKey]
		if read, err := comparison.DecodeHistory(before); err == nil {
			history = read
		}
	}
	history = history.With(point)
	encoded, err := comparison.EncodeHistory(history)
	if err != nil {
		return history, err
	}
	if !bytes.Equal(before, encoded) {
		k.history = a.configMap(naming.SuiteHistoryConfigMap(a.Suite.Name), naming.ComponentSuiteHistory,
			comparison.Contents{Binary: map[string][]byte{comparison.HistoryKey: encoded}})
	}
	changes := comparison.ChangePoints(history, settings)
	k.changePoints = changes[:min(len(changes), comparison.MostChangePoints)]
	return history, nil
}

func (a archive) resultConfigMap(files comparison.Contents) *corev1.ConfigMap {
	variants := make([]string, 0, len(a.Plan.Variants))
	for _, variant := range a.Plan.Variants {
		variants = append(variants, variant.Hash)
	}
	made := a.configMap(a.resultName(), naming.ComponentSuiteResult, files)
	made.Labels[suite.RevisionLabel] = a.Plan.Revision
	made.Annotations = map[string]string{HashesAnnotation: strings.Join(variants, ",")}
	return made
}

func (a archive) configMap(name string, component naming.Component, files comparison.Contents) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: a.Suite.Namespace, Labels: naming.ForSuite(a.Suite.Name, component),
		},
		Data: files.Text, BinaryData: files.Binary,
	}
}

// store has the result and the history stored, unless they lie there already.
func (a archive) store(d *Decision, k archived) {
	observed, exists := a.ConfigMaps[k.result.Name]
	if was := a.Suite.Status.Result; !exists || was == nil || *was != *k.reference {
		d.replace(k.result, observed, exists)
	}
	if k.history != nil {
		observed, exists = a.ConfigMaps[k.history.Name]
		d.replace(k.history, observed, exists)
	}
}
