// What the model prints when a check fails or a cover is first true. Verilator would make a std::string in the middle of the
// logic at each of thousands of calls. Included by before.h,
// so not in the runtime's files.
#pragma once
#include "verilated.h"

// One copy for all calls with arguments of the same types, far from the code that runs in each cycle.
template <typename... Arguments>
__attribute__((cold, noinline)) void gornic_report(const char* format, int count, Arguments... arguments) {
    VL_WRITEF_NX(format, count, arguments...);
}
#define VL_WRITEF_NX gornic_report

__attribute__((cold)) void VL_STOP_MT(const char* file, int line, const char* where, bool maybe);
