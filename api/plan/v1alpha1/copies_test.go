package v1alpha1_test

import (
	"testing"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
)

func TestEveryRecordLiesInTheCopyThatIsLoadedWithIt(t *testing.T) {
	for copies := range int64(12) {
		for count := range int64(50) {
			wantDealt(t, planv1.Collection{Name: "c", DocumentCount: count, Copies: copies})
		}
	}
	one, many := planv1.Collection{Name: "c"}, planv1.Collection{Name: "c", Copies: 3}
	if one.NameOf(0) != "c" || many.NameOf(2) != "c_2" || many.Copy(1).Name != "c_1" || many.Copy(1).Number() != 1 {
		t.Errorf("names %s, %s and %s", one.NameOf(0), many.NameOf(2), many.Copy(1).Name)
	}
}

func wantDealt(t *testing.T, c planv1.Collection) {
	t.Helper()
	for index := range c.Number() {
		first, number := planv1.Share(c.DocumentCount, int(c.Number()), int(index))
		for record := first; record < first+number; record++ {
			if got := c.CopyOf(record); got != index {
				t.Fatalf("record %d of %d in %d copies is of %d, and loaded into %d", record, c.DocumentCount, c.Copies, got, index)
			}
		}
	}
}
