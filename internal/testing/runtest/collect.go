package runtest

import (
	"fmt"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// Collect does, with the encoded reports of the load pods of a run, what the order of its gate asks for: it returns the
// encoded merged report, none if there is none, and what the operator is told.
func Collect(run, planHash, order string, reports ...[]byte) (merged []byte, told string, err error) {
	asked, err := reportv1alpha1.DecodeCollectOrder([]byte(order))
	if err != nil {
		return nil, "", err
	}
	var collection result.Collection
	for i, encoded := range reports {
		collection.Add(naming.PodConfigMap(run, i), encoded)
	}
	collected := reportv1alpha1.Collected{Version: reportv1alpha1.Version, PlanHash: planHash}
	report, err := collection.Report(planHash, asked)
	if err != nil {
		collected.Failed = err.Error()
	} else if merged, err = result.Encode(report); err == nil {
		collected, err = result.Collected(report, reportv1alpha1.Stored{
			ConfigMapName: naming.ReportConfigMap(run), SHA256: result.Digest(merged), Bytes: int64(len(merged)),
		})
		if err != nil {
			return nil, "", fmt.Errorf("summarising the report: %w", err)
		}
	}
	encoded, err := result.EncodeCollected(collected)
	return merged, string(encoded), err
}
