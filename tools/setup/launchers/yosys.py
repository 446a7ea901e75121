"""The command line of Yosys over its Python library: yosys -V | -p COMMANDS | -s SCRIPT, in the order given."""

import getopt
import importlib.metadata
import sys

from pyosys import libyosys


def main(arguments):
    options, rest = getopt.getopt(arguments, "Vp:s:")
    if rest or not options:
        raise getopt.GetoptError("want -V, -p COMMANDS or -s SCRIPT")
    design = libyosys.Design()
    for option, value in options:
        if option == "-V":
            print("Yosys", importlib.metadata.version("pyosys"))
        elif option == "-p":
            libyosys.run_pass(value, design)
        else:
            libyosys.run_frontend(value, "script", design, "")


try:
    main(sys.argv[1:])
except getopt.GetoptError as wrong:
    sys.exit("yosys: %s" % wrong)
