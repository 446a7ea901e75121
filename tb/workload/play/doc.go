// Package play runs a workload over verbs on two devices, and checks what comes of
// it: every completion in its order and with its contents, every byte of every
// buffer, and that nothing else happened.
//
// Start with [Run]. It knows nothing of the devices but verbs, so it plays on
// reference NICs, on hardware in a simulator, and on boards alike.
package play
