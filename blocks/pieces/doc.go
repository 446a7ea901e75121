// Package pieces has what gather and scatter share: [Cut] cuts pieces of payload
// (link.Piece) where a burst has to end, and [Rotate] moves bytes around within
// a beat.
package pieces
