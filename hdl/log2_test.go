package hdl_test

import (
	"fmt"

	"gornic/hdl"
)

func ExampleLog2() {
	for _, n := range []int{0, 1, 2, 3, 4, 5, 4096} {
		fmt.Print(hdl.Log2(n), " ")
	}
	// Output: 0 0 1 2 2 3 12
}
