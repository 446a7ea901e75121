// Configuration board: every module, children before their parents.
rxparse_64.v
fifo_icrc_verdict_x16.v
icrc_check_64.v
rxbuffer_64_x2048_x64.v
frame_fifo_drop_64_x1024.v
fork_beat_64_8_x2.v
rxpath_64_x2048_x64_x1024.v
forward_slice_beat_64_8.v
packetbuild_frame_64.v
fifo_icrc_held_64_3_1_1_x16.v
fifo_bits_32_x16.v
icrc_generate_64_word_end.v
packetbuild_64.v
