// Package frames is where test benches get Ethernet frames: from capture files
// and text files ([All]), built field by field ([Build]), or at random from a seed
// ([Generator]), good, damaged and foreign.
//
// Frames run from the destination MAC address to the last byte before the FCS.
// The package shares nothing with the blocks' references but package format:
// headers below the BTH are gopacket's, and the ICRC is computed here a second
// time, so a frame made here checks the references too.
package frames
