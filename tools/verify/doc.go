// Command verify runs every check of the repository, as `make test` does, and counts.
//
//	go run ./tools/verify                 all steps, in the order of steps.go
//	go run ./tools/verify -only vet,test  some of them
//
// A step is a program that passes or fails; the step test is `go test` and counts each of its tests. What fails prints its
// whole output; what is skipped is listed by reason. The last line is `N passed, N failed, N skipped`, and the exit status
// is 1 if anything failed. Tests may use two processors, so that the same run fits a small machine. An absent tool fails
// the tests that need it, since `make test` has just set the tools up; -allow-absent lets them be skipped.
package main
