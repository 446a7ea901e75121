// Package pieces has what gather and scatter share: [Cut] cuts pieces of
// payload (link.Piece) where a burst has to end (cut.go, proved in
// cut_properties.go), and [Rotate] moves bytes around within a beat
// (rotate.go).
package pieces
