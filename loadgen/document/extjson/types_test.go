package extjson_test

import (
	"testing"

	"github.com/mongobench/mongobench-operator/internal/document"
	"github.com/mongobench/mongobench-operator/loadgen/document/extjson"
)

// FuzzTypes compares what the operator accepts of a value of a type with what the load generator can read. Only a
// number that stands where its digits have to be in quotes is refused by the operator alone.
func FuzzTypes(f *testing.F) {
	keys := []string{
		"$oid", "$numberInt", "$numberLong", "$numberDouble", "$numberDecimal", "$date", "$timestamp", "$binary", "$uuid",
		"$regularExpression", "$minKey", "$maxKey",
	}
	for _, value := range []string{
		`"0123456789abcdef01234567"`, `"0123456789ABCDEF0123456"`, `"5"`, `"+5"`, `"-2147483649"`, `"9223372036854775808"`,
		`"0x1p-2"`, `"1_0"`, `"1e309"`, `"NaN"`, `"-infinity"`, `"1E6144"`, `"1E6145"`, `"10E6143"`, `"1E-6176"`,
		`"1E-6177"`, `"10E-6177"`, `"0E99999"`, `"-.5"`, `"5."`, `"."`, `""`, `"12345678901234567890123456789012345"`,
		`"1234567890123456789012345678901234000"`, `"1e99999999999"`, `"2026-01-02T15:04:05.678Z"`,
		`"2026-01-02T15:04:05+0100"`, `"2026-01-02"`, `"00112233-4455-6677-8899-aabbccddeeff"`,
		`"00112233-4455-6677-8899aabbccddeeff-"`, `5`, `1`, `-5`, `1.5`, `1e3`, `99999999999`, `true`, `null`, `[]`, `{}`,
		`{"$numberLong": "5"}`, `{"$numberLong": "x"}`, `{"t": 1, "i": 2}`, `{"t": 4294967296, "i": 2}`, `{"t": 1}`,
		`{"t": 1, "i": 2, "x": 3}`, `{"base64": "AAAA", "subType": "80"}`, `{"base64": "A", "subType": "0"}`,
		`{"base64": "", "subType": "100"}`, `{"pattern": "a", "options": "i"}`, `{"pattern": "a"}`, `{"$param": "x"}`,
	} {
		for i := range keys {
			f.Add(i, value)
		}
	}
	f.Fuzz(func(t *testing.T, key int, value string) {
		if key < 0 || key >= len(keys) {
			return
		}
		text := `{"` + keys[key] + `": ` + value + `}`
		parsed, err := document.Parse(text)
		if err != nil || len(parsed.Members()) != 1 || parsed.Verbatim() {
			return
		}
		accepted := len(document.MistypedIn(parsed, nil)) == 0
		_, err = extjson.Parse(parsed.JSON())
		_, quoted := parsed.Members()[0].Value.Text()
		if quoted && accepted != (err == nil) || accepted && err != nil {
			t.Errorf("%s is accepted: %t; the load generator says: %v", text, accepted, err)
		}
	})
}
