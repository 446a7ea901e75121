package lab_test

import (
	"context"
	"fmt"

	"gornic/tb/golden/lab"
	"gornic/verbs"
)

// Two hosts, of which a program opens one.
func Example() {
	ctx := context.Background()
	l, err := lab.New(lab.Options{Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	device, err := verbs.Open(ctx, l.A, verbs.Config{MAC: l.A.MAC})
	if err != nil {
		fmt.Println(err)
		return
	}
	attr := device.Attr()
	fmt.Println(attr.MAC, attr.MaxQP, "queue pairs, path MTU", attr.MaxMTU.Bytes())
	fmt.Println(device.Close(ctx), l.CheckGuards())
	// Output:
	// 02:00:00:00:00:01 64 queue pairs, path MTU 4096
	// <nil> <nil>
}
