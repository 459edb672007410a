/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What driver and device agree on: register offsets and descriptor layouts, written once.
 *
 * Names and numbers are those of Intel's datasheets: "82574 GbE Controller Family Datasheet", rev.
 * 3.4 (chapter 10: registers, 7.2: transmit descriptors), which for these parts says the same as
 * the "PCIe GbE Controllers Open Source Software Developer's Manual" for the 82571.
 */
#ifndef DRIVERS_E1000E_HW_H
#define DRIVERS_E1000E_HW_H

#include <assert.h>
#include <stdint.h>

/* Register offsets, in bytes. */
enum {
	REG_STATUS = 0x0008,
	REG_ICR = 0x00c0, /* interrupt cause: reading it clears it */
	REG_ITR = 0x00c4, /* least gap between interrupts, bits 15:0, units of 256 ns */
	REG_ICS = 0x00c8, /* cause set: a software interrupt */
	REG_IMS = 0x00d0, /* mask set: enables causes */
	REG_IMC = 0x00d8, /* mask clear */
	REG_RCTL = 0x0100,
	REG_TCTL = 0x0400,
	REG_RDBAL = 0x2800, /* receive ring, as below */
	REG_RDBAH = 0x2804,
	REG_RDLEN = 0x2808,
	REG_RDH = 0x2810,
	REG_RDT = 0x2818,
	REG_RDTR = 0x2820,  /* receive interrupt delay, as TIDV */
	REG_RADV = 0x282c,  /* absolute receive interrupt delay, as TADV */
	REG_TDBAL = 0x3800, /* ring base, low and high half */
	REG_TDBAH = 0x3804,
	REG_TDLEN = 0x3808, /* ring length in bytes, a multiple of 128 */
	REG_TDH = 0x3810,   /* head: the device's */
	REG_TDT = 0x3818,   /* tail: the driver's, one beyond the last valid descriptor */
	REG_TIDV =
		0x3820, /* interrupt delay, bits 15:0, units of 1.024 us; re-armed by each packet */
	REG_TXDCTL = 0x3828,
	REG_TADV = 0x382c,  /* absolute interrupt delay, same units, not re-armed */
	REG_GORCL = 0x4088, /* good octets received, FCS included; reading the high half clears */
	REG_GORCH = 0x408c,
	REG_GOTCL = 0x4090, /* the same, transmitted */
	REG_GOTCH = 0x4094,
	REG_WINDOW_BYTES = 0x4100,
};

#define STATUS_LU            (UINT32_C(1) << 1) /* link is up */
#define STATUS_TXOFF         (UINT32_C(1) << 4) /* transmission is paused by flow control */
#define RCTL_EN              (UINT32_C(1) << 1)
#define TCTL_EN              (UINT32_C(1) << 1)
#define TCTL_PSP             (UINT32_C(1) << 3) /* pad short packets to 64 bytes */
#define TXDCTL_WTHRESH_SHIFT 16                 /* descriptors per write-back, bits 21:16 */
#define TXDCTL_WTHRESH_MASK  UINT32_C(0x3f)
#define TIDV_FPD             (UINT32_C(1) << 31) /* flush: write back what is pending now */
#define ICR_TXDW             (UINT32_C(1) << 0)  /* a transmit descriptor was written back */
#define ICR_RXT0             (UINT32_C(1) << 7)  /* a packet was received, its delay is over */
#define ICR_RXO              (UINT32_C(1) << 6)  /* a packet was missed: no descriptor */
#define ICR_LSC              (UINT32_C(1) << 2)  /* link status changed */
#define ICR_INT_ASSERTED     (UINT32_C(1) << 31)
#define ITR_UNIT_NS          256
#define DELAY_UNIT_NS        1024

#define RING_LEAST    64 /* descriptors; the driver's limits, not the device's */
#define RING_MOST     4096
#define RING_MULTIPLE 8 /* TDLEN is a multiple of 128 bytes */

/* Bits of the second half of a descriptor: command and type above, length below. */
#define TXD_CMD_EOP       (UINT32_C(1) << 24) /* last descriptor of the packet */
#define TXD_CMD_IFCS      (UINT32_C(1) << 25) /* append the FCS */
#define TXD_CMD_RS        (UINT32_C(1) << 27) /* report status: write DD back */
#define TXD_CMD_DEXT      (UINT32_C(1) << 29) /* extended: context or data */
#define TXD_CMD_IDE       (UINT32_C(1) << 31) /* its interrupt may be delayed by TIDV/TADV */
#define TXD_DTYP_CONTEXT  (UINT32_C(0) << 20)
#define TXD_DTYP_DATA     (UINT32_C(1) << 20)
#define TXD_DTYP_MASK     (UINT32_C(0xf) << 20)
#define TXD_TUCMD_TCP     (UINT32_C(1) << 24) /* context: TCP, else UDP */
#define TXD_TUCMD_IP      (UINT32_C(1) << 25) /* context: IPv4, else IPv6 */
#define TXD_LEGACY_LENGTH UINT32_C(0xffff)
#define TXD_DATA_LENGTH   UINT32_C(0xfffff)
#define TXD_STAT_DD       (UINT32_C(1) << 0) /* done */
#define TXD_POPTS_IXSM    (UINT32_C(1) << 8) /* insert the IPv4 header checksum */
#define TXD_POPTS_TXSM    (UINT32_C(1) << 9) /* insert the TCP or UDP checksum */

/* 16 bytes, little-endian, one of three layouts (82574 datasheet, 7.2.10 to 7.2.12). */
union tx_desc {
	struct {
		uint64_t buffer_addr; /* legacy and data; here a virtual address */
		uint32_t cmd_length;
		uint32_t status; /* DD, checksum options and VLAN tag */
	} data;
	struct {
		uint8_t ipcss, ipcso; /* IP header: where the checksum starts, where it goes */
		uint16_t ipcse;       /* where it ends */
		uint8_t tucss, tucso; /* the same for TCP or UDP; an end of 0: end of packet */
		uint16_t tucse;
		uint32_t cmd_length;
		uint8_t status, hdrlen;
		uint16_t mss;
	} context;
};
static_assert(sizeof(union tx_desc) == 16, "hardware layout");

/* Receive descriptor, 16 bytes, little-endian, legacy layout (82574 datasheet, 7.1.4). */
struct rx_desc {
	uint64_t buffer_addr; /* here a virtual address */
	uint16_t length;      /* bytes in this buffer */
	uint16_t checksum;
	uint8_t status;
	uint8_t errors;
	uint16_t special;
};
static_assert(sizeof(struct rx_desc) == 16, "hardware layout");

#define RXD_STAT_DD     UINT8_C(0x01) /* done */
#define RXD_STAT_EOP    UINT8_C(0x02) /* last buffer of the packet */
#define RX_BUFFER_BYTES 2048          /* of each receive buffer: RCTL.BSIZE's default */

#endif
