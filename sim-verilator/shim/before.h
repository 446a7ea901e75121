// What every file of the shim and of a model includes before everything else. It is kept compiled, so it has the larger
// headers of all of them.
#pragma once
#include "hooks.h"
#include "report.h"

#include <algorithm>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "verilated_dpi.h"
