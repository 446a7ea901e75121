// What the runtime of Verilator calls instead of writing to the terminal and ending the process. Included before
// everything else, in the runtime's files and, by before.h, in the model's.
#pragma once
#define VL_PRINTF gornic_printf
#define VL_USER_STOP
#define VL_USER_FINISH
#define VL_USER_FATAL

__attribute__((format(printf, 1, 2))) int gornic_printf(const char* format, ...);
