package board

// ECPIX5 is the LambdaConcept ECPIX-5: an LFE5UM5G-85F at grade 8 and one gigabit PHY (KSZ9031), which delays the clock that it
// receives data with; the clock that is sent is delayed here, by 2 ns.
func ECPIX5() Board {
	b := Versa()
	b.Name, b.Title, b.Device, b.Package = "ecpix5", "LambdaConcept ECPIX-5", "LFE5UM5G-85F", "CABGA554"
	b.Config = "i9"
	b.HostMemory = 128 << 10
	b.Hosts, b.Ports = Hosts{Serial: true}, b.Ports[:1]
	b.Ports[0].TxDelay = 80
	b.LEDs = LEDs{Count: 4, Low: true}
	b.PHYResets = 1
	return b
}
