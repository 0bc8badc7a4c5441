package collect

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// reportConfigMap is the whole result of a run, which stays when everything else goes.
func reportConfigMap(run *benchv1alpha1.BenchmarkRun, merged reportv1alpha1.Report) (*corev1.ConfigMap, error) {
	encoded, err := result.Encode(merged)
	if err != nil {
		return nil, fmt.Errorf("encoding the merged report: %w", err)
	}
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Name:      naming.ReportConfigMap(run.Name),
			Namespace: run.Namespace,
			Labels:    naming.ForRun(run.Name, naming.ComponentReport),
		},
		Data:       map[string]string{naming.ReportDigestKey: digest(encoded)},
		BinaryData: map[string][]byte{reportv1alpha1.ReportKey: encoded},
	}, nil
}

// readReport reads a stored report back, and refuses one that is not what was written, or of another plan.
func readReport(configMap *corev1.ConfigMap, planHash string) (*reportv1alpha1.Report, string, error) {
	encoded := configMap.BinaryData[reportv1alpha1.ReportKey]
	sum := digest(encoded)
	if sum != configMap.Data[naming.ReportDigestKey] {
		return nil, "", fmt.Errorf("ConfigMap %s does not hold what its %s says", configMap.Name, naming.ReportDigestKey)
	}
	stored, err := reportv1alpha1.Decode(encoded)
	if err != nil {
		return nil, "", fmt.Errorf("ConfigMap %s: %w", configMap.Name, err)
	}
	if stored.PlanHash != planHash {
		return nil, "", fmt.Errorf("ConfigMap %s holds the report of another plan, %s", configMap.Name, stored.PlanHash)
	}
	return &stored, sum, nil
}

func digest(encoded []byte) string {
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:])
}
