package result_test

import (
	"strings"
	"testing"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

func TestOperationsThatComeUponTooFewDocumentsAreDoubted(t *testing.T) {
	most := &reportv1alpha1.Expectation{MinDocuments: 1, AllowedPercent: 1}
	for name, tc := range map[string]struct {
		expect     *reportv1alpha1.Expectation
		unexpected int64
		want       string
	}{
		"nothing was expected":       {nil, 0, ""},
		"one in a hundred":           {most, 1, ""},
		"more than one in a hundred": {most, 2, `of 100 of operation "read" 2 came upon no document; 1 in 100 may`},
		"one, where all were to": {
			&reportv1alpha1.Expectation{MinDocuments: 1}, 1, `of 100 of operation "read" 1 came upon no document; 0 in 100 may`,
		},
		"one, where none was to": {
			&reportv1alpha1.Expectation{MaxDocuments: new(int64(0))}, 1, "a document, where none was expected",
		},
	} {
		t.Run(name, func(t *testing.T) {
			times := make([]int64, 100)
			for i := range times {
				times[i] = 100
			}
			report := podReport(t, 500)
			report.Steps[1].Operations = []reportv1alpha1.Operation{{
				Name: "read", Kind: "FindOne", Count: 100, ServiceTime: histogram(t, times...), Expect: tc.expect,
				Unexpected: tc.unexpected, Empty: tc.unexpected,
			}}
			got := doubtOf(t, report, benchv1alpha1.ReasonUnexpectedDocuments)
			if (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
				t.Errorf("the doubt is %q, want %q", got, tc.want)
			}
		})
	}
}

func TestARecallThatIsLowOrUnknownIsDoubted(t *testing.T) {
	for name, tc := range map[string]struct {
		recall *reportv1alpha1.Recall
		want   string
	}{
		"not asked for":    {nil, ""},
		"without a bound":  {&reportv1alpha1.Recall{Wanted: 10, Compared: 10, Exact: 100, Found: 1}, ""},
		"of some requests": {&reportv1alpha1.Recall{Wanted: 10, Compared: 9, Exact: 90, Found: 90, Missing: "late"}, ""},
		"at the bound": {
			&reportv1alpha1.Recall{Wanted: 10, Compared: 10, Exact: 100, Found: 95, MinPercent: 95}, "",
		},
		"below the bound": {
			&reportv1alpha1.Recall{Wanted: 10, Compared: 10, Exact: 1000, Found: 949, MinPercent: 95},
			`the answers of operation "read" had 0.949 of the exact ones, and recall.minPercent wants 95 in 100`,
		},
		"of nothing": {
			&reportv1alpha1.Recall{Wanted: 10, Missing: "no such stage"},
			`no answer of operation "read" could be compared with an exact one: no such stage`,
		},
		"of exact answers without documents": {
			&reportv1alpha1.Recall{Wanted: 10, Compared: 10},
			`the exact answers to 10 requests of operation "read" had no document`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			report := podReport(t, 500)
			report.Steps[1].Operations = []reportv1alpha1.Operation{{
				Name: "read", Kind: "Aggregate", Count: 1, ServiceTime: histogram(t, 100), Recall: tc.recall,
			}}
			got := doubtOf(t, report, benchv1alpha1.ReasonLowRecall)
			if (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
				t.Errorf("the doubt is %q, want %q", got, tc.want)
			}
		})
	}
}
