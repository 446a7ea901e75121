// Package host is the memory of a host as its software and a device see it: a
// bus address space of up to 64 bits that is empty but for what was allocated.
//
// [New] makes a [Memory] and [Memory.Alloc] a piece of it at a random place, with
// a guard zone on either side. Software reads and writes with [Memory.Read] and
// [Memory.Write], a device with [Memory.DeviceRead], [Memory.DeviceWrite] and
// [Memory.DeviceWriteBeat]: only a device meets the faults of [Memory.InjectFault].
// An access outside of every allocation and its guard zones is an error for both,
// so a device that uses freed memory is found out. An AXI model turns any error
// of a device's access into an error response.
//
// Memory that nobody wrote holds a pattern that depends on seed and address,
// never zeros. [Memory.CheckGuards] tells whether the guard zones still hold it,
// [Memory.OnAccess] lets a scoreboard see each access, and [FirstDifference]
// compares two memories. Only pages that were written take room.
//
// A Memory is used by one goroutine at a time. It has the methods of the memory
// half of a verbs.Bus, so a bus may embed it.
package host
