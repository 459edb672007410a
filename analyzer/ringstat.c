/* SPDX-License-Identifier: BSD-3-Clause */
/* ringstat: what a network driver did to packets, told from a trace of it. */
#include "ringstat.h"

#include "descriptors.h"
#include "transmit.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct ringstat_command commands[] = {
	{
		.name = "report",
		.does = "how many packets a device owns and for how long; does its ring pack, "
			"did it stall",
		.options = "jdfthescrpD",
		.run = ringstat_report,
		.explains =
			"For each device: packets, lap time from start_xmit to free, packets in "
			"the\n"
			"device, queues, retries, drops, stalls, whether the ring packs, and an "
			"account\n"
			"of every packet. With --ring and --profile, or --capacity, the most that "
			"was\n"
			"in the device is compared with what a queue can own; else the verdict "
			"rests\n"
			"on the same maximum being reached again and again. Several FILEs make a\n"
			"report each, one after the other, with --json an object each. Of a "
			"capture\n"
			"(pcap, pcapng) it tells frames, gaps and ACKs; no option but --json "
			"applies.\n"
			"\n"
			"EXAMPLES:\n"
			"    ringstat report trace.txt                   # perf script or ftrace "
			"text\n"
			"    perf script --ns | ringstat report -        # from standard input\n"
			"    ringstat report --ring 256 --profile linux-6.1 trace.txt.gz\n"
			"    ringstat report --json --dev eth0 --from 64.85 --to 65 trace.txt\n"
			"    ringstat report trace/                      # ringside run --trace "
			"trace/\n"
			"    ringstat report eth0.pcapng                 # a capture: gaps, ACKs\n",
	},
	{
		.name = "napi",
		.does = "what NAPI's polls do and cost; interrupts; why softirqs were squeezed",
		.options = "jdfthbu",
		.run = ringstat_napi,
		.explains =
			"For each device: polls, their work and time, how much of their budget "
			"they use,\n"
			"packets per interrupt, packets received per ACK. For the trace: how often "
			"the\n"
			"NET_RX softirq had used its budget of packets or of time, and how often a "
			"device\n"
			"was put off to the next softirq (repolls). Takes napi:napi_poll, "
			"irq:softirq_*,\n"
			"irq:irq_handler_*, net:netif_receive_skb and net:net_dev_start_xmit.\n"
			"\n"
			"EXAMPLES:\n"
			"    ringstat napi trace.txt\n"
			"    ringstat napi --json --dev eth0 --budget 600 trace.txt | jq "
			".squeezes\n",
	},
	{
		.name = "diff",
		.does = "two traces side by side: rates, laps, occupancy, drops, stalls",
		.files = 2,
		.takes = "A B",
		.options = "jdftesh",
		.run = ringstat_diff,
		.explains = "A is before, B after a change of ring, throttle or load. Devices are "
			    "matched by\n"
			    "their names; beside each figure stands what B's is of A's.\n"
			    "\n"
			    "EXAMPLES:\n"
			    "    ringstat diff before.txt after.txt\n"
			    "    ringstat diff --json --dev eth0 ring256/ ring512/ | jq "
			    "'.devices[0].lap_max_ns'\n",
	},
	{
		.name = "rxcost",
		.does = "what one received packet costs, and which packets are dear",
		.options = "jdfthn",
		.run = ringstat_rxcost,
		.explains =
			"The time from netif_receive_skb_entry to _exit (or "
			"napi_gro_receive_entry to\n"
			"_exit), where one packet is handed up inside. Costs fall into a cheap and "
			"a dear\n"
			"cluster if there are two; the report says in which ACKs were sent, how "
			"often a\n"
			"dear one comes, and prints the newest costs in rows of 16, those that "
			"sent "
			"an ACK\n"
			"with a *. If GRO gathers packets (net.core.gro_normal_batch is 8), the "
			"time isn't\n"
			"one packet's: record with GRO off or the batch at 1. Takes "
			"net:netif_receive_skb\n"
			"and net:net_dev_start_xmit, too.\n"
			"FILE may also be a plain list of costs in ticks of a clock of --hz, a "
			"packet each,\n"
			"oldest first.\n"
			"\n"
			"EXAMPLES:\n"
			"    ringstat rxcost --dev eth0 trace.txt\n"
			"    ringstat rxcost --hz 12000000 ticks.txt\n"
			"    ringstat rxcost --json trace.txt | jq .ratio\n",
	},
	{
		.name = "sock",
		.does = "what each process sends and receives by TCP and UDP; its errors",
		.options = "jfth",
		.run = ringstat_sock,
		.explains =
			"For each process, the one with the most bytes first: calls and bytes, "
			"errors by\n"
			"their errno. A receive with MSG_PEEK is a peek: its bytes come again. "
			"Takes\n"
			"sock:sock_send_length and sock:sock_recv_length (Linux 6.3 and later).\n"
			"\n"
			"EXAMPLES:\n"
			"    ringstat sock trace.txt\n"
			"    ringstat sock --json trace.txt | jq '.processes[].tcp.errno'\n",
	},
	{
		.name = "timeline",
		.does = "packet by packet: received in which softirq and copied to whom, sent and "
			"freed when",
		.options = "jCdfth",
		.run = ringstat_timeline,
		.directions = true,
		.takes = "[tx] [rx] FILE...",
		.prints_last = true,
		.explains =
			"rx: each softirq with the interrupts that raised it, its delay, the "
			"packets "
			"that\n"
			"came in it (copied to which process, or freed, and why) and its polls. "
			"tx: "
			"each\n"
			"packet when it was queued, handed to the driver, kept by it and freed. "
			"Without\n"
			"these words both. --compat prints the layout of perf's netdev-times "
			"script, with\n"
			"--json each softirq and packet is an object on a line. --dev shows "
			"softirqs "
			"that\n"
			"the device has a part in, as a whole. A file that is called tx or rx is "
			"./tx.\n"
			"\n"
			"EXAMPLES:\n"
			"    ringstat timeline perf.data\n"
			"    ringstat timeline tx --dev eth0 --from 64.85 --to 64.86 trace.txt\n"
			"    ringstat timeline rx --compat perf.data\n"
			"    ringstat timeline --json trace.txt | jq 'select(.type == "
			"\"transmit\")'\n",
	},
	{
		.name = "convert",
		.does = "the trace in another format: CTF, JSON for Perfetto and Chrome, or CSV",
		.takes = "FILE",
		.options = "Toh",
		.run = ringstat_convert,
		.explains =
			"CTF is the format of ringside run --trace, read by ringstat, babeltrace2 "
			"and\n"
			"Trace Compass, at memory speed. For ui.perfetto.dev and chrome://tracing: "
			"a\n"
			"counter of the packets in each device, a span for each packet, the "
			"softirqs of\n"
			"each CPU. CSV has an event a line and a column for each field. Without -o "
			"JSON\n"
			"and CSV go to standard output.\n"
			"\n"
			"EXAMPLES:\n"
			"    ringstat convert --to ctf -o trace/ perf.data\n"
			"    ringstat convert --to perfetto -o packets.json trace.txt\n"
			"    ringstat convert --to csv trace.txt | head\n",
	},
	{
		.name = "record",
		.does = "record this kernel's events, for a report at once or a trace for later",
		.options = "goFlkmjdescrpDbun",
		.records = true,
		.takes = "[COMMAND...]",
		.run = ringstat_record,
		.explains =
			"Records while COMMAND runs, or until SIGINT or SIGTERM (which COMMAND "
			"gets, too).\n"
			"Without --output each group's report is printed then: tx that of ringstat "
			"report,\n"
			"rx of timeline rx, napi, sock and rxcost their own. With it a CTF trace "
			"is\n"
			"written that all of ringstat reads. Events that were overwritten before "
			"they\n"
			"could be read are counted, and the exit status is 3.\n"
			"It takes root, and leaves the machine's other tracing alone.\n"
			"\n"
			"EXAMPLES:\n"
			"    ringstat record -- iperf3 -c 10.0.0.2\n"
			"    ringstat record --ring 256 --profile linux-6.1 --duration 10\n"
			"    ringstat record --follow                    # until Ctrl-C\n"
			"    ringstat record -e rxcost --dev eth0 --duration 10\n"
			"    ringstat record -e rx -e sock -o trace/ -- curl http://10.0.0.2/\n",
	},
	{
		.name = "dump",
		.does = "the events that were understood, one a line, in the order of time",
		.options = "jdfth",
		.run = ringstat_dump,
		.explains =
			"A line has the time in seconds (cycles if the clock isn't calibrated), "
			"the\n"
			"CPU, the device, the event and its fields. With --json each line is an\n"
			"object. --dev leaves events out that name another device or none.\n"
			"\n"
			"EXAMPLES:\n"
			"    ringstat dump trace.txt | head\n"
			"    ringstat dump --json --dev eth0 trace/ | jq .event\n",
	},
};

#define COMMANDS (sizeof(commands) / sizeof(*commands))

static void print_usage(FILE *out)
{
	fputs("Usage: ringstat SUBCOMMAND [OPTION]... FILE...\n"
	      "What a network driver did to packets, told from a trace of it.\n"
	      "\n",
		out);
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf(out, "    %-10s %s\n", commands[i].name, commands[i].does);
	fputs("\n"
	      "FILE is a trace of any known format, which is detected; '-' is standard input.\n"
	      "ringstat SUBCOMMAND --help tells more, with examples.\n"
	      "\n"
	      "Exit status: 0 complete, 1 usage error, 2 input refused (nothing is printed on\n"
	      "standard output), 3 partial: events were lost or the input is cut.\n",
		out);
}

static void print_help(const struct ringstat_command *command)
{
	printf("Usage: ringstat %s [OPTION]... %s\n%c%s.\n\n", command->name,
		command->takes ? command->takes : "FILE...", command->does[0] - 'a' + 'A',
		command->does + 1);
	ringstat_print_options(command, stdout);
	printf("\n%s", command->explains);
}

static const struct ringstat_command *find_command(const char *name)
{
	for (size_t i = 0; i < COMMANDS; i++) {
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	}
	return NULL;
}

/* What is written is seen only if it is all there. 0 or STATUS_REFUSED. */
static int check_stdout(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	fprintf(stderr, "ringstat: standard output: %s\n", strerror(errno));
	return STATUS_REFUSED;
}

static int copy_to_stdout(FILE *result)
{
	char buffer[65536];
	size_t bytes;

	rewind(result);
	while ((bytes = fread(buffer, 1, sizeof(buffer), result)) > 0) {
		if (fwrite(buffer, 1, bytes, stdout) != bytes)
			break;
	}
	return check_stdout();
}

/*
 * The result goes to a temporary file first: if the input turns out to be bad in its middle,
 * nothing must have been printed. Only of one file that has been read to its end before anything is
 * printed this can't be.
 */
static int run(const struct ringstat_command *command, const struct ringstat_options *options)
{
	bool at_once = command->prints_last && options->file_count == 1;
	struct diag diag = { "" };
	FILE *result = at_once ? stdout : tmpfile();
	int status;

	if (!result) {
		fprintf(stderr, "ringstat: no temporary file: %s\n", strerror(errno));
		return STATUS_REFUSED;
	}
	status = command->run(options, result, &diag);
	if (status == STATUS_REFUSED || status == STATUS_USAGE) {
		fprintf(stderr, "ringstat: %s\n", diag.text);
	} else if (at_once) {
		status = check_stdout() ? STATUS_REFUSED : status;
	} else if (fflush(result) || ferror(result)) {
		fprintf(stderr, "ringstat: temporary file: %s\n", strerror(errno));
		status = STATUS_REFUSED;
	} else if (copy_to_stdout(result)) {
		status = STATUS_REFUSED;
	}
	if (!at_once)
		fclose(result);
	return status;
}

int main(int argc, char **argv)
{
	struct ringstat_options options = { .stall_ns = TRANSMIT_STALL_NS, .buffer_kib = 8192 };
	const struct ringstat_command *command;
	struct diag diag = { "" };
	int status;

	if (descriptors_open_missing()) {
		fprintf(stderr, "ringstat: /dev/null: %s\n", strerror(errno));
		return STATUS_REFUSED;
	}
	if (argc < 2) {
		print_usage(stderr);
		return STATUS_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		print_usage(stdout);
		return check_stdout();
	}
	command = find_command(argv[1]);
	if (!command) {
		fprintf(stderr, "ringstat: unknown subcommand '%s'; see ringstat --help\n",
			argv[1]);
		return STATUS_USAGE;
	}
	status = ringstat_options(argc - 1, argv + 1, command, &options, &diag);
	if (status == STATUS_HELP) {
		print_help(command);
		return check_stdout();
	}
	if (status == STATUS_USAGE) {
		fprintf(stderr, "ringstat %s: %s\n", command->name, diag.text);
		return status;
	}
	return run(command, &options);
}
