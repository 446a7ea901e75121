package linktest_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/blocks/link"
	"gornic/blocks/linktest"
)

// Each record has the fields of its message, by name and in order.
func TestRecords(t *testing.T) {
	for _, pair := range [][2]any{
		{linktest.Lookup{}, link.Lookup{}}, {linktest.QPControl{}, link.QPControl{}}, {linktest.QPFault{}, link.QPFault{}},
		{linktest.Segment{}, link.Segment{}}, {linktest.TxJob{}, link.TxJob{}},
		{linktest.Record{}, link.Record{}}, {linktest.Ack{}, link.Ack{}}, {linktest.RxRequest{}, link.RxRequest{}},
		{linktest.RxResponse{}, link.RxResponse{}}, {linktest.Outcome{}, link.Outcome{}}, {linktest.Placed{}, link.Placed{}},
		{linktest.Retired{}, link.Retired{}}, {linktest.RxMatched{}, link.RxMatched{}}, {linktest.ReadIssue{}, link.ReadIssue{}},
		{linktest.ResourceRequest{}, link.ResourceRequest{}}, {linktest.Served{}, link.Served{}}, {linktest.Operands{}, link.Operands{}},
		{linktest.AtomicCommand{}, link.AtomicCommand{}}, {linktest.AtomicResult{}, link.AtomicResult{}},
		{linktest.KeyOp{}, link.KeyOp{}}, {linktest.KeyOpDone{}, link.KeyOpDone{}}, {linktest.Heard{}, link.Heard{}}, {linktest.SendFailure{}, link.SendFailure{}},
		{linktest.Resend{}, link.Resend{}}, {linktest.Resent{}, link.Resent{}}, {linktest.ResendFault{}, link.ResendFault{}},
	} {
		record, message := reflect.TypeOf(pair[0]), reflect.TypeOf(pair[1])
		require.Equal(t, message.Name(), record.Name())
		require.Equal(t, fields(message), fields(record), record.Name())
	}
}

// fields lists the names of a struct's fields, those of the module's own structs taken apart.
func fields(t reflect.Type) []string {
	var names []string
	for i := range t.NumField() {
		f := t.Field(i)
		names = append(names, f.Name)
		if f.Type.Kind() == reflect.Array {
			names = append(names, f.Type.String()[:3])
		}
		if f.Type.Kind() == reflect.Struct && f.Type.PkgPath() != "gornic/hdl" {
			names = append(names, fields(f.Type)...)
		}
	}
	return names
}
