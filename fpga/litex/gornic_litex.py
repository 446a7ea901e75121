"""The gornic core on a LiteX SoC.

add_gornic() is what a target calls: it puts the core's registers and its AXI master on the bus of the SoC, and a LiteEth MAC
between the core and a PHY.

    soc.submodules.ethphy = LiteEthPHYRGMII(...)
    add_gornic(soc, soc.ethphy, rtl="rtl", registers=0x9000_0000)

Run as a program it writes the Verilog of a SoC without a processor for simulation: an AXI-Lite port in the place of one, 128 KiB of
memory, and a PHY whose output is its input.

    python gornic_litex.py --rtl rtl --out build/litex
"""

import argparse
import os
import re

from migen import ClockDomain, ClockSignal, Instance, Module, ResetSignal, Signal

from litex.build.generic_platform import GenericPlatform, Pins
from litex.soc.integration.soc import SoCRegion
from litex.soc.integration.soc_core import SoCCore
from litex.soc.interconnect import axi, stream

from liteeth.common import eth_phy_description
from liteeth.mac.core import LiteEthMACCore


class Gornic(Module):
    """The core as it was generated (configuration board), with LiteX's interfaces around it."""

    def __init__(self, top, register_bits, clock_domain="sys"):
        self.registers = axi.AXILiteInterface(data_width=32, address_width=32)
        self.memory = axi.AXIInterface(data_width=64, address_width=64, id_width=4)
        self.tx = stream.Endpoint([("data", 64), ("keep", 8), ("error", 1)])
        self.rx = stream.Endpoint([("data", 64), ("keep", 8), ("error", 1)])
        self.irq = Signal()

        r, m = self.registers, self.memory
        ports = dict(i_clk=ClockSignal(clock_domain), i_rst=ResetSignal(clock_domain), o_irq=self.irq)
        # Registers. The core decodes as many bits as it has registers and doorbells.
        for name, channel in (("aw", r.aw), ("ar", r.ar)):
            ports[f"i_s_axil_{name}addr"] = channel.addr[:register_bits]
            ports[f"i_s_axil_{name}prot"] = 0
            ports[f"i_s_axil_{name}valid"] = channel.valid
            ports[f"o_s_axil_{name}ready"] = channel.ready
        ports.update(
            i_s_axil_wdata=r.w.data, i_s_axil_wstrb=r.w.strb, i_s_axil_wvalid=r.w.valid, o_s_axil_wready=r.w.ready,
            o_s_axil_bresp=r.b.resp, o_s_axil_bvalid=r.b.valid, i_s_axil_bready=r.b.ready,
            o_s_axil_rdata=r.r.data, o_s_axil_rresp=r.r.resp, o_s_axil_rvalid=r.r.valid, i_s_axil_rready=r.r.ready)
        # Memory.
        for name, channel in (("aw", m.aw), ("ar", m.ar)):
            for field in ("addr", "burst", "len", "size", "id", "lock", "cache", "prot"):
                ports[f"o_m_axi_{name}{field}"] = getattr(channel, field)
            ports[f"o_m_axi_{name}valid"] = channel.valid
            ports[f"i_m_axi_{name}ready"] = channel.ready
        ports.update(
            o_m_axi_wdata=m.w.data, o_m_axi_wstrb=m.w.strb, o_m_axi_wlast=m.w.last, o_m_axi_wvalid=m.w.valid, i_m_axi_wready=m.w.ready,
            i_m_axi_bid=m.b.id, i_m_axi_bresp=m.b.resp, i_m_axi_bvalid=m.b.valid, o_m_axi_bready=m.b.ready,
            i_m_axi_rid=m.r.id, i_m_axi_rdata=m.r.data, i_m_axi_rresp=m.r.resp, i_m_axi_rlast=m.r.last, i_m_axi_rvalid=m.r.valid,
            o_m_axi_rready=m.r.ready)
        # Frames. What is no RoCE is dropped, and the host sends none of its own: a network stack would go there.
        ports.update(
            i_s_axis_rx_tdata=self.rx.data, i_s_axis_rx_tkeep=self.rx.keep, i_s_axis_rx_tlast=self.rx.last, i_s_axis_rx_tuser=self.rx.error,
            i_s_axis_rx_tvalid=self.rx.valid, o_s_axis_rx_tready=self.rx.ready,
            o_m_axis_tx_tdata=self.tx.data, o_m_axis_tx_tkeep=self.tx.keep, o_m_axis_tx_tlast=self.tx.last, o_m_axis_tx_tuser=self.tx.error,
            o_m_axis_tx_tvalid=self.tx.valid, i_m_axis_tx_tready=self.tx.ready,
            i_m_axis_raw_tready=1,
            i_s_axis_raw_tdata=0, i_s_axis_raw_tkeep=0, i_s_axis_raw_tlast=0, i_s_axis_raw_tuser=0, i_s_axis_raw_tvalid=0,
            i_m_axis_irq_ready=1)
        self.specials += Instance(top, name="gornic", **ports)


class MACAdapter(Module):
    """Between the core's streams and those of a LiteEth MAC of 64 bits.

    LiteEth marks the last byte of a frame with a bit, where AXI4-Stream has a bit for each byte that is there.
    """

    def __init__(self, core, mac):
        self.comb += [
            mac.sink.valid.eq(core.tx.valid),
            core.tx.ready.eq(mac.sink.ready),
            mac.sink.data.eq(core.tx.data),
            mac.sink.last.eq(core.tx.last),
            mac.sink.error.eq(0),
            core.rx.valid.eq(mac.source.valid),
            mac.source.ready.eq(1),  # the core never waits
            core.rx.data.eq(mac.source.data),
            core.rx.last.eq(mac.source.last),
            core.rx.error.eq(mac.source.error != 0),
        ]
        for i in range(8):
            there = core.tx.keep[i]
            after = core.tx.keep[i + 1] if i < 7 else 0
            self.comb += mac.sink.last_be[i].eq(core.tx.last & there & ~after)
            # Up to the marked byte; all where none is marked.
            self.comb += core.rx.keep[i].eq((mac.source.last_be[i:] != 0) | (mac.source.last_be == 0))


def modules(rtl):
    """The Verilog files of a folder, and the name and address bits of their top, which the list names last."""
    with open(os.path.join(rtl, "gornic.f")) as f:
        names = [line.strip() for line in f if line.strip() and not line.startswith("//")]
    for name in reversed(names):
        with open(os.path.join(rtl, name)) as f:
            text = f.read()
        found = re.search(r"^module (gornic_\w+) .*?\[(\d+):0\] s_axil_awaddr", text, re.M | re.S)
        if found:
            return [os.path.join(rtl, n) for n in names], found.group(1), int(found.group(2)) + 1
    raise SystemExit(f"{rtl} has no core")


def add_gornic(soc, phy, rtl, registers):
    """Puts the core into a SoC, with its registers at an address of the SoC's bus.

    The bus has to be 32 bits wide, LiteX's default: a wider one reads two registers at once, and where there is but one of the
    two the core answers with an error.
    """
    if soc.bus.data_width != 32:
        raise ValueError("gornic: the registers want a bus of 32 bits")
    sources, top, bits = modules(rtl)
    for source in sources:
        soc.platform.add_source(source)
    core = Gornic(top, bits)
    soc.submodules.gornic = core
    soc.bus.add_slave("gornic", core.registers, SoCRegion(origin=registers, size=1 << bits, cached=False))
    # The bus has addresses of 32 bits: so must have the buffers that the driver hands out.
    memory = axi.AXIInterface(data_width=64, address_width=32, id_width=4)
    soc.comb += core.memory.connect(memory)
    soc.bus.add_master("gornic", memory)
    mac = LiteEthMACCore(phy, dw=64)
    soc.submodules.gornic_mac = mac
    soc.submodules += MACAdapter(core, mac)
    return core


class LoopPHY(Module):
    """A PHY at the end of a cable that leads back to it, at a byte a cycle."""

    dw = 8

    def __init__(self):
        self.sink = stream.Endpoint(eth_phy_description(8))
        self.source = stream.Endpoint(eth_phy_description(8))
        self.comb += self.sink.connect(self.source)


def host_pins():
    """The pins of an AXI-Lite master of 32 bits, as the SoC sees them."""
    widths = dict(
        awaddr=32, awprot=3, awvalid=1, awready=1, wdata=32, wstrb=4, wvalid=1, wready=1, bresp=2, bvalid=1, bready=1,
        araddr=32, arprot=3, arvalid=1, arready=1, rdata=32, rresp=2, rvalid=1, rready=1)
    return [("s_axil_" + name, 0, Pins(width)) for name, width in widths.items()]


class SimulatedSoC(SoCCore):
    def __init__(self, platform, rtl, registers, memory, memory_bytes):
        super().__init__(
            platform, clk_freq=int(62.5e6), cpu_type=None, ident="", with_uart=False, with_timer=False, with_ctrl=False,
            integrated_rom_size=0, integrated_sram_size=0, bus_standard="axi-lite", bus_data_width=32)
        clk, rst = platform.request("clk"), platform.request("rst")
        for name in ("sys", "eth_tx", "eth_rx"):
            domain = ClockDomain(name)
            setattr(self.clock_domains, "cd_" + name, domain)
            self.comb += [domain.clk.eq(clk), domain.rst.eq(rst)]
        self.add_ram("main_ram", memory, memory_bytes)
        self.main_ram.mem.init = None  # no file of contents beside the Verilog
        self.submodules.ethphy = LoopPHY()
        core = add_gornic(self, self.ethphy, rtl, registers)
        self.comb += platform.request("irq").eq(core.irq)
        self.add_host(platform)

    def add_host(self, platform):
        host = axi.AXILiteInterface(data_width=32, address_width=32)
        self.bus.add_master("host", host)
        for name in ("aw", "w", "ar"):
            channel = getattr(host, name)
            for field in dict(aw=("addr",), w=("data", "strb"), ar=("addr",))[name]:
                self.comb += getattr(channel, field).eq(platform.request(f"s_axil_{name}{field}"))
            self.comb += channel.valid.eq(platform.request(f"s_axil_{name}valid"))
            self.comb += platform.request(f"s_axil_{name}ready").eq(channel.ready)
        for name in ("b", "r"):
            channel = getattr(host, name)
            for field in dict(b=("resp",), r=("data", "resp"))[name]:
                self.comb += platform.request(f"s_axil_{name}{field}").eq(getattr(channel, field))
            self.comb += platform.request(f"s_axil_{name}valid").eq(channel.valid)
            self.comb += channel.ready.eq(platform.request(f"s_axil_{name}ready"))
        for name in ("awprot", "arprot"):
            platform.request("s_axil_" + name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rtl", default="rtl", help="folder with the core's Verilog")
    parser.add_argument("--out", required=True, help="folder to write gornic_litex.v to")
    parser.add_argument("--registers", type=lambda s: int(s, 0), default=0x9000_0000, help="address of the core's registers")
    parser.add_argument("--memory", type=lambda s: int(s, 0), default=0x4000_0000, help="address of the memory")
    parser.add_argument("--memory-bytes", type=lambda s: int(s, 0), default=128 << 10)
    args = parser.parse_args()
    io = [("clk", 0, Pins(1)), ("rst", 0, Pins(1)), ("irq", 0, Pins(1))] + host_pins()
    platform = GenericPlatform("none", io, name="gornic_litex")
    soc = SimulatedSoC(platform, args.rtl, args.registers, args.memory, args.memory_bytes)
    soc.finalize()
    os.makedirs(args.out, exist_ok=True)
    platform.get_verilog(soc, name="gornic_litex").write(os.path.join(args.out, "gornic_litex.v"))


if __name__ == "__main__":
    main()
