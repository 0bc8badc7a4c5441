package decide

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/suite"
)

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
	k.result, k.remark = a.resultConfigMap(files), missingTables(files)
	k.reference = &benchv1alpha1.SuiteResultReference{
		ConfigMapName: k.result.Name, SHA256: hex.EncodeToString(sum[:]),
	}
	return k, nil
}

// missingTables says which of the tables for people and other tools did not fit.
func missingTables(files comparison.Contents) (remark string) {
	var missing []string
	for _, key := range []string{
		comparison.ComparisonKey, comparison.SamplesKey, comparison.BenchstatKey, comparison.OtavaKey,
		comparison.OtavaConfigKey,
	} {
		if _, ok := files.Text[key]; !ok {
			missing = append(missing, key)
		}
	}
	if len(missing) == 0 {
		return ""
	}
	return "; there was no room for " + strings.Join(missing, ", ")
}

// remember adds the revision to the history of the suite. A history that cannot be read begins anew.
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
		k.history = a.historyConfigMap(encoded)
	}
	changes := comparison.ChangePoints(history, settings)
	k.changePoints = changes[:min(len(changes), comparison.MostChangePoints)]
	return history, nil
}

func (a archive) historyConfigMap(encoded []byte) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Name: naming.SuiteHistoryConfigMap(a.Suite.Name), Namespace: a.Suite.Namespace,
			Labels: naming.ForSuite(a.Suite.Name, naming.ComponentSuiteHistory),
		},
		BinaryData: map[string][]byte{comparison.HistoryKey: encoded},
	}
}

func (a archive) resultConfigMap(files comparison.Contents) *corev1.ConfigMap {
	variants := make([]string, 0, len(a.Plan.Variants))
	for _, variant := range a.Plan.Variants {
		variants = append(variants, variant.Hash)
	}
	labels := naming.ForSuite(a.Suite.Name, naming.ComponentSuiteResult)
	labels[suite.RevisionLabel] = a.Plan.Revision
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Name: a.resultName(), Namespace: a.Suite.Namespace, Labels: labels,
			Annotations: map[string]string{HashesAnnotation: strings.Join(variants, ",")},
		},
		Data: files.Text, BinaryData: files.Binary,
	}
}

// storeResult has the result stored unless it lies there already.
func (a archive) storeResult(d *Decision, k archived) {
	observed, exists := a.ConfigMaps[k.result.Name]
	was := a.Suite.Status.Result
	if exists && was != nil && *was == *k.reference {
		return
	}
	d.replace(k.result, observed, exists)
}

func (a archive) storeHistory(d *Decision, k archived) {
	if k.history == nil {
		return
	}
	observed, exists := a.ConfigMaps[k.history.Name]
	d.replace(k.history, observed, exists)
}
