/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The receive cost measure: what does one received packet cost, and what makes some dear?
 *
 * A cost is the time from receive_begin to receive_end of one CPU (netif_receive_skb_entry and
 * _exit, napi_gro_receive_entry and _exit). It is a packet's cost only if one packet is handed up
 * inside (one netif_receive_skb). GRO keeps packets back and hands several up at once: then most
 * pairs are empty, others hold many packets, and nothing is said of a cost per packet. In a trace
 * without any netif_receive_skb a pair is taken for a packet.
 *
 * Of pairs inside pairs (a bridge hands its packets up again) only the outermost counts. A pair
 * whose end is missing is closed by the poll's end, or the softirq's, and has no cost.
 *
 * Clusters are found from the costs alone: by their size (clusters.h), and where dear and cheap
 * ones alternate by their order, too (costs.h).
 *
 * Streaming, O(1) an event. Costs are kept as a histogram; of their order only the newest
 * RXCOST_NEWEST are kept, as the log of 2005 did, and the pattern is theirs.
 */
#ifndef ANALYZER_MEASURE_RXCOST_H
#define ANALYZER_MEASURE_RXCOST_H

#include "event.h"
#include "names.h"
#include "transmit.h"

#define RXCOST_NEWEST 16384

struct rxcost_options {
	uint64_t hz;        /* of event.time; 0: cycles without calibration */
	const char *device; /* only this one (exact name), or NULL for all */
};

/* What the order of the packets tells of one. */
enum rxcost_side { RXCOST_CHEAP, RXCOST_DEAR, RXCOST_UNTOLD, RXCOST_SIDES };

struct rxcost_sample {
	uint64_t cost; /* cycles */
	bool sent_ack; /* from inside the receive path */
	uint8_t side;  /* enum rxcost_side, to be asked where by_order */
};

struct rxcost_cluster {
	uint64_t count, median; /* cycles */
	uint64_t acks;          /* sent inside its pairs */
	uint64_t senders;       /* pairs that sent one or more */
	double time_share;      /* of the time of all packets */
};

/* Data segments, told apart by what they did and not by what they cost. */
struct rxcost_kind {
	uint64_t count, median;
	double time_share; /* of the time of all data segments */
};

struct rxcost_table {
	const char *name;                  /* of the device; NULL: all of them together */
	uint64_t pairs;                    /* = empty + those with one packet + several */
	uint64_t empty, several;           /* pairs */
	uint64_t held_irq;                 /* pairs in which a hard interrupt was handled */
	bool per_packet;                   /* a pair's cost is a packet's: see above */
	uint64_t packets;                  /* whose cost is known; what follows is of them */
	struct spread cost;                /* cycles */
	struct rxcost_cluster clusters[2]; /* the cheap one first */
	unsigned cluster_count;            /* 0: no packets, or not per_packet */
	bool by_order; /* dear and cheap ones alternate, and are told apart by that: see costs.h */
	double ratio_of_medians; /* 0 where there is one cluster */
	double ratio;            /* by_order: of dear ones to those beside them; else the same */
	uint64_t outliers;       /* dearer than outlier_above; they are in their cluster, too */
	uint64_t outlier_above;
	uint64_t idle, idle_runs; /* packets in runs of much cheaper ones; how many runs */
	uint64_t idle_median;
	uint64_t every;     /* the commonest distance from a dear packet to the next; 0: none */
	double every_share; /* of all such distances */
	/* by_order: cheap ones on the border's dear side, and dear ones on its cheap side */
	uint64_t dips, peaks;
	uint64_t dips_excess; /* dear ones behind such dips cost so much more than usual: median */
	struct rxcost_kind with_ack, without_ack;
	uint64_t acks_inside;               /* sent inside of pairs */
	uint64_t acks_in_softirq;           /* outside of pairs, in a softirq */
	uint64_t acks_elsewhere;            /* outside of both: by processes and timers */
	const struct rxcost_sample *newest; /* oldest first */
	unsigned newest_count;
};

struct rxcost_report {
	struct rxcost_table all;
	const struct rxcost_table *devices; /* sorted by name */
	unsigned device_count;
	uint64_t nested;   /* pairs inside of others */
	uint64_t unpaired; /* begins without an end, and ends without a begin: no pairs */
	/*
	 * Cycles from a pair's begin to the netif_receive_skb inside, median: little more than what
	 * it takes the kernel to write an event (with GRO between them it is more). Whatever is
	 * recorded inside of a pair is a part of its cost. 0: not known.
	 */
	uint64_t writing;
	bool receives_seen;
	bool acks_seen;
	bool softirqs_seen; /* else acks_elsewhere are all that left outside of pairs */
	uint64_t used;
};

struct rxcost;

/* `names` may grow while events come. 0 or -ENOMEM. */
int rxcost_create(
	struct rxcost **rxcost, const struct rxcost_options *options, const struct names *names);

/* Events must come in the order of their time. 0 or -ENOMEM. */
int rxcost_event(struct rxcost *rxcost, unsigned cpu, const struct event *event);

/* Ends the measurement. The report lives until rxcost_destroy. 0 or -ENOMEM. */
int rxcost_finish(struct rxcost *rxcost, const struct rxcost_report **report);

void rxcost_destroy(struct rxcost *rxcost);

#endif
