package board

// I5 is the Colorlight i5 v7.0: the i9 with an LFE5U-25F, for which everything is smaller.
func I5() Board {
	b := I9()
	b.Name, b.Title, b.Device = "i5", "Colorlight i5 v7.0", "LFE5U-25F"
	b.Config = "i5"
	b.HostMemory = 16 << 10
	b.Hosts, b.Ports = Hosts{Serial: true}, b.Ports[:1]
	return b
}
