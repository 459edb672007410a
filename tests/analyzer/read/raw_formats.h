/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For tests of binary traces: formats of a few events, as tracefs has them (Linux 6.1 on x86-64),
 * and a block of bytes that numbers are put into.
 */
#ifndef TESTS_ANALYZER_READ_RAW_FORMATS_H
#define TESTS_ANALYZER_READ_RAW_FORMATS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define COMMON                                                                         \
	"format:\n"                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

#define FORMAT_START                                                             \
	"name: net_dev_start_xmit\nID: 1401\n" COMMON                            \
	"\tfield:__data_loc char[] name;\toffset:8;\tsize:4;\tsigned:0;\n"       \
	"\tfield:u16 queue_mapping;\toffset:12;\tsize:2;\tsigned:0;\n"           \
	"\tfield:const void * skbaddr;\toffset:16;\tsize:8;\tsigned:0;\n"        \
	"\tfield:u16 protocol;\toffset:30;\tsize:2;\tsigned:0;\n"                \
	"\tfield:unsigned int len;\toffset:36;\tsize:4;\tsigned:0;\n"            \
	"\tfield:int network_offset;\toffset:44;\tsize:4;\tsigned:1;\n"          \
	"\tfield:bool transport_offset_valid;\toffset:48;\tsize:1;\tsigned:0;\n" \
	"\tfield:int transport_offset;\toffset:52;\tsize:4;\tsigned:1;\n"        \
	"\tfield:u16 gso_size;\toffset:58;\tsize:2;\tsigned:0;\n"                \
	"\tfield:u16 gso_segs;\toffset:60;\tsize:2;\tsigned:0;\n"                \
	"\tfield:u16 gso_type;\toffset:62;\tsize:2;\tsigned:0;\n\n"              \
	"print fmt: \"dev=%s queue_mapping=%u\", __get_str(name), REC->queue_mapping\n"

#define FORMAT_CONSUME                                               \
	"name: consume_skb\nID: 1404\n" COMMON                       \
	"\tfield:void * skbaddr;\toffset:8;\tsize:8;\tsigned:0;\n\n" \
	"print fmt: \"skbaddr=%p\", REC->skbaddr\n"

#define FORMAT_KFREE                                                                   \
	"name: kfree_skb\nID: 1405\n" COMMON                                           \
	"\tfield:void * skbaddr;\toffset:8;\tsize:8;\tsigned:0;\n"                     \
	"\tfield:void * location;\toffset:16;\tsize:8;\tsigned:0;\n"                   \
	"\tfield:unsigned short protocol;\toffset:24;\tsize:2;\tsigned:0;\n"           \
	"\tfield:enum skb_drop_reason reason;\toffset:28;\tsize:4;\tsigned:0;\n\n"     \
	"print fmt: \"skbaddr=%p protocol=%u location=%p reason: %s\", REC->skbaddr, " \
	"REC->protocol, REC->location, __print_symbolic(REC->reason, "                 \
	"{ 1, \"CONSUMED\" }, { 2, \"NOT_SPECIFIED\" }, { 3, \"NO_SOCKET\" }, "        \
	"{ 0x10003, \"RX_(odd}\" })\n"

#define FORMAT_XMIT                                                        \
	"name: net_dev_xmit\nID: 1402\n" COMMON                            \
	"\tfield:void * skbaddr;\toffset:8;\tsize:8;\tsigned:0;\n"         \
	"\tfield:unsigned int len;\toffset:16;\tsize:4;\tsigned:0;\n"      \
	"\tfield:int rc;\toffset:20;\tsize:4;\tsigned:1;\n"                \
	"\tfield:__rel_loc char[] name;\toffset:24;\tsize:4;\tsigned:0;\n" \
	"print fmt: \"rc=%d\", REC->rc\n"

#define FORMAT_COPY                                                      \
	"name: skb_copy_datagram_iovec\nID: 1407\n" COMMON               \
	"\tfield:const void * skbaddr;\toffset:8;\tsize:8;\tsigned:0;\n" \
	"\tfield:int len;\toffset:16;\tsize:4;\tsigned:1;\n\n"           \
	"print fmt: \"len=%d\", REC->len\n"

#define FORMAT_SEND                                                 \
	"name: sock_send_length\nID: 1406\n" COMMON                 \
	"\tfield:void * sk;\toffset:8;\tsize:8;\tsigned:0;\n"       \
	"\tfield:__u16 family;\toffset:16;\tsize:2;\tsigned:0;\n"   \
	"\tfield:__u16 protocol;\toffset:18;\tsize:2;\tsigned:0;\n" \
	"\tfield:int ret;\toffset:20;\tsize:4;\tsigned:1;\n"        \
	"\tfield:int flags;\toffset:24;\tsize:4;\tsigned:1;\n\n"    \
	"print fmt: \"%d\", REC->ret\n"

#define FORMAT_IRQ                                                            \
	"name: irq_handler_entry\nID: 150\n" COMMON                           \
	"\tfield:int irq;\toffset:8;\tsize:4;\tsigned:1;\n"                   \
	"\tfield:__data_loc char[] name;\toffset:12;\tsize:4;\tsigned:0;\n\n" \
	"print fmt: \"irq=%d name=%s\", REC->irq, __get_str(name)\n"

#define FORMAT_RAISE                                                   \
	"name: softirq_raise\nID: 151\n" COMMON                        \
	"\tfield:unsigned int vec;\toffset:8;\tsize:4;\tsigned:0;\n\n" \
	"print fmt: \"vec=%u\", REC->vec\n"

#define FORMAT_POLL                                                             \
	"name: napi_poll\nID: 152\n" COMMON                                     \
	"\tfield:struct napi_struct * napi;\toffset:8;\tsize:8;\tsigned:0;\n"   \
	"\tfield:__data_loc char[] dev_name;\toffset:16;\tsize:4;\tsigned:0;\n" \
	"\tfield:int work;\toffset:20;\tsize:4;\tsigned:1;\n"                   \
	"\tfield:int budget;\toffset:24;\tsize:4;\tsigned:1;\n\n"               \
	"print fmt: \"work %d\", REC->work\n"

/* Writes the low `size` bytes of a number. */
static inline void put(uint8_t *at, uint64_t value, unsigned size, bool big_endian)
{
	for (unsigned i = 0; i < size; i++)
		at[big_endian ? size - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

/* A record of net_dev_start_xmit as FORMAT_START has it, 72 bytes; its device is "eth1". */
static inline size_t put_start(uint8_t *data, uint64_t packet, uint32_t len, bool big_endian)
{
	memset(data, 0, 72);
	put(data, 1401, 2, big_endian);
	put(data + 4, 812, 4, big_endian);
	put(data + 8, 5 << 16 | 64, 4, big_endian);
	put(data + 12, 3, 2, big_endian);
	put(data + 16, packet, 8, big_endian);
	put(data + 30, 0x0800, 2, big_endian);
	put(data + 36, len, 4, big_endian);
	put(data + 44, 14, 4, big_endian);
	data[48] = 1;
	put(data + 52, 34, 4, big_endian);
	put(data + 58, 1448, 2, big_endian);
	put(data + 60, 9, 2, big_endian);
	put(data + 62, 1, 2, big_endian);
	memcpy(data + 64, "eth1", 5);
	return 72;
}

/* A record of consume_skb as FORMAT_CONSUME has it, 16 bytes. */
static inline size_t put_consume(uint8_t *data, uint64_t packet, bool big_endian)
{
	memset(data, 0, 16);
	put(data, 1404, 2, big_endian);
	put(data + 4, 812, 4, big_endian);
	put(data + 8, packet, 8, big_endian);
	return 16;
}

#endif
