// Package core is the whole core: every block, joined by the streams that
// docs/core.md draws. So far it has the ports ([IO]); the blocks are tested one by
// one.
package core
